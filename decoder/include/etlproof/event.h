/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event: a trace header of one of the types of header_types.def, the bytes behind it, and the fields of that header.
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
 * An event as it is stored: header, extended data items, payload, and bytes that damage made unreadable follow one another
 * and add up to `size`; `padding` bytes follow.
 */
typedef struct etl_event {
    uint64_t index;       /* from 0 in file order */
    uint64_t buffer;      /* index of its buffer */
    uint64_t offset;      /* of the event's first byte, in `space` */
    etl_space space;
    etl_span bytes;       /* `size` bytes */
    uint32_t size;        /* below 2^16, except for a WNODE_HEADER */
    uint32_t header_size; /* with PEBS index, counters, message parts */
    uint32_t items_size;  /* extended data items */
    uint32_t data_size;   /* payload */
    uint32_t lost_size;   /* the rest of the event, which could not be read */
    uint32_t padding;     /* 0 to 7, within the buffer */
    uint8_t type;         /* TRACE_HEADER_TYPE; ETL_HEADER_TYPE_MESSAGE for a message */
    uint8_t marker;       /* MarkerFlags */
    etl_layout layout;
    bool has_time;
    int64_t time;         /* raw ticks */
    etl_context context;  /* of the file */
} etl_event;

/* The fields of a trace header; 0 where the layout lacks the field. */
typedef struct etl_event_fields {
    bool has_thread_id, has_process_id, has_times, has_processor_time;
    uint64_t thread_id;       /* below 2^32, except for 5.0 FULL and INSTANCE headers */
    uint32_t process_id;
    uint32_t kernel_time, user_time; /* TimerResolution units */
    uint64_t processor_time;  /* private loggers: in place of those two */
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
 * Frames the event at `at` of `data`, whose events end at `extent`: sets its size, layout and the sizes of its parts. The
 * caller makes sure that `extent - at` is at least sizeof OPAQUE_HEADER, and sets index, buffer, offset, space and context
 * of `event`.
 * False if no event can be framed: the last finding has the reason (SIZ-*, MRK-*, TYP-008), and the caller sets its action.
 * Findings: SIZ-001 to SIZ-003, SIZ-007, MRK-002, MRK-003, TYP-*, EXT-*, PAY-*, MSG-*.
 */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && at <= extent <= data.size && data.size <= 0xFFFFFFF0;
  @ requires \valid(event) && \valid(findings) && findings->count <= ETL_FINDINGS_MAX && \separated(event, findings);
  @ requires \separated(event, data.at + (0 .. data.size - 1)) && \separated(findings, data.at + (0 .. data.size - 1));
  @ assigns *event, *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX && (!\result ==> findings->count >= 1);
  @ ensures \result ==> event->size <= extent - at && event->padding <= data.size - at - event->size;
  @ ensures \result ==> \valid_read(event->bytes.at + (0 .. event->bytes.size - 1)); */
bool etl_event_frame(etl_span data, uint32_t at, uint32_t extent, etl_event *event, etl_findings *findings);

/*
 * True if an event with published layout starts at `at`, whose members agree with one another, and if the extent, an end
 * marker or another event follows it. Behind a message with unassigned options an end marker does not count. For searching:
 * framing asks less.
 */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && extent <= 0xFFFFFFF0;
  @ assigns \nothing; */
bool etl_event_plausible(etl_span data, uint32_t at, uint32_t extent);

/* Reads the fields of the header. */
/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1)) && \valid(fields);
  @ requires \separated(fields, event) && \separated(fields, event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns *fields; */
void etl_event_read(const etl_event *event, etl_event_fields *fields);

/* The payload. */
/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns \nothing;
  @ ensures \valid_read(\result.at + (0 .. \result.size - 1)); */
etl_span etl_event_data(const etl_event *event);

/*
 * Bytes of a pointer in the payload, from the event's type, a message's option or the logfile header; 0 if none of them
 * states it.
 */
/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns \nothing; */
uint8_t etl_event_pointer_size(const etl_event *event);

/* The regions of an event, in order, without empty ones. Returns their number. */
#define ETL_EVENT_REGIONS 5
/*@ requires \valid_read(event) && \valid(regions + (0 .. ETL_EVENT_REGIONS - 1));
  @ requires \separated(event, regions + (0 .. ETL_EVENT_REGIONS - 1));
  @ assigns regions[0 .. ETL_EVENT_REGIONS - 1];
  @ ensures \result <= ETL_EVENT_REGIONS; */
size_t etl_event_regions(const etl_event *event, etl_region regions[ETL_EVENT_REGIONS]);

ETL_C_END

#endif
