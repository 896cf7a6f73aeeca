/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a large memory image structures may lie: what is cheap to see of every place, before any is looked at closely.
 */
#ifndef ETLPROOF_LAYOUT_SIEVE_H
#define ETLPROOF_LAYOUT_SIEVE_H

#include "layout/rank.h"

/* All structures are aligned to 8 bytes: each has a member of 8 bytes. */
#define ETL_SIEVE_STEP 8u

/* More than there are ways to begin. */
#define ETL_SIEVE_GROUPS 16u

/* What a structure begins with. */
typedef enum etl_sieve_mark {
    ETL_SIEVE_LIST_X86, /* a word of two addresses of the kernel's half */
    ETL_SIEVE_LIST_X64, /* two words of one each */
    ETL_SIEVE_SESSION,  /* LoggerId and BufferSize, and MaximumEventSize in the word behind */
    ETL_SIEVE_TIME,     /* FILETIME */
    ETL_SIEVE_MARKS
} etl_sieve_mark;

/* A contender, and where members lie that none in use is without. */
typedef struct etl_sieve_candidate {
    const etl_contender *contender;
    uint32_t references, registrations; /* of a provider: RefCount, RegListHead */
    uint32_t id, name;                  /* of a session: LoggerId, LoggerName */
    bool again;                         /* all of them where the candidate before has them */
} etl_sieve_candidate;

/* Contenders whose beginnings look the same. */
typedef struct etl_sieve_group {
    etl_sieve_mark mark;
    uint32_t mark_offset;   /* of the word with the mark, in the structure: 0 or 8 */
    uint32_t enable_offset; /* of TRACE_ENABLE_INFO structures, one after the other; 0 if there are none */
    uint32_t count;
    etl_sieve_candidate at[64];
} etl_sieve_group;

typedef struct etl_sieve {
    const etl_ranking *ranking;
    uint32_t count;
    etl_sieve_group groups[ETL_SIEVE_GROUPS];
} etl_sieve;

/* The best of all contenders at a place. */
typedef struct etl_sieve_hit {
    uint64_t offset; /* from the start of the span */
    const etl_contender *contender;
    int32_t score;
    int32_t margin; /* points that it is ahead of the next one there that reads the bytes otherwise */
} etl_sieve_hit;

void etl_sieve_open(etl_sieve *sieve, const etl_ranking *ranking);

/* Looks for structures that begin within the first `size` bytes. */
typedef struct etl_sieve_walk {
    const etl_sieve *sieve;
    etl_span bytes;
    size_t size;
    size_t at;                         /* of the block that is looked at */
    uint32_t sight;                    /* what is seen at a glance of this block, and of the two behind */
    uint32_t groups[ETL_SIEVE_GROUPS]; /* a bit for each word of the block that a structure of the group may begin with */
    uint32_t places;                   /* of all groups, those that are still to be looked at */
} etl_sieve_walk;

etl_sieve_walk etl_sieve_search(const etl_sieve *sieve, etl_span bytes, size_t size);
/* The next place where one of the contenders that it is not ruled out for has `threshold` points or more; false at the
   end. */
bool etl_sieve_next(etl_sieve_walk *walk, int32_t threshold, etl_sieve_hit *hit);

#endif
