/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optional parts of a MESSAGE_TRACE_HEADER.
 */
#ifndef ETLPROOF_MESSAGE_H
#define ETLPROOF_MESSAGE_H

#include <stdint.h>

/* Offsets of the parts from the start of the event; 0 for a part that is missing. */
typedef struct etl_message_parts {
    uint32_t sequence;
    uint32_t component_id;
    uint32_t guid;
    uint32_t time;        /* filled */
    uint32_t system_info; /* ThreadId, ProcessId */
    uint32_t size;        /* of the header with all its parts */
    uint32_t read_size;   /* of the header up to the last part that fits */
} etl_message_parts;

/*
 * The parts that `options` announces, of those that end within the first `available` bytes of the event. `size` counts all
 * parts: if it is larger than `available`, some do not fit.
 */
/*@ assigns \nothing;
  @ ensures \result.read_size <= \result.size; */
etl_message_parts etl_message_parts_of(uint16_t options, uint32_t available);

#endif
