/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records of what was written, as `etlproof decode --payload hex` names and formats them. Each adds one JSON object.
 */
#ifndef ETLPROOF_RECORDS_H
#define ETLPROOF_RECORDS_H

#include "fate.h"

/* Of a file whose logfile header is known. */
void etl_record_of_trace(const etl_fates *fates, etl_overrides *overrides, etl_chunk *out);
/* `used`: bytes of the compressed stream that are read. */
void etl_record_of_buffer(const etl_fates *fates, size_t b, uint64_t used, etl_overrides *overrides, etl_chunk *out);
void etl_record_of_event(const etl_fates *fates, size_t b, size_t i, etl_overrides *overrides, etl_chunk *out);

/* Whether flag COMPRESSED is set, and rightly so. */
bool etl_record_is_compressed(const etl_fates *fates, size_t b);

/* items.c: what the item holds, as fields of its object. */
void etl_item_fields(etl_object *object, uint16_t type, etl_bytes data);

#endif
