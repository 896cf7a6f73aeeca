/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the descriptions of fields, one at a time.
 */
#ifndef ETLPROOF_PAYLOAD_METADATA_H
#define ETLPROOF_PAYLOAD_METADATA_H

#include "etlproof/payload.h"

/*
 * Reads the description at `at` of metadata->fields. `*after` is where the next one starts; for a STRUCT its first member
 * starts there. False at the end, and where the description does not fit (PAY-001).
 */
/*@ requires \valid_read(metadata) && \valid_read(metadata->fields.at + (0 .. metadata->fields.size - 1));
  @ requires metadata->fields.size <= UINT16_MAX && metadata->fields_at <= UINT32_MAX - UINT16_MAX;
  @ requires \valid(field) && \valid(after) && \separated(metadata, field, after);
  @ assigns *field, *after;
  @ ensures \result ==> at < *after <= metadata->fields.size; */
bool etl_tracelogging_field(const etl_metadata *metadata, uint32_t at, etl_field *field, uint32_t *after);

/*
 * The same for a TRACE_EVENT_INFO: reads number `index` of its EVENT_PROPERTY_INFOs. `*work` is how many bytes were read,
 * those of its name included. False if there is none.
 */
/*@ requires etl_metadata_readable(metadata) && \valid(field) && \valid(work) && \separated(metadata, field, work);
  @ assigns *field, *work; */
bool etl_event_info_field(const etl_metadata *metadata, uint32_t index, etl_field *field, uint32_t *work);

/* The same for a classic event: field number `index` of its class. */
/*@ requires \valid_read(metadata) && \valid(field) && \separated(metadata, field);
  @ assigns *field; */
bool etl_classic_field(const etl_metadata *metadata, uint32_t index, etl_field *field);

#endif
