/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logfile header: the first event of a trace (SYSTEM, hook 0x0000) and its TRACE_LOGFILE_HEADER.
 */
#ifndef ETLPROOF_LOGFILE_H
#define ETLPROOF_LOGFILE_H

#include "etlproof/buffer_header.h"
#include "etlproof/bytes.h"
#include "etlproof/clock.h"
#include "etlproof/finding.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

typedef struct etl_systemtime {
    uint16_t year, month, day_of_week, day, hour, minute, second, milliseconds;
} etl_systemtime;

typedef struct etl_time_zone {
    int32_t bias; /* minutes; UTC = local + bias */
    int32_t standard_bias, daylight_bias;
    etl_systemtime standard_date, daylight_date;
    etl_span standard_name, daylight_name; /* UTF-16LE up to the NUL */
} etl_time_zone;

/*
 * Members as Microsoft names them, in C spelling. All 0 in a trace without logfile header (LFH-001). Of a logfile header
 * that is cut (LFH-002), the members that are there are set, except names, clock and compression format.
 */
typedef struct etl_logfile {
    bool known;               /* the event was found, and its fixed part is complete */
    uint8_t header_type;      /* ETL_HEADER_TYPE_SYSTEM32 or _SYSTEM64 */
    uint8_t pointer_size;     /* 4 or 8, from the event's type; 0 if not known */
    uint32_t buffer_size;
    uint8_t major_version, minor_version, sub_version, sub_minor_version;
    uint32_t provider_version; /* Windows build */
    uint32_t number_of_processors;
    int64_t end_time;         /* FILETIME; 0: never closed */
    uint32_t timer_resolution; /* 100 ns units */
    uint32_t maximum_file_size; /* MB, or KB with USE_KBYTES_FOR_SIZE */
    uint32_t log_file_mode;
    uint32_t buffers_written;
    uint32_t start_buffers;
    uint32_t stated_pointer_size; /* the PointerSize member */
    uint32_t events_lost;
    uint32_t cpu_speed_in_mhz;
    uint64_t logger_name_pointer, log_file_name_pointer; /* leftovers of the writer */
    etl_time_zone time_zone;
    int64_t boot_time;        /* FILETIME */
    int64_t perf_freq;        /* ticks a second */
    int64_t start_time;       /* FILETIME */
    uint32_t reserved_flags;  /* the clock type */
    uint32_t buffers_lost;
    etl_span logger_name;     /* UTF-16LE, without the NUL */
    etl_span log_file_name;
    etl_clock clock;
    uint32_t compression_format; /* of compressed buffers: low 16 bits of the header buffer's State */
} etl_logfile;

/* The facts of the logfile header that reading an event needs. */
typedef struct etl_context {
    uint8_t pointer_size;       /* of the file; 0 if not known */
    bool known;                 /* a logfile header was read; if not, the latest version is assumed */
    bool instance_guid;         /* INSTANCE is EVENT_INSTANCE_GUID_HEADER: sub-version (1,1) or later */
    bool thread_id_64;          /* Windows 5.0: ThreadId has 8 bytes, and there is no ProcessId */
    bool compact_allowed;       /* Windows 6.2 or later: COMPACT headers may occur */
    bool processor_time;        /* a private logger: ProcessorTime in place of KernelTime and UserTime */
} etl_context;

/* True if the event that starts at `offset` of the buffer is a SYSTEM event of hook 0x0000. */
/*@ requires \valid_read(buffer.at + (0 .. buffer.size - 1));
  @ assigns \nothing; */
bool etl_logfile_here(etl_span buffer, size_t offset);

/*
 * Reads the logfile header event at `offset` of `buffer`, the uncompressed header buffer, which starts at file offset
 * `origin`. If the event is missing (LFH-001) or cut (LFH-002), `logfile` is not `known`. Spans in `logfile` point into
 * `buffer`.
 * Findings: LFH-001 to LFH-006, LFH-010, TIM-001, TIM-002, TIM-005.
 */
/*@ requires \valid_read(buffer.at + (0 .. buffer.size - 1)) && \valid(logfile) && \valid(findings);
  @ requires findings->count <= ETL_FINDINGS_MAX && \separated(logfile, findings);
  @ requires \separated(logfile, buffer.at + (0 .. buffer.size - 1)) &&
  @          \separated(findings, buffer.at + (0 .. buffer.size - 1));
  @ assigns *logfile, *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
void etl_logfile_read(etl_span buffer, size_t offset, uint64_t origin, etl_logfile *logfile, etl_findings *findings);

/*
 * Compares the event at `offset` of a later buffer, which starts at file offset `origin`, with the clock of the first
 * logfile header. Finding, if the event is a logfile header: LFH-011 at the first member that differs (StartTime,
 * ReservedFlags, PerfFreq or CpuSpeedInMHz, SystemTime), else LFH-012, also if the header is cut. Names are not compared.
 */
/*@ requires \valid_read(buffer.at + (0 .. buffer.size - 1)) && \valid_read(first) && \valid(findings);
  @ requires findings->count <= ETL_FINDINGS_MAX && \separated(first, findings);
  @ requires \separated(findings, buffer.at + (0 .. buffer.size - 1));
  @ assigns *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
void etl_logfile_compare(etl_span buffer, size_t offset, uint64_t origin, const etl_clock *first, etl_findings *findings);

/*@ requires \valid_read(logfile);
  @ assigns \nothing; */
etl_context etl_logfile_context(const etl_logfile *logfile);

/* The shape of the file's buffer headers. */
/*@ requires \valid_read(logfile);
  @ assigns \nothing; */
etl_buffer_shape etl_logfile_shape(const etl_logfile *logfile);

/* ETW_KERNEL_HEADER_EXTENSION: the payload of hooks 0x0005 and 0x0020. */
typedef struct etl_header_extension {
    uint32_t group_mask[8];
    bool has_version; /* not in 5.2 */
    uint32_t version; /* ETW_KERNEL_EVENT_VERSION */
} etl_header_extension;

/* False if `data` is shorter than the group masks. */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && \valid(extension);
  @ requires \separated(extension, data.at + (0 .. data.size - 1));
  @ assigns *extension; */
bool etl_header_extension_read(etl_span data, etl_header_extension *extension);

/* The payload of hook 0x0052: for each processor, when it last lost an event. */
typedef struct etl_last_dropped_times {
    uint32_t count; /* as stated */
    etl_span times; /* int64_t each, ticks of the clock: `count` of them, or the whole ones that the payload has */
} etl_last_dropped_times;

/* False if `data` is shorter than LAST_DROPPED_TIMES. */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && \valid(dropped);
  @ requires \separated(dropped, data.at + (0 .. data.size - 1));
  @ assigns *dropped; */
bool etl_last_dropped_times_read(etl_span data, etl_last_dropped_times *dropped);

ETL_C_END

#endif
