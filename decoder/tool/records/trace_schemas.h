/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemas that a trace carries for its own events: TRACE_EVENT_INFO, and EventSource manifests, which are turned into
 * it. Memory grows with them, up to a limit (MET-012).
 */
#ifndef ETLPROOF_RECORDS_TRACE_SCHEMAS_H
#define ETLPROOF_RECORDS_TRACE_SCHEMAS_H

#include "etlproof/etlproof.h"
#include "etlproof/schemas.h"

#include "io/output.h"
#include "io/windowed_input.h"
#include "records/manifest_chunks.h"

typedef struct tool_schemas {
    etl_schemas *set;        /* NULL as long as there is none */
    manifest_chunks *chunks; /* of manifests that lack parts; NULL if there are none */
    bool gathering;          /* the trace is read for its schemas only */
    bool gathered;           /* all of them are known */
    etl_finding *faults;     /* of manifests, found while gathering or at the end; sorted by event */
    size_t fault_count, fault_room;
} tool_schemas;

/*
 * Reads all of `input` once, and gathers its schemas. Findings are left for the second time. An input that cannot be read
 * twice is not read; its events can be decoded with the schemas in front of them. `out` is flushed before reading waits.
 */
void tool_schemas_gather(tool_schemas *schemas, const tool_input *input, etl_limits limits, tool_output *out);

/*
 * Adds the schemas of a manifest that the user has, for events that the trace itself has none for. False if it cannot be
 * read, with the reason on standard error.
 */
bool tool_schemas_add_manifest(tool_schemas *schemas, const char *path);

/* Checks the schema that the event carries, and keeps it unless all were gathered. False if it carries none. */
bool tool_schemas_take(tool_schemas *schemas, const etl_event *event, etl_findings *findings);

/* After the last event, where the trace is read once: manifests that lack parts are in `faults`. */
void tool_schemas_end(tool_schemas *schemas);

/* What describes the payload of an event: the event itself, a schema of the trace, or a table. False if nothing does. */
bool tool_schemas_describe(const tool_schemas *schemas, const etl_event *event, etl_metadata *metadata);

void tool_schemas_close(tool_schemas *schemas);

#endif
