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

/* What the first words of a structure are. */
typedef enum etl_sieve_mark {
    ETL_SIEVE_LIST_X86, /* two addresses of the kernel's half, of 4 bytes */
    ETL_SIEVE_LIST_X64, /* of 8 bytes, a word each */
    ETL_SIEVE_SESSION,  /* LoggerId and BufferSize */
    ETL_SIEVE_TIME,     /* FILETIME */
    ETL_SIEVE_MARKS
} etl_sieve_mark;

/* Contenders whose beginnings look the same. */
typedef struct etl_sieve_group {
    etl_sieve_mark mark;
    uint32_t mark_offset;   /* of the word with the mark, in the structure: 0 or 8 */
    uint32_t enable_offset; /* of TRACE_ENABLE_INFO structures, one after the other; 0 if there are none */
    uint32_t enable_count, enable_size;
    uint64_t enable_clear;  /* bits of the first word of each that are clear */
    uint32_t count;
    uint8_t contenders[64]; /* indexes of the ranking */
    uint16_t keys[64];      /* for each, where a member lies that none in use is without: its name, or its references */
} etl_sieve_group;

typedef struct etl_sieve {
    const etl_ranking *ranking;
    uint32_t count;
    etl_sieve_group groups[ETL_SIEVE_GROUPS];
} etl_sieve;

/* The best contender of a place. */
typedef struct etl_sieve_hit {
    uint64_t offset; /* from the start of the span */
    const etl_contender *contender;
    int32_t score;
    int32_t margin; /* points that it is ahead of the next one there */
} etl_sieve_hit;

void etl_sieve_open(etl_sieve *sieve, const etl_ranking *ranking);

/* Looks for structures that begin within the first `size` bytes. */
typedef struct etl_sieve_walk {
    const etl_sieve *sieve;
    etl_span bytes;
    size_t size;
    size_t at;       /* of the words that the marks are of */
    uint64_t marks[2][ETL_SIEVE_MARKS]; /* of these words, and of those behind: a bit each */
    uint64_t groups[ETL_SIEVE_GROUPS];  /* of these words, those that a structure of the group may begin with */
    uint64_t places;                    /* of all groups, those that are still to be looked at */
} etl_sieve_walk;

etl_sieve_walk etl_sieve_search(const etl_sieve *sieve, etl_span bytes, size_t size);
/* The next place where a contender has `threshold` points or more; false at the end. */
bool etl_sieve_next(etl_sieve_walk *walk, int32_t threshold, etl_sieve_hit *hit);

#endif
