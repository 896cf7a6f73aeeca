/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts manifests together: the parts of a provider's manifest come from one process, in any order. trace_schemas.c calls
 * this for each event that carries a part.
 */
#include "records/manifest_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "records/manifest_schemas.h"
#include "records/manifest_xml.h"
#include "report.h"
#include "span.h"

/* The event of a part: Id, Task and Opcode. Source: perfview. */
enum { MANIFEST_ID = 0xFFFE, MANIFEST_TASK = 0xFFFE, MANIFEST_OPCODE = 0xFE };

/* In front of the XML: Format, MajorVersion, MinorVersion, Magic, TotalChunks, ChunkNumber. */
enum { FORMAT_AT = 0, MAGIC_AT = 3, TOTAL_AT = 4, NUMBER_AT = 6, ENVELOPE_SIZE = 8 };
enum { FORMAT = 1, MAGIC = 0x5B };

/* Limits of the command (MET-012). */
enum { MANIFEST_MOST = 16 << 20, OPEN_MOST = 64 };

/* A part, with the event that carried it, whose bytes are gone. */
typedef struct part {
    etl_event event;
    uint32_t number;
    etl_span xml;
    uint8_t *bytes; /* of `xml` */
} part;

/* A manifest that lacks parts. */
typedef struct assembly {
    etl_guid provider;
    uint32_t process, total, count;
    size_t size;
    part *parts;
    uint8_t seen[0x10000 / 8]; /* a bit for each ChunkNumber */
} assembly;

struct manifest_chunks {
    manifest_add_schema *add;
    void *context;
    uint32_t process; /* of the manifest that is being read */
    bool refused;     /* one of its schemas has no room */
    uint32_t open;
    assembly *assemblies[OPEN_MOST];
};

manifest_chunks *manifest_chunks_new(manifest_add_schema *add, void *context)
{
    manifest_chunks *chunks = calloc(1, sizeof *chunks);
    if (chunks != NULL) {
        chunks->add = add;
        chunks->context = context;
    }
    return chunks;
}

bool manifest_chunks_is_part(const etl_event *event)
{
    return event->layout == ETL_LAYOUT_EVENT && manifest_xml_supported() &&
           etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Id)) == MANIFEST_ID &&
           etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Task)) == MANIFEST_TASK &&
           etl_load_u8(event->bytes, ETL_AT(EVENT_HEADER, Opcode)) == MANIFEST_OPCODE;
}

static void report(etl_findings *findings, etl_rule rule, const etl_event *event, uint32_t at)
{
    (void)etl_report_event(findings, rule, event, event->header_size + event->items_size + at);
}

/* Reports a member of the envelope that is not as it should be. Returns whether it is. */
static bool need(etl_findings *findings, bool holds, const etl_event *event, uint32_t at, etl_relation relation,
                 uint64_t expected, uint64_t actual)
{
    if (!holds) {
        report(findings, ETL_RULE_MET_013, event, at);
        etl_expect(&findings->at[findings->count - 1u], relation, expected, actual);
    }
    return holds;
}

/* False, with a finding, if the envelope is impossible. */
static bool check_envelope(const etl_event *event, etl_span data, etl_findings *findings)
{
    const uint16_t total = etl_load_u16(data, TOTAL_AT), number = etl_load_u16(data, NUMBER_AT);
    const uint8_t format = etl_load_u8(data, FORMAT_AT), magic = etl_load_u8(data, MAGIC_AT);
    return need(findings, data.size >= ENVELOPE_SIZE, event, 0, ETL_RELATION_AT_LEAST, ENVELOPE_SIZE, data.size) &&
           need(findings, format == FORMAT, event, FORMAT_AT, ETL_RELATION_EQUAL, FORMAT, format) &&
           need(findings, magic == MAGIC, event, MAGIC_AT, ETL_RELATION_EQUAL, MAGIC, magic) &&
           need(findings, total > 0, event, TOTAL_AT, ETL_RELATION_AT_LEAST, 1, total) &&
           need(findings, number < total, event, NUMBER_AT, ETL_RELATION_AT_MOST, total - 1u, number);
}

static bool same_guid(const etl_guid *a, const etl_guid *b)
{
    return a->data1 == b->data1 && a->data2 == b->data2 && a->data3 == b->data3 &&
           memcmp(a->data4, b->data4, sizeof a->data4) == 0;
}

/* The manifest of this provider and process; a new one if there is none. NULL if too many are open. */
static assembly *find(manifest_chunks *chunks, const etl_event_fields *header, uint32_t total)
{
    for (uint32_t i = 0; i < chunks->open; i++) {
        assembly *a = chunks->assemblies[i];
        if (a->process == header->process_id && same_guid(&a->provider, &header->provider))
            return a;
    }
    assembly *a = chunks->open < OPEN_MOST ? calloc(1, sizeof *a) : NULL;
    if (a != NULL) {
        a->provider = header->provider;
        a->process = header->process_id;
        a->total = total;
        chunks->assemblies[chunks->open++] = a;
    }
    return a;
}

static void close(manifest_chunks *chunks, assembly *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        free(a->parts[i].bytes);
    free(a->parts);
    for (uint32_t i = 0; i < chunks->open; i++)
        if (chunks->assemblies[i] == a)
            chunks->assemblies[i] = chunks->assemblies[--chunks->open];
    free(a);
}

