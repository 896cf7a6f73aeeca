/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks and reads the payloads of events that carry a schema. schemas.c calls this.
 */
#ifndef ETLPROOF_PAYLOAD_EVENT_INFO_H
#define ETLPROOF_PAYLOAD_EVENT_INFO_H

#include "etlproof/schemas.h"
#include "span.h"

/*@ predicate checkable{L}(etl_event *event, etl_findings *findings) =
  @   etl_event_parts(event) && \valid(findings) && findings->count <= ETL_FINDINGS_MAX && \separated(event, findings) &&
  @   \separated(findings, event->bytes.at + (0 .. event->bytes.size - 1)); */

/*
 * Whether the payload is a TRACE_EVENT_INFO, or the GUID of a provider and an EVENT_MAP_INFO, that can be used.
 * Findings: MET-007 to MET-010, at most one of each.
 */
/*@ requires checkable(event, findings);
  @ assigns *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
bool etl_event_info_check(const etl_event *event, etl_findings *findings);
/*@ requires checkable(event, findings);
  @ assigns *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
bool etl_event_map_check(const etl_event *event, etl_findings *findings);

/*@ requires etl_readable(a) && etl_readable(b);
  @ assigns \nothing; */
bool etl_same_bytes(etl_span a, etl_span b);

/* The metadata of the events that a TRACE_EVENT_INFO describes; it was checked. */
/*@ requires etl_readable(info) && \valid(metadata);
  @ assigns *metadata;
  @ ensures metadata->form == ETL_METADATA_FORM_EVENT_INFO && metadata->info == info;
  @ ensures etl_within(metadata->fields, info) && etl_metadata_readable(metadata); */
void etl_event_info_metadata(etl_span info, uint32_t process, etl_metadata *metadata);

/* The map in a payload, which was checked. */
/*@ requires etl_readable(data);
  @ assigns \nothing;
  @ ensures etl_readable(\result.name) && \result.name.size <= data.size;
  @ ensures etl_readable(\result.info) && etl_within(\result.info, data); */
etl_map etl_event_map(etl_span data);

/* Whether that map has the name. Reads no more bytes than `name` has, and a NUL. */
/*@ requires etl_readable(data) && etl_readable(name);
  @ assigns \nothing; */
bool etl_event_map_has_name(etl_span data, etl_span name);

#endif
