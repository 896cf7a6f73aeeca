/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the work of the decoder that no outcome shows: the bytes that it searches and inflates. The linker puts functions
 * of work_count.c in front of the decoder's searches and its inflater (--wrap), so that the decoder needs no counters.
 */
#ifndef ETLPROOF_ORACLE_WORK_COUNT_H
#define ETLPROOF_ORACLE_WORK_COUNT_H

#include <stdint.h>

typedef struct oracle_work {
    uint64_t searched;   /* bytes that searches for a buffer passed */
    uint64_t walked;     /* bytes that searches for an event passed */
    uint64_t inflations; /* how often a stream was inflated */
    uint64_t inflated;   /* bytes that inflating read and made */
} oracle_work;

/* The work since the last call. */
oracle_work oracle_work_take(void);

#endif
