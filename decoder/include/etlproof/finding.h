/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding: a rule that the file breaks, the offset, and what the decoder did about it.
 */
#ifndef ETLPROOF_FINDING_H
#define ETLPROOF_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"

/* The event or buffer index of a finding that belongs to none. */
#define ETL_NO_INDEX UINT64_MAX

/* The bytes that an offset counts. */
typedef enum etl_space {
    ETL_SPACE_FILE,    /* bytes of the file */
    ETL_SPACE_INFLATED /* bytes of the inflated buffer, with its 0x48-byte header */
} etl_space;

/* The relation of `actual` to `expected` that the rule asks for. */
typedef enum etl_relation {
    ETL_RELATION_NONE,        /* neither number is used */
    ETL_RELATION_EQUAL,
    ETL_RELATION_NOT,         /* any value except `expected` */
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
    uint64_t lost;     /* bytes skipped because of the fault, in `space`; 0 if none */
    uint64_t buffer;   /* index of the buffer, or ETL_NO_INDEX */
    uint64_t event;    /* index of the event, or ETL_NO_INDEX */
    uint64_t expected;
    uint64_t actual;
} etl_finding;

/* More than one call can make: two for each of 32 extended data items, and those of the event around them. */
#define ETL_FINDINGS_MAX 128

/* The findings of one call, oldest first. The caller takes them and sets `count` to 0. */
typedef struct etl_findings {
    uint32_t count;
    bool overflow; /* more than ETL_FINDINGS_MAX: a bug of the decoder */
    etl_finding at[ETL_FINDINGS_MAX];
} etl_findings;

#endif
