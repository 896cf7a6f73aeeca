/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members that the JSON of every vector has, of a trace or of a structure in memory.
 */
#ifndef ETLPROOF_VECTOR_JSON_H
#define ETLPROOF_VECTOR_JSON_H

#include "json/json_object.h"
#include "model/vector.h"

/* A key of the outermost object, on a line of its own. */
void build_vector_json_key(build_chunk *out, const char *key);
/* A key with a text; nothing if `text` is NULL. */
void build_vector_json_text(build_chunk *out, const char *key, const char *text);

/* The place of the fault: that of the first finding of the vector's rule, or the patch. False if there is no fault. */
bool build_vector_json_fault_place(const build_vector *vector, build_place *place);

/* The place of the fault as an offset after the patch. */
typedef struct build_fault {
    enum { BUILD_FAULT_NONE, BUILD_FAULT_IN_FILE, BUILD_FAULT_INFLATED } kind;
    uint64_t offset;
} build_fault;

/* Opens the outermost object and writes the keys from "id" to "sha256". */
void build_vector_json_put_head(build_chunk *out, const build_vector *vector, const build_fault *fault, uint64_t size,
                                const char *sha256);

/* Starts the next record of "expect" on a line of its own. */
void build_vector_json_next_record(build_chunk *out);
/* Opens the record of a finding and writes its fields up to "offset". */
build_json_object build_vector_json_open_finding(build_chunk *out, const build_claimed_finding *finding, uint64_t offset);
/* Writes its fields from "expected" on, and closes it. */
void build_vector_json_close_finding(build_json_object *object, const build_claimed_finding *finding);

/* True for a rule of group writer: no decode reports it, only `etlproof validate --profile writer` does. */
bool build_vector_json_is_of_writer(const build_claimed_finding *finding);
/* The number of findings of a severity in the expected decode. */
uint64_t build_vector_json_count_findings(const build_vector *vector, etl_severity severity);
/* Adds the member "findings": the counts of all reported severities. */
void build_vector_json_put_findings(build_json_object *object, const build_vector *vector);
/* False with `*why` set if the verdict contradicts the findings. `conforms`: the expected decode is conforming. */
bool build_vector_json_check_verdict(const build_vector *vector, bool conforms, const char **why);

#endif
