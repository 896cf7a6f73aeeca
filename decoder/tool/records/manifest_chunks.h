/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EventSource manifests in the events of a trace: put together from their parts, and turned into schemas.
 */
#ifndef ETLPROOF_RECORDS_MANIFEST_CHUNKS_H
#define ETLPROOF_RECORDS_MANIFEST_CHUNKS_H

#include "etlproof/etlproof.h"
#include "etlproof/schemas.h"

/* Adds a schema to the set, which may grow for it; `process` as for etl_schemas_add. */
typedef etl_schema_added manifest_add_schema(void *context, etl_schema_kind kind, uint32_t process, etl_span payload);

typedef struct manifest_chunks manifest_chunks;

/* NULL if there is no memory. `add` is called with `context` for each schema of each manifest. */
manifest_chunks *manifest_chunks_new(manifest_add_schema *add, void *context);

/* Whether the event carries a part of a manifest that this build of the command can read. */
bool manifest_chunks_is_part(const etl_event *event);

/* Takes a part; with the last one, the manifest is read. Findings, at most one: MET-012 to MET-014, of any of its parts. */
void manifest_chunks_take(manifest_chunks *chunks, const etl_event *event, etl_findings *findings);

/* At the end of the trace: takes a manifest that lacks parts, with a finding (MET-013). False if none is left. */
bool manifest_chunks_end(manifest_chunks *chunks, etl_findings *findings);

void manifest_chunks_free(manifest_chunks *chunks);

#endif
