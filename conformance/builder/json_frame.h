/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the JSON of every vector has, be it of a trace or of a structure in memory.
 */
#ifndef ETLPROOF_JSON_FRAME_H
#define ETLPROOF_JSON_FRAME_H

#include "json_text.h"
#include "vector.h"

/* A key of the outermost object, on a line of its own. */
void etl_frame_key(etl_chunk *out, const char *key);
/* The same with a text, unless that is NULL. */
void etl_frame_text(etl_chunk *out, const char *key, const char *text);

/* Where the fault is: the first finding of the vector's rule, or what was patched; false if there is none. */
bool etl_frame_fault(const etl_vector *vector, etl_place *place);

/* The same as an offset after the patch. */
typedef struct etl_fault {
    enum { ETL_FAULT_NONE, ETL_FAULT_IN_FILE, ETL_FAULT_INFLATED } kind;
    uint64_t offset;
} etl_fault;

/* Opens the outermost object and writes the keys from "id" to "sha256". */
void etl_frame_put(etl_chunk *out, const etl_vector *vector, const etl_fault *fault, uint64_t size, const char *sha256);

/* Goes to the next record of "expect", on a line of its own. */
void etl_frame_next_record(etl_chunk *out);
/* A finding up to its offset, and from "expected" on. */
etl_object etl_frame_finding(etl_chunk *out, const etl_claimed_finding *finding, uint64_t offset);
void etl_frame_finding_end(etl_object *object, const etl_claimed_finding *finding);

/* How many findings of a severity there are. */
uint64_t etl_frame_count(const etl_vector *vector, etl_severity severity);
/* The counts of all severities that are reported, as the member "findings". */
void etl_frame_counts(etl_object *object, const etl_vector *vector);
/* Whether `accept` or `reject` is what the findings say; sets `*why` if not. */
bool etl_frame_verdict_follows(const etl_vector *vector, bool conforms, const char **why);

#endif
