/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the JSON of every vector has, be it of a trace or of a structure in memory.
 */
#ifndef ETLPROOF_JSON_FRAME_H
#define ETLPROOF_JSON_FRAME_H

#include "json/json_text.h"
#include "model/vector.h"

/* A key of the outermost object, on a line of its own. */
void build_vector_json_key(build_chunk *out, const char *key);
/* The same with a text, unless that is NULL. */
void build_vector_json_text(build_chunk *out, const char *key, const char *text);

/* Where the fault is: the first finding of the vector's rule, or what was patched; false if there is none. */
bool build_vector_json_fault_place(const build_vector *vector, build_place *place);

/* The same as an offset after the patch. */
typedef struct build_fault {
    enum { BUILD_FAULT_NONE, BUILD_FAULT_IN_FILE, BUILD_FAULT_INFLATED } kind;
    uint64_t offset;
} build_fault;

/* Opens the outermost object and writes the keys from "id" to "sha256". */
void build_vector_json_put_head(build_chunk *out, const build_vector *vector, const build_fault *fault, uint64_t size,
                                const char *sha256);

/* Goes to the next record of "expect", on a line of its own. */
void build_vector_json_next_record(build_chunk *out);
/* A finding up to its offset, and from "expected" on. */
build_json_object build_vector_json_open_finding(build_chunk *out, const build_claimed_finding *finding, uint64_t offset);
void build_vector_json_close_finding(build_json_object *object, const build_claimed_finding *finding);

/* How many findings of a severity there are. */
uint64_t build_vector_json_count_findings(const build_vector *vector, etl_severity severity);
/* The counts of all severities that are reported, as the member "findings". */
void build_vector_json_put_findings(build_json_object *object, const build_vector *vector);
/* Whether `accept` or `reject` is what the findings say; sets `*why` if not. */
bool build_vector_json_check_verdict(const build_vector *vector, bool conforms, const char **why);

#endif
