/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A field as metadata describes it, read a second time by code of the oracles' own.
 */
#ifndef ETLPROOF_ORACLE_DESCRIBED_FIELD_H
#define ETLPROOF_ORACLE_DESCRIBED_FIELD_H

#include "etlproof/payload.h"

typedef struct described {
    uint32_t at;    /* TRACELOGGING: its offset in the metadata; otherwise its number */
    uint32_t place; /* in the event: of the description, or else of the value; set by the walk */
    etl_span name, map;
    unsigned type, out, tag;
    etl_count_form count_form;
    uint32_t count;
    etl_size_form size_form;
    uint32_t size;
    unsigned members;    /* of a structure */
    uint32_t members_at; /* where they are described, as `at` */
    bool optional;
} described;

/* Reads the description at `*at`, and moves `*at` behind it. False if it does not fit, or if there is none. */
bool oracle_describe(const etl_metadata *metadata, uint32_t *at, described *d);

/* UTF-16 in `info`, without its NUL; empty at offset 0 and outside. */
etl_span oracle_text_in(etl_span info, uint32_t offset);

/* Whether the row of out_types.def is the one with the number that the metadata states. */
bool oracle_out_type_is(etl_metadata_form form, unsigned number, unsigned row);

#endif
