/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemas that a trace carries for its own events. Memory grows with them, up to a limit (MET-012).
 */
#ifndef ETLPROOF_RECORDS_TRACE_SCHEMAS_H
#define ETLPROOF_RECORDS_TRACE_SCHEMAS_H

#include "etlproof/etlproof.h"
#include "etlproof/schemas.h"

#include "io/output.h"
#include "io/windowed_input.h"

typedef struct tool_schemas {
    etl_schemas *set; /* NULL as long as there is none */
} tool_schemas;

/*
 * Reads all of `input` once, and gathers its schemas. Findings are left for the second time. An input that cannot be read
 * twice is not read; its events can be decoded with the schemas in front of them. `out` is flushed before reading waits.
 */
void tool_schemas_gather(tool_schemas *schemas, const tool_input *input, etl_limits limits, tool_output *out);

/* Checks the schema that the event carries, and keeps it unless all were gathered. False if it carries none. */
bool tool_schemas_take(tool_schemas *schemas, const etl_event *event, etl_findings *findings);

/* What describes the payload of an event: the event itself, a schema of the trace, or a table. False if nothing does. */
bool tool_schemas_describe(const tool_schemas *schemas, const etl_event *event, etl_metadata *metadata);

void tool_schemas_close(tool_schemas *schemas);

#endif
