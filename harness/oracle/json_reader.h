/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict reader of JSON: exactly RFC 8259, without invalid UTF-8, duplicate keys, or text after the value. Also
 * checks that text is safe to print on a terminal.
 */
#ifndef ETLPROOF_ORACLE_JSON_READER_H
#define ETLPROOF_ORACLE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

/* Nested objects and arrays, and members of an object: more than any record has. */
#define ORACLE_JSON_DEPTH_MAX 48u
#define ORACLE_JSON_MEMBERS_MAX 128u

typedef struct oracle_slice {
    const char *at;
    size_t size;
} oracle_slice;

/* Whether the slice starts with `size` bytes. Without memcmp, whose operands libFuzzer keeps to put them into inputs. */
bool oracle_slice_starts(oracle_slice slice, const char *at, size_t size);
/* Whether it is this text. */
bool oracle_slice_is(oracle_slice slice, const char *text);
/* Takes `size` bytes off the front, if the slice starts with them. */
bool oracle_slice_takes(oracle_slice *slice, const char *at, size_t size);
/* Takes all up to the next `size` bytes that are these, and these; false, and all is taken, if they do not follow. */
bool oracle_slice_seeks(oracle_slice *slice, const char *at, size_t size);
/* Takes a line, with its newline if it has one. */
oracle_slice oracle_slice_line(oracle_slice *slice);

typedef enum oracle_json_kind {
    ORACLE_JSON_TEXT,   /* without its quotes; escapes stay as they are written */
    ORACLE_JSON_NUMBER, /* as it is written */
    ORACLE_JSON_WORD    /* true, false or null */
} oracle_json_kind;

/* A value that is neither object nor array, and its place. */
typedef struct oracle_json_value {
    oracle_json_kind kind;
    oracle_slice text;
    unsigned depth; /* 1: a member of the outermost object */
    /* keys[n]: the member at depth n + 1 that is or contains the value; an element of an array has the key of the array */
    oracle_slice keys[ORACLE_JSON_DEPTH_MAX];
} oracle_json_value;

/* Takes each value in order; false ends the reading. */
typedef bool oracle_json_sink(void *context, const oracle_json_value *value);

/* Whether `text` is one JSON object. If not, or if the sink returned false, `*why` has the reason and `*at` the offset.
   */
bool oracle_json_object(oracle_slice text, oracle_json_sink *sink, void *context, const char **why, size_t *at);

/* Whether `text` is UTF-8 without control characters except line ends; if not, `*why` has the reason. */
bool oracle_json_printable(oracle_slice text, const char **why);

#endif
