/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an instrumentation manifest into the schemas that a merged trace carries: one kind of schema for all.
 */
#ifndef ETLPROOF_RECORDS_MANIFEST_SCHEMAS_H
#define ETLPROOF_RECORDS_MANIFEST_SCHEMAS_H

#include "etlproof/schemas.h"

#include "records/manifest_model.h"

/* Takes the payload of an event that would carry the schema; it is valid until this returns. False ends the work. */
typedef bool manifest_take(void *context, etl_schema_kind kind, etl_span payload);

/* A TRACE_EVENT_INFO for each event, and an EVENT_MAP_INFO for each map. False if `take` returned it, or without memory. */
bool manifest_schemas(manifest_model *model, manifest_take *take, void *context);

#endif
