/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers the schemas of a trace in memory that grows with them. decode, validate and schema call this.
 */
#include "records/trace_schemas.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/command.h"
#include "io/files.h"
#include "io/pull.h"
#include "records/manifest_schemas.h"
#include "records/manifest_xml.h"

/* Bytes of schemas that are kept of a file. Real files have less than one MiB. */
#define SCHEMAS_MOST ((size_t)64 << 20)
#define SCHEMAS_FIRST ((size_t)256 << 10)

/* The set; a new one if there is none. NULL if there is no memory. */
static etl_schemas *set_of(tool_schemas *schemas)
{
    if (schemas->set == NULL) {
        schemas->set = malloc(sizeof *schemas->set);
        if (schemas->set != NULL)
            etl_schemas_init(schemas->set, (etl_scratch){0});
    }
    return schemas->set;
}

/* Room for `need` more bytes, unless that is too much: then the schema is refused. */
static void reserve(etl_schemas *set, size_t need)
{
    size_t size = set->memory.size > 0 ? set->memory.size : SCHEMAS_FIRST;
    while (size - set->used < need && size < SCHEMAS_MOST)
        size *= 2;
    if (set->closed || size == set->memory.size)
        return;
    uint8_t *at = realloc(set->memory.at, size);
    if (at != NULL)
        set->memory = (etl_scratch){at, size};
}

/* Manifests. */

static etl_schema_added add_schema(void *context, etl_schema_kind kind, uint32_t process, etl_span payload)
{
    etl_schemas *set = set_of(context);
    if (set == NULL)
        return ETL_SCHEMA_NO_ROOM;
    reserve(set, etl_schemas_room(payload.size));
    return etl_schemas_add(set, kind, process, payload);
}

static void keep_fault(tool_schemas *schemas, const etl_finding *fault)
{
    if (schemas->fault_count == schemas->fault_room) {
        const size_t room = schemas->fault_room > 0 ? 2 * schemas->fault_room : 16;
        etl_finding *faults = realloc(schemas->faults, room * sizeof *faults);
        if (faults == NULL)
            return;
        schemas->faults = faults;
        schemas->fault_room = room;
    }
    schemas->faults[schemas->fault_count++] = *fault;
}

static void add_finding(etl_findings *findings, const etl_finding *finding)
{
    if (findings->count < ETL_FINDINGS_MAX)
        findings->at[findings->count++] = *finding;
}

static int by_event(const void *a, const void *b)
{
    const uint64_t left = ((const etl_finding *)a)->event, right = ((const etl_finding *)b)->event;
    return left < right ? -1 : left > right;
}

/* The faults of the manifest that has a part in this event. */
static void report_faults(const tool_schemas *schemas, const etl_event *event, etl_findings *findings)
{
    size_t low = 0, high = schemas->fault_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (schemas->faults[middle].event < event->index)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < schemas->fault_count && schemas->faults[low].event == event->index; low++)
        add_finding(findings, &schemas->faults[low]);
}

static void take_part(tool_schemas *schemas, const etl_event *event, etl_findings *findings)
{
    etl_findings found = {0};
    if (schemas->gathered) {
        report_faults(schemas, event, findings);
        return;
    }
    if (schemas->chunks == NULL)
        schemas->chunks = manifest_chunks_new(add_schema, schemas);
    if (schemas->chunks == NULL)
        return;
    manifest_chunks_take(schemas->chunks, event, &found);
    for (uint32_t i = 0; i < found.count; i++) {
        if (schemas->gathering)
            keep_fault(schemas, &found.at[i]);
        else
            add_finding(findings, &found.at[i]);
    }
}

void tool_schemas_end(tool_schemas *schemas)
{
    etl_findings found = {0};
    while (schemas->chunks != NULL && manifest_chunks_end(schemas->chunks, &found)) {
        for (uint32_t i = 0; i < found.count; i++)
            keep_fault(schemas, &found.at[i]);
        found.count = 0;
    }
    manifest_chunks_free(schemas->chunks);
    schemas->chunks = NULL;
    if (schemas->fault_count > 0)
        qsort(schemas->faults, schemas->fault_count, sizeof *schemas->faults, by_event);
}

static bool take_schema(void *context, etl_schema_kind kind, etl_span payload)
{
    return add_schema(context, kind, ETL_SCHEMAS_FALLBACK, payload) != ETL_SCHEMA_NO_ROOM;
}

/* False, and printed, if the document cannot be read. */
static bool read_manifest(tool_schemas *schemas, const char *path, etl_span xml)
{
    manifest_model model = {0};
    const manifest_fault fault = manifest_xml_read(xml, &model);
    const bool closed = schemas->set != NULL && schemas->set->closed;
    if (fault.text != NULL) {
        tool_print_error("%s: not a manifest: %s at byte %" PRIu64, path, fault.text, fault.offset);
    } else {
        if (closed)
            schemas->set->closed = false;
        if (!manifest_schemas(&model, take_schema, schemas))
            tool_print_error("%s: the schemas do not fit in memory; some are not used", path);
        if (schemas->set != NULL)
            schemas->set->closed = schemas->gathered;
    }
    manifest_free(&model);
    return fault.text == NULL;
}

bool tool_schemas_add_manifest(tool_schemas *schemas, const char *path)
{
    tool_file_bytes file;
    if (!manifest_xml_supported()) {
        tool_print_error("%s: this build reads no manifests: it has no libexpat", path);
        return false;
    }
    if (!tool_files_read(path, &file))
        return false;
    const bool done = read_manifest(schemas, path, (etl_span){file.at, file.size});
    free(file.at);
    return done;
}

/* Events. */

bool tool_schemas_take(tool_schemas *schemas, const etl_event *event, etl_findings *findings)
{
    const size_t need = etl_schemas_need(event);
    if (need == 0 && !manifest_chunks_is_part(event))
        return false;
    if (need == 0) {
        take_part(schemas, event, findings);
    } else if (set_of(schemas) != NULL) {
        reserve(schemas->set, need);
        (void)etl_schemas_take(schemas->set, event, findings);
    }
    return true;
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
    schemas->gathering = true;
    take_all(schemas, &pull);
    tool_schemas_end(schemas);
    schemas->gathering = false;
    schemas->gathered = pull.fault == TOOL_PULL_NONE;
    if (schemas->set != NULL)
        schemas->set->closed = schemas->gathered;
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
    manifest_chunks_free(schemas->chunks);
    if (schemas->set != NULL)
        free(schemas->set->memory.at);
    free(schemas->set);
    free(schemas->faults);
    memset(schemas, 0, sizeof *schemas);
}
