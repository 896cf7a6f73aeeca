/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records of what was written, as `etlproof decode --payload hex` names and formats them. Each adds one JSON object.
 */
#ifndef ETLPROOF_RECORDS_H
#define ETLPROOF_RECORDS_H

#include "expect/outcome_plan.h"

/* Of a file whose logfile header is known. */
void build_record_of_trace(const build_outcome_plan *fates, build_field_overrides *overrides, build_chunk *out);
/* `used`: bytes of the compressed stream that are read. */
void build_record_of_buffer(const build_outcome_plan *fates, size_t b, uint64_t used, build_field_overrides *overrides,
                            build_chunk *out);
void build_record_of_event(const build_outcome_plan *fates, size_t b, size_t i, build_field_overrides *overrides,
                           build_chunk *out);

/* Whether flag COMPRESSED is set, and rightly so. */
bool build_record_is_compressed(const build_outcome_plan *fates, size_t b);

/* items.c: what the item holds, as fields of its object. */
void build_item_fields(build_json_object *object, uint16_t type, build_span data);

#endif
