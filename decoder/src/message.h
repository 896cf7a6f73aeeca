/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optional parts of a MESSAGE_TRACE_HEADER.
 */
#ifndef ETLPROOF_MESSAGE_H
#define ETLPROOF_MESSAGE_H

#include <stdint.h>

/* Offsets from the start of the event; 0: the part is not there. */
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
 * The parts that `options` announces and that end within `available` bytes of the event; `size` counts them all, so that
 * size > available tells that some do not fit.
 */
etl_message_parts etl_message_parts_of(uint16_t options, uint32_t available);

#endif
