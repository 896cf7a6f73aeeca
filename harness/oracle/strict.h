/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text as RFC 8259 has it, and no more than that: no byte that is no UTF-8, no key twice, nothing behind the value.
 * And text that a terminal can show.
 */
#ifndef ETLPROOF_STRICT_H
#define ETLPROOF_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* Objects and arrays in one another, and members of an object: more than any record has. */
#define ETL_STRICT_DEPTH_MAX 16u
#define ETL_STRICT_MEMBERS_MAX 128u

typedef struct etl_slice {
    const char *at;
    size_t size;
} etl_slice;

bool etl_slice_is(etl_slice slice, const char *text);

typedef enum etl_strict_kind {
    ETL_STRICT_TEXT,   /* its escapes are as they are written, its quotes gone */
    ETL_STRICT_NUMBER, /* as it is written */
    ETL_STRICT_WORD    /* true, false or null */
} etl_strict_kind;

/* A value that is no object and no array, and where it stands. */
typedef struct etl_strict_value {
    etl_strict_kind kind;
    etl_slice text;
    unsigned depth; /* 1: a member of the outermost object */
    /* keys[n]: of the member at depth n + 1 that the value is, or is in; an element of an array has that of the array */
    etl_slice keys[ETL_STRICT_DEPTH_MAX];
} etl_strict_value;

/* Takes each value in order; false ends the reading. */
typedef bool etl_strict_sink(void *context, const etl_strict_value *value);

/* Whether `text` is one JSON object. If not, or if the sink said stop, `*why` says what is wrong and `*at` where. */
bool etl_strict_object(etl_slice text, etl_strict_sink *sink, void *context, const char **why, size_t *at);

/* Whether `text` is UTF-8 without control characters but the ends of its lines; if not, `*why` says so. */
bool etl_strict_printable(etl_slice text, const char **why);

#endif
