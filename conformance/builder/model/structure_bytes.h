/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_structure: one structure of structures.def and the bytes that it is written as, read and set by member names.
 * build_span: a run of built bytes. Its places are known from the model, so that nothing is searched or guessed; the
 * decoder's span.h is not used.
 */
#ifndef ETLPROOF_STRUCTURE_BYTES_H
#define ETLPROOF_STRUCTURE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/format.h"

typedef struct build_span {
    const uint8_t *at;
    size_t size;
} build_span;

/* `size` bytes from `at` on, or as many of them as there are. */
build_span build_span_slice(build_span bytes, size_t at, size_t size);
/* A little-endian number of up to 8 bytes, all within the span. */
uint64_t build_span_number(build_span bytes, size_t at, size_t size);

/* TRACE_LOGFILE_HEADER64 is the largest structure. */
#define BUILD_STRUCTURE_MAX ETL_SIZE_TRACE_LOGFILE_HEADER64

/* Bit n of `given`: the caller has set member n, so that neither defaults nor the layout change it. */
typedef struct build_structure {
    etl_structure_id id;
    uint64_t given;
    uint8_t bytes[BUILD_STRUCTURE_MAX];
} build_structure;

/* The structure that members of this kind are, such as TIME_ZONE_INFORMATION; ETL_STRUCTURE_COUNT for other kinds. */
etl_structure_id build_structure_nested(etl_member_kind kind);

/* All bytes zero, no member given. */
build_structure build_structure_make(etl_structure_id id);
/*
 * The structure at the start of built bytes. A truncated number or GUID is 0, also in nested structures; a truncated
 * text keeps its whole characters.
 */
build_structure build_structure_read(etl_structure_id id, build_span bytes);

/* Finds a member by its path: "Size", or "TimeZone.Bias". False if the structure has no such member. */
bool build_structure_find(const build_structure *structure, const char *member, uint32_t *offset, etl_member_kind *kind);

/* Sets a number and marks the member given. False if there is no such member, or it is not a number. */
bool build_structure_set(build_structure *structure, const char *member, uint64_t value);
/* Sets a member's bytes and marks it given. False unless `size` is the member's size. */
bool build_structure_set_bytes(build_structure *structure, const char *member, const uint8_t *bytes, size_t size);

/* Each sets a default: does nothing if the member was given, or there is none of that name. */
void build_structure_fill(build_structure *structure, const char *member, uint64_t value);
/* Sets the first `size` bytes of the member. */
void build_structure_fill_bytes(build_structure *structure, const char *member, const uint8_t *bytes, size_t size);

/* The value of a number, sign-extended if it is signed; 0 if there is no such member. */
uint64_t build_structure_get(const build_structure *structure, const char *member);
/* Whether the caller has set the member, or a member nested in it. */
bool build_structure_is_given(const build_structure *structure, const char *member);

/* The processor that a buffer header names, in any buffer shape. */
uint32_t build_structure_processor(const build_structure *header);

/* Turns `structure` into a copy of `shape`, but members that both have keep their values and whether they were given. */
void build_structure_convert(build_structure *structure, const build_structure *shape);

#endif
