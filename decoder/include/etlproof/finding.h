/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: what a decode noticed, where, and what it did about it.
 */
#ifndef ETLPROOF_FINDING_H
#define ETLPROOF_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"

/* An event or buffer index that does not apply. */
#define ETL_NO_INDEX UINT64_MAX

/* What an offset counts in. */
typedef enum etl_space {
    ETL_SPACE_FILE,    /* bytes of the file */
    ETL_SPACE_INFLATED /* bytes of the inflated buffer, its 0x48-byte header included */
} etl_space;

/* How `actual` should have stood to `expected`. */
typedef enum etl_relation {
    ETL_RELATION_NONE,        /* neither number says anything */
    ETL_RELATION_EQUAL,
    ETL_RELATION_NOT,         /* anything but `expected` */
    ETL_RELATION_AT_LEAST,
    ETL_RELATION_AT_MOST,
    ETL_RELATION_BITS_WITHIN, /* no bit set that is clear in `expected` */
    ETL_RELATION_KNOWN        /* a value of the rule's table; `expected` is not used */
} etl_relation;

typedef struct etl_finding {
    etl_rule rule;
    etl_action action;
    etl_relation relation;
    etl_space space;   /* of `offset` */
    uint64_t offset;   /* of the first byte at fault */
    uint64_t lost;     /* bytes skipped because of it, in `space`; 0 if none */
    uint64_t buffer;   /* index of the buffer, or ETL_NO_INDEX */
    uint64_t event;    /* index of the event, or ETL_NO_INDEX */
    uint64_t expected;
    uint64_t actual;
} etl_finding;

/* Room for all findings that one call can make: 32 extended items with two each, and those of the event around them. */
#define ETL_FINDINGS_MAX 128

/* The findings of one call, oldest first. The caller empties it (count = 0) when it has taken them. */
typedef struct etl_findings {
    uint32_t count;
    bool overflow; /* more than ETL_FINDINGS_MAX: a bug of the decoder */
    etl_finding at[ETL_FINDINGS_MAX];
} etl_findings;

#endif
