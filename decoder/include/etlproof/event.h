/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: a trace header of one of the sixteen types, what lies behind it, and the header's fields.
 */
#ifndef ETLPROOF_EVENT_H
#define ETLPROOF_EVENT_H

#include <stdbool.h>

#include "etlproof/bytes.h"
#include "etlproof/finding.h"
#include "etlproof/guid.h"
#include "etlproof/linkage.h"
#include "etlproof/logfile.h"
#include "etlproof/region.h"

ETL_C_BEGIN

/*
 * An event as it lies in its buffer: header, items, user data, and bytes that damage made unreadable follow one another and
 * add up to `size`; `padding` bytes follow.
 */
typedef struct etl_event {
    uint64_t index;       /* from 0 in file order */
    uint64_t buffer;      /* index of its buffer */
    uint64_t offset;      /* of its first byte, in `space` */
    etl_space space;
    etl_span bytes;       /* `size` bytes */
    uint32_t size;        /* 16 bits, but for a WNODE_HEADER */
    uint32_t header_size; /* with PEBS index, counters, message parts */
    uint32_t items_size;  /* extended items */
    uint32_t data_size;   /* user data */
    uint32_t lost_size;   /* rest of the event that could not be read */
    uint32_t padding;     /* 0 to 7, within the buffer */
    uint8_t type;         /* TRACE_HEADER_TYPE; ETL_HEADER_TYPE_MESSAGE for a message */
    uint8_t marker;       /* MarkerFlags */
    etl_layout layout;
    bool has_time;
    int64_t time;         /* raw ticks */
    etl_context context;  /* of the file */
} etl_event;

/* The fields of a trace header. Those that the layout has not are 0. */
typedef struct etl_event_fields {
    bool has_thread_id, has_process_id, has_times, has_processor_time;
    uint64_t thread_id;       /* 32 bits, but for 5.0 FULL and INSTANCE headers */
    uint32_t process_id;
    uint32_t kernel_time, user_time; /* TimerResolution units */
    uint64_t processor_time;  /* in place of those two, private loggers */
    /* SYSTEM, COMPACT, PERFINFO */
    uint16_t hook;            /* HookId: group << 8 | type */
    uint16_t version_word;
    bool has_pebs;
    uint64_t pebs;
    uint8_t pmc_count;        /* 0 to 7 */
    uint64_t pmc[7];
    /* SYSTEM, COMPACT, PERFINFO: low byte of the version word. FULL, INSTANCE: Class.Version. EVENT: Descriptor.Version. */
    uint16_t version;
    /* FULL, INSTANCE: Class.Type, Class.Level */
    uint8_t type;
    uint8_t level;            /* EVENT too */
    /* EVENT */
    uint16_t flags, property;
    uint16_t id;
    uint8_t channel, opcode;
    uint16_t task;
    uint64_t keyword;
    etl_guid activity;
    /* FULL, INSTANCE_GUID, EVENT; a MESSAGE with option GUID */
    bool has_provider;
    etl_guid provider;
    /* INSTANCE */
    uint32_t instance_id, parent_instance_id;
    etl_guid parent_provider;                /* INSTANCE_GUID */
    uint64_t reg_handle, parent_reg_handle;  /* INSTANCE of 5.0 and 5.1 */
    /* MESSAGE */
    uint16_t message, options;
    bool has_sequence, has_component_id;
    uint32_t sequence, component_id;
} etl_event_fields;

/*
 * Frames the event at `at` of `data`, whose events end at `extent`: size, layout, and the sizes of its parts. There are
 * sizeof OPAQUE_HEADER bytes or more up to the extent. The caller sets index, buffer, offset, space and context of `event`
 * before.
 * False if no event can be framed there; the last finding says why (SIZ-*, MRK-*, TYP-008), its action left to the caller.
 * Findings: SIZ-001 to SIZ-003, SIZ-007, MRK-002, MRK-003, TYP-*, EXT-*, PAY-*, MSG-*.
 */
bool etl_event_frame(etl_span data, uint32_t at, uint32_t extent, etl_event *event, etl_findings *findings);

/*
 * True if an event of a decoded type that agrees with itself starts at `at`, and what follows it is the extent, an end
 * marker, or another event; an end marker does not do behind a message with unassigned options. For searching: it asks more
 * than the walk does.
 */
/*@ requires \valid_read(data.at + (0 .. data.size - 1));
  @ assigns \nothing; */
bool etl_event_plausible(etl_span data, uint32_t at, uint32_t extent);

/* Decodes the header. */
void etl_event_read(const etl_event *event, etl_event_fields *fields);

/* User data. */
etl_span etl_event_data(const etl_event *event);

/* Bytes of a pointer in the user data: that of the event's type, a message's option, or the file's; 0 if none says. */
uint8_t etl_event_pointer_size(const etl_event *event);

/* The regions of an event in order, empty ones left out. Returns their number. */
#define ETL_EVENT_REGIONS 5
size_t etl_event_regions(const etl_event *event, etl_region regions[ETL_EVENT_REGIONS]);

ETL_C_END

#endif
