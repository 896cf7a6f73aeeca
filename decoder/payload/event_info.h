/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks and reads the payloads of events that carry a schema. schemas.c calls this.
 */
#ifndef ETLPROOF_PAYLOAD_EVENT_INFO_H
#define ETLPROOF_PAYLOAD_EVENT_INFO_H

#include "etlproof/schemas.h"

/*
 * Whether the payload is a TRACE_EVENT_INFO, or the GUID of a provider and an EVENT_MAP_INFO, that can be used.
 * Findings: MET-007 to MET-010, at most one of each.
 */
bool etl_event_info_check(const etl_event *event, etl_findings *findings);
bool etl_event_map_check(const etl_event *event, etl_findings *findings);

/* The metadata of the events that a TRACE_EVENT_INFO describes; it was checked. */
void etl_event_info_metadata(etl_span info, uint32_t process, etl_metadata *metadata);

/* The map in a payload, which was checked. */
etl_map etl_event_map(etl_span data);

/* Whether that map has the name. Reads no more bytes than `name` has, and a NUL. */
bool etl_event_map_has_name(etl_span data, etl_span name);

#endif
