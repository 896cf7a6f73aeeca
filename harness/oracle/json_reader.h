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
#define ORACLE_STRICT_DEPTH_MAX 16u
#define ORACLE_STRICT_MEMBERS_MAX 128u

typedef struct oracle_slice {
    const char *at;
    size_t size;
} oracle_slice;

bool oracle_slice_is(oracle_slice slice, const char *text);

typedef enum oracle_strict_kind {
    ORACLE_STRICT_TEXT,   /* its escapes are as they are written, its quotes gone */
    ORACLE_STRICT_NUMBER, /* as it is written */
    ORACLE_STRICT_WORD    /* true, false or null */
} oracle_strict_kind;

/* A value that is no object and no array, and where it stands. */
typedef struct oracle_strict_value {
    oracle_strict_kind kind;
    oracle_slice text;
    unsigned depth; /* 1: a member of the outermost object */
    /* keys[n]: of the member at depth n + 1 that the value is, or is in; an element of an array has that of the array */
    oracle_slice keys[ORACLE_STRICT_DEPTH_MAX];
} oracle_strict_value;

/* Takes each value in order; false ends the reading. */
typedef bool oracle_strict_sink(void *context, const oracle_strict_value *value);

/* Whether `text` is one JSON object. If not, or if the sink said stop, `*why` says what is wrong and `*at` where. */
bool oracle_strict_object(oracle_slice text, oracle_strict_sink *sink, void *context, const char **why, size_t *at);

/* Whether `text` is UTF-8 without control characters but the ends of its lines; if not, `*why` says so. */
bool oracle_strict_printable(oracle_slice text, const char **why);

#endif
