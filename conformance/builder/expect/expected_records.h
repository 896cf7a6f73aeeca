/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records of a built trace, with the names and formats of `etlproof decode --payload both`. Each function appends
 * one JSON object.
 */
#ifndef ETLPROOF_EXPECTED_RECORDS_H
#define ETLPROOF_EXPECTED_RECORDS_H

#include "expect/outcome_plan.h"
#include "json/json_object.h"

/* The logfile header must be known. */
void build_record_of_trace(const build_outcome_plan *plan, build_field_overrides *overrides, build_chunk *out);
/* `used`: bytes of the compressed stream that a reader inflates. */
void build_record_of_buffer(const build_outcome_plan *plan, size_t b, uint64_t used, build_field_overrides *overrides,
                            build_chunk *out);
void build_record_of_event(const build_outcome_plan *plan, size_t b, size_t i, build_field_overrides *overrides,
                           build_chunk *out);

/* Whether the buffer is compressed and its header, after the patch, has the flag COMPRESSED. */
bool build_record_is_compressed(const build_outcome_plan *plan, size_t b);

#endif