/* Room for one more part: the list doubles at each power of two. */
static bool has_room(assembly *a)
{
    if (a->count > 0 && (a->count & (a->count - 1)) != 0)
        return true;
    part *parts = realloc(a->parts, (a->count > 0 ? 2 * (size_t)a->count : 1) * sizeof *parts);
    if (parts != NULL)
        a->parts = parts;
    return parts != NULL;
}

/* False if there is no room for it. */
static bool add_part(assembly *a, const etl_event *event, uint16_t number, etl_span xml)
{
    if (a->size + xml.size > MANIFEST_MOST || !has_room(a))
        return false;
    uint8_t *bytes = malloc(xml.size + 1);
    if (bytes == NULL)
        return false;
    if (xml.size > 0)
        memcpy(bytes, xml.at, xml.size);
    a->parts[a->count] = (part){*event, number, {bytes, xml.size}, bytes};
    a->parts[a->count++].event.bytes = (etl_span){0};
    a->size += xml.size;
    a->seen[number / 8] |= (uint8_t)(1u << number % 8);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t left = ((const part *)a)->number, right = ((const part *)b)->number;
    return left < right ? -1 : left > right;
}

/* A schema that differs from that of another process is for this process alone. */
static bool take_schema(void *context, etl_schema_kind kind, etl_span payload)
{
    manifest_chunks *chunks = context;
    etl_schema_added added = chunks->add(chunks->context, kind, ETL_SCHEMAS_FALLBACK, payload);
    if (added == ETL_SCHEMA_OTHER && chunks->process != 0)
        added = chunks->add(chunks->context, kind, chunks->process, payload);
    chunks->refused = added == ETL_SCHEMA_NO_ROOM;
    return !chunks->refused;
}

/* Reports a fault at the byte `at` of the document, in the part where it lies. */
static void report_fault(const assembly *a, uint64_t at, etl_findings *findings)
{
    uint32_t i = 0;
    while (i + 1 < a->count && at >= a->parts[i].xml.size)
        at -= a->parts[i++].xml.size;
    const etl_span xml = a->parts[i].xml;
    report(findings, ETL_RULE_MET_014, &a->parts[i].event, ENVELOPE_SIZE + (uint32_t)(at < xml.size ? at : xml.size));
}

/* Reads a manifest that has all its parts, sorted. */
static void read_manifest(manifest_chunks *chunks, const assembly *a, etl_findings *findings)
{
    manifest_model model = {0};
    uint8_t *xml = malloc(a->size + 1);
    size_t size = 0;
    for (uint32_t i = 0; i < a->count && xml != NULL; i++) {
        if (a->parts[i].xml.size > 0)
            memcpy(xml + size, a->parts[i].xml.at, a->parts[i].xml.size);
        size += a->parts[i].xml.size;
    }
    manifest_fault fault = {0, NULL};
    if (xml != NULL)
        fault = manifest_xml_read((etl_span){xml, size}, &model);
    chunks->process = a->process;
    chunks->refused = false;
    if (fault.text != NULL && !model.failed)
        report_fault(a, fault.offset, findings);
    else if (xml == NULL || model.failed || !manifest_schemas(&model, take_schema, chunks))
        report(findings, ETL_RULE_MET_012, &a->parts[0].event, 0);
    manifest_free(&model);
    free(xml);
}

void manifest_chunks_take(manifest_chunks *chunks, const etl_event *event, etl_findings *findings)
{
    const etl_span data = etl_event_data(event);
    const uint16_t total = etl_load_u16(data, TOTAL_AT), number = etl_load_u16(data, NUMBER_AT);
    etl_event_fields header;
    if (!check_envelope(event, data, findings))
        return;
    etl_event_read(event, &header);
    assembly *a = find(chunks, &header, total);
    if (a == NULL) {
        report(findings, ETL_RULE_MET_012, event, 0);
        return;
    }
    if (!need(findings, total == a->total, event, TOTAL_AT, ETL_RELATION_EQUAL, a->total, total) ||
        (a->seen[number / 8] & 1u << number % 8) != 0)
        return; /* a manifest may come several times: parts that are there count */
    if (!add_part(a, event, number, etl_span_from(data, ENVELOPE_SIZE))) {
        report(findings, ETL_RULE_MET_012, event, 0);
        close(chunks, a);
        return;
    }
    if (a->count < a->total)
        return;
    qsort(a->parts, a->count, sizeof *a->parts, by_number);
    read_manifest(chunks, a, findings);
    close(chunks, a);
}

bool manifest_chunks_end(manifest_chunks *chunks, etl_findings *findings)
{
    if (chunks->open == 0)
        return false;
    assembly *a = chunks->assemblies[0];
    if (a->count > 0)
        (void)need(findings, false, &a->parts[0].event, TOTAL_AT, ETL_RELATION_EQUAL, a->total, a->count);
    close(chunks, a);
    return true;
}

void manifest_chunks_free(manifest_chunks *chunks)
{
    while (chunks != NULL && chunks->open > 0)
        close(chunks, chunks->assemblies[0]);
    free(chunks);
}
