/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers the schemas of a trace in memory that grows with them. decode, validate and schema call this.
 */
#include "records/trace_schemas.h"

#include <stdlib.h>

#include "io/pull.h"

/* Bytes of schemas that are kept of a file. Real files have less than one MiB. */
#define SCHEMAS_MOST ((size_t)64 << 20)
#define SCHEMAS_FIRST ((size_t)256 << 10)

static etl_schemas *new_set(void)
{
    etl_schemas *set = malloc(sizeof *set);
    if (set != NULL)
        etl_schemas_init(set, (etl_scratch){0});
    return set;
}

/* Room for `need` more bytes, unless that is too much: then the schema is refused. */
static void reserve(etl_schemas *set, size_t need)
{
    size_t size = set->memory.size > 0 ? set->memory.size : SCHEMAS_FIRST;
    while (size - set->used < need && size < SCHEMAS_MOST)
        size *= 2;
    if (size == set->memory.size)
        return;
    uint8_t *at = realloc(set->memory.at, size);
    if (at != NULL)
        set->memory = (etl_scratch){at, size};
}

bool tool_schemas_take(tool_schemas *schemas, const etl_event *event, etl_findings *findings)
{
    const size_t need = etl_schemas_need(event);
    if (need == 0)
        return false;
    if (schemas->set == NULL)
        schemas->set = new_set();
    if (schemas->set == NULL)
        return true;
    if (!schemas->set->closed)
        reserve(schemas->set, need);
    return etl_schemas_take(schemas->set, event, findings);
}

static void take_all(tool_schemas *schemas, tool_pull *pull)
{
    etl_outcome outcome;
    while ((outcome = tool_pull_next(pull)) != ETL_END)
        if (outcome == ETL_EVENT)
            (void)tool_schemas_take(schemas, &pull->reader.event, &pull->reader.findings);
}

void tool_schemas_gather(tool_schemas *schemas, const tool_input *input, etl_limits limits, tool_output *out)
{
    tool_input again;
    tool_pull pull;
    if (!tool_input_open_view(&again, input))
        return;
    tool_pull_open(&pull, &again, limits, out, true);
    take_all(schemas, &pull);
    if (schemas->set != NULL)
        schemas->set->closed = pull.fault == TOOL_PULL_NONE;
    tool_pull_close(&pull);
    tool_input_close(&again);
}

bool tool_schemas_describe(const tool_schemas *schemas, const etl_event *event, etl_metadata *metadata)
{
    return etl_metadata_read(event, metadata) ||
           (schemas->set != NULL && etl_schemas_find(schemas->set, event, metadata)) ||
           etl_metadata_classic(event, metadata);
}

void tool_schemas_close(tool_schemas *schemas)
{
    if (schemas->set != NULL)
        free(schemas->set->memory.at);
    free(schemas->set);
    schemas->set = NULL;
}
