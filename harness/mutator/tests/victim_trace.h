/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace for tests of mutator and minimiser: one of its events, the victim, must survive. Also decodes a changed copy.
 */
#ifndef ETLPROOF_TEST_MUTATOR_VICTIM_TRACE_H
#define ETLPROOF_TEST_MUTATOR_VICTIM_TRACE_H

#include "etlproof/etlproof.h"
#include "model/model.h"

enum { MADE_BUFFER_SIZE = 0x2000, MADE_BUFFERS = 8, MADE_FILE_SIZE = MADE_BUFFER_SIZE * MADE_BUFFERS };

/* 64 KiB of buffers with items and slack; one event is the victim, with Size 0 if `broken`. The caller frees the trace.
   */
build_chunk make_trace(bool broken, bool compressed);

typedef struct sighting {
    bool has_size_0, has_victim;
    uint32_t victim_size;      /* with its items and data */
    uint64_t victim_items;     /* of type STACK_KEY64 */
    bool victim_compressed;    /* it is in a compressed buffer */
    bool uneven;               /* a buffer has another size than the logfile header states */
    size_t complaints; /* findings that are worse than notes */
    uint64_t buffers, compressed_buffers, events;
} sighting;

sighting decode(const uint8_t *at, size_t size);

/* Whether the bytes are a file with a finding SIZ-003. */
bool has_size_0(const uint8_t *at, size_t size);

#endif
