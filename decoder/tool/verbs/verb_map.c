/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof map: reads a file once and prints the regions that tile it, on request with their bytes (annotated_hex.h).
 */
#include "verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "io/options.h"
#include "io/pull.h"
#include "io/sandbox.h"
#include "records/not_etl.h"
#include "records/tally.h"
#include "span.h"
#include "verbs/annotated_hex.h"

static const char help[] =
    "usage: etlproof map [OPTIONS] FILE\n"
    "\n"
    "Prints the regions that tile FILE: offset, size, kind, and the buffer or event they belong to. The events of a\n"
    "compressed buffer follow the buffer, with offsets inside its inflated bytes; they take no bytes of FILE.\n"
    "FILE may be - for standard input.\n"
    "\n"
    "  --json                  print JSON Lines: region records, and last of all end, with the bytes of each kind\n"
    "  --hex                   print the bytes too, labelled with the structure members they belong to\n"
    "  --around OFFSET         print only what lies within 128 bytes of OFFSET (decimal, or hexadecimal with 0x), and\n"
    "                          mark OFFSET itself with >\n"
    "  --around BUFFER:OFFSET  the same inside the inflated bytes of buffer number BUFFER\n"
    "  --no-limit              inflate all that compressed buffers announce (LIM-001); a hostile file may take long\n"
    "  --no-sandbox            keep the right to write files, start programs and use the network\n"
    "  --help                  print this help\n"
    "\n"
    TOOL_EXIT_HELP "An OFFSET that FILE does not have is a usage error.\n";

enum { OPTION_JSON, OPTION_HEX, OPTION_AROUND, OPTION_NO_LIMIT, OPTION_NO_SANDBOX };

static const tool_option options_table[] = {
    {"json", 0, NULL, OPTION_JSON},
    {"hex", 0, NULL, OPTION_HEX},
    {"around", 0, TOOL_ANY_VALUE, OPTION_AROUND},
    {"no-limit", 0, NULL, OPTION_NO_LIMIT},
    {"no-sandbox", 0, NULL, OPTION_NO_SANDBOX},
    {NULL, 0, NULL, 0},
};

typedef struct map_job {
    etl_limits limits;
    bool as_json, as_hex;
    tool_around around;
    bool has_hit; /* the --around offset was found */
    tool_output out;
    tool_json json;
    tool_pull pull;
    tool_tally tally;
} map_job;

/* A region and its owner. An index is ETL_NO_INDEX where the region has no such owner. */
typedef struct place {
    etl_region region;
    uint64_t buffer, event;
    uint8_t type; /* of the event */
} place;

static void region_json(map_job *m, const place *p)
{
    tool_json *json = &m->json;
    tool_json_object(json, NULL);
    tool_json_text(json, "rec", "region");
    tool_json_text(json, "kind", etl_region_text(p->region.kind));
    tool_json_u64(json, "offset", p->region.offset);
    tool_json_u64(json, "size", p->region.size);
    if (p->region.space == ETL_SPACE_INFLATED)
        tool_json_text(json, "space", "inflated");
    if (p->buffer != ETL_NO_INDEX)
        tool_json_u64(json, "buffer", p->buffer);
    if (p->event != ETL_NO_INDEX)
        tool_json_u64(json, "event", p->event);
    tool_json_object_end(json);
    tool_json_line(json);
}

static void region_text(map_job *m, const place *p)
{
    tool_output *out = &m->out;
    const etl_region *r = &p->region;
    bool hit = tool_around_hits(&m->around, r->space, p->buffer, r->offset, r->size);
    tool_put_format(out, "%s %s0x%010" PRIx64 " %10" PRIu64 "  %-13s", hit ? ">" : " ",
                    r->space == ETL_SPACE_INFLATED ? "inflated " : "", r->offset, r->size, etl_region_text(r->kind));
    if (p->event != ETL_NO_INDEX)
        tool_put_format(out, "  event %" PRIu64 " %s", p->event, etl_header_type_name(p->type));
    else if (p->buffer != ETL_NO_INDEX)
        tool_put_format(out, "  buffer %" PRIu64, p->buffer);
    tool_put_char(out, '\n');
}

/* Prints a region. False if --around leaves it out. */
static bool show(map_job *m, const place *p)
{
    if (!tool_around_shows(&m->around, p->region.space, p->buffer, p->region.offset, p->region.size))
        return false;
    m->has_hit |= tool_around_hits(&m->around, p->region.space, p->buffer, p->region.offset, p->region.size);
    if (m->as_json)
        region_json(m, p);
    else
        region_text(m, p);
    return true;
}

/* Prints the bytes of a region that lies in `bytes`; `origin` is the offset of their first byte in the region's space. */
static void part_hex(const tool_hex *hex, etl_span bytes, uint64_t origin, const etl_region *region)
{
    tool_hex_bytes(hex, etl_span_part(bytes, (size_t)(region->offset - origin), (size_t)region->size), region->offset, "");
}

static void show_buffer(map_job *m)
{
    const etl_buffer *buffer = &m->pull.reader.buffer;
    etl_region regions[ETL_BUFFER_REGIONS];
    size_t count = etl_buffer_regions(buffer, regions);
    tool_hex hex = {&m->out, &m->around, ETL_SPACE_FILE, buffer->index};
    for (size_t i = 0; i < count; i++) {
        etl_tiling_add(&m->tally.tiling, &regions[i]);
        if (!show(m, &(place){regions[i], buffer->index, ETL_NO_INDEX, 0}) || !m->as_hex)
            continue;
        if (regions[i].kind == ETL_REGION_BUFFER_HEADER)
            tool_hex_buffer_header(&hex, buffer);
        else
            part_hex(&hex, buffer->raw, buffer->offset, &regions[i]);
    }
}

static void event_hex(map_job *m, const etl_event *event, const etl_region *region)
{
    tool_hex hex = {&m->out, &m->around, event->space, event->buffer};
    switch (region->kind) {
    case ETL_REGION_EVENT_HEADER: tool_hex_event_header(&hex, event); break;
    case ETL_REGION_ITEMS: tool_hex_items(&hex, event); break;
    case ETL_REGION_PAYLOAD: tool_hex_payload(&hex, event); break;
    default: part_hex(&hex, event->bytes, event->offset, region); break;
    }
}

/* Padding and gaps lie outside any event: their bytes come from the buffer. */
static void buffer_part_hex(map_job *m, const etl_region *region)
{
    const etl_buffer *buffer = &m->pull.reader.buffer;
    uint64_t origin = region->space == ETL_SPACE_INFLATED ? 0 : buffer->offset;
    tool_hex hex = {&m->out, &m->around, region->space, buffer->index};
    part_hex(&hex, buffer->data, origin, region);
}

static void show_event(map_job *m)
{
    const etl_event *event = &m->pull.reader.event;
    etl_region regions[ETL_EVENT_REGIONS];
    size_t count = etl_event_regions(event, regions);
    m->tally.events++;
    m->tally.events_by_type[event->type]++;
    for (size_t i = 0; i < count; i++) {
        etl_tiling_add(&m->tally.tiling, &regions[i]);
        if (!show(m, &(place){regions[i], event->buffer, event->index, event->type}) || !m->as_hex)
            continue;
        if (regions[i].kind == ETL_REGION_PADDING)
            buffer_part_hex(m, &regions[i]);
        else
            event_hex(m, event, &regions[i]);
    }
}

/* A gap between buffers may be longer than any window, so its bytes are read a second time. */
static void outer_gap_hex(map_job *m, const etl_region *gap)
{
    static uint8_t bytes[65536];
    tool_hex hex = {&m->out, &m->around, ETL_SPACE_FILE, ETL_NO_INDEX};
    for (uint64_t at = 0; at < gap->size;) {
        uint64_t rest = gap->size - at;
        size_t got =
            tool_input_peek(m->pull.input, gap->offset + at, bytes, rest < sizeof bytes ? (size_t)rest : sizeof bytes);
        if (got == 0) {
            tool_put_text(&m->out, "    (bytes not shown: this input cannot be read twice)\n");
            return;
        }
        tool_hex_bytes(&hex, (etl_span){bytes, got}, gap->offset + at, "");
        at += got;
    }
}

static void show_gap(map_job *m)
{
    const etl_reader *reader = &m->pull.reader;
    const etl_region *gap = &reader->gap;
    uint64_t buffer = reader->in_buffer ? reader->buffer.index : ETL_NO_INDEX;
    etl_tiling_add(&m->tally.tiling, gap);
    if (!show(m, &(place){*gap, buffer, ETL_NO_INDEX, 0}) || !m->as_hex)
        return;
    if (reader->in_buffer)
        buffer_part_hex(m, gap);
    else
        outer_gap_hex(m, gap);
}

/* False at the end, or when output failed. */
static bool map_step(map_job *m, etl_outcome outcome)
{
    const etl_findings *findings = &m->pull.reader.findings;
    for (uint32_t i = 0; i < findings->count; i++)
        tool_tally_finding(&m->tally, &findings->at[i]);
    switch (outcome) {
    case ETL_BUFFER: show_buffer(m); break;
    case ETL_EVENT: show_event(m); break;
    case ETL_GAP: show_gap(m); break;
    case ETL_MORE:
    case ETL_SCRATCH:
    case ETL_INTERNAL:
    case ETL_END: break;
    }
    return outcome != ETL_END && m->out.error == 0;
}

static void end_text(map_job *m, tool_verdict verdict)
{
    tool_put_format(&m->out, "  %s: %" PRIu64 " bytes\n", tool_verdict_text(verdict), m->pull.input->size);
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
        tool_put_format(&m->out, "    %14" PRIu64 "  %s\n", m->tally.tiling.bytes[kind],
                        etl_region_text((etl_region_kind)kind));
}

static void report_missing_offset(const map_job *m)
{
    const char *title = m->pull.input->title;
    if (m->around.space == ETL_SPACE_FILE)
        tool_print_error("%s: offset 0x%" PRIx64 " is past the end of the file, which has %" PRIu64 " bytes", title,
                         m->around.offset, m->pull.input->size);
    else
        tool_print_error("%s: buffer %" PRIu64 " has no inflated byte at offset 0x%" PRIx64, title, m->around.buffer,
                         m->around.offset);
}

static tool_exit map_end(map_job *m)
{
    if (m->out.error != 0)
        return TOOL_EXIT_OUTPUT;
    tool_verdict verdict = tool_tally_verdict(&m->tally, &m->pull.reader, false);
    tool_exit code = tool_tally_exit(&m->tally, &m->pull, verdict);
    if (m->pull.fault != TOOL_PULL_NONE)
        return code;
    if (verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(m->pull.input);
    if (m->around.limited && !m->has_hit) {
        report_missing_offset(m);
        code = TOOL_EXIT_USAGE;
    }
    if (!m->as_json) {
        end_text(m, verdict);
        return code;
    }
    tool_json_object(&m->json, NULL);
    tool_json_text(&m->json, "rec", "end");
    tool_json_text(&m->json, "verdict", tool_verdict_text(verdict));
    tool_json_u64(&m->json, "size", m->pull.input->size);
    tool_tally_json_bytes(&m->json, &m->tally);
    tool_json_object_end(&m->json);
    tool_json_line(&m->json);
    return code;
}

static tool_exit map(map_job *m, const char *file)
{
    tool_input input;
    if (!tool_input_open(&input, file))
        return TOOL_EXIT_INPUT;
    tool_output_open(&m->out);
    tool_json_open(&m->json, &m->out);
    tool_pull_open(&m->pull, &input, m->limits, &m->out, true);
    while (map_step(m, tool_pull_next(&m->pull))) {
    }
    tool_exit code = map_end(m);
    tool_pull_close(&m->pull);
    tool_input_close(&input);
    return tool_exit_worse(code, tool_output_close(&m->out));
}

/* Reads a decimal number, or a hexadecimal one with 0x. `end` is set behind it. */
static bool read_number(const char *text, uint64_t *number, char **end)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    *number = strtoull(text, end, hex ? 16 : 10);
    return errno == 0;
}

static bool read_around(const char *text, tool_around *around)
{
    char *end = NULL;
    *around = (tool_around){true, ETL_SPACE_FILE, ETL_NO_INDEX, 0};
    if (!read_number(text, &around->offset, &end))
        return false;
    if (*end != ':')
        return *end == '\0';
    around->space = ETL_SPACE_INFLATED;
    around->buffer = around->offset;
    return read_number(end + 1, &around->offset, &end) && *end == '\0';
}

tool_exit tool_verb_map(char **argv)
{
    static map_job m;
    tool_options options;
    bool sandbox = true;
    m.limits = ETL_LIMITS_DEFAULT;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        sandbox = sandbox && id != OPTION_NO_SANDBOX;
        if (id == OPTION_NO_LIMIT)
            m.limits = ETL_LIMITS_NONE;
        m.as_json = m.as_json || id == OPTION_JSON;
        m.as_hex = m.as_hex || id == OPTION_HEX;
        if (id == OPTION_AROUND && !read_around(options.value, &m.around))
            return tool_usage(argv[0], "not an offset", options.value);
    }
    if (m.as_json && m.as_hex)
        return tool_usage(argv[0], "--hex and --json exclude each other", NULL);
    if (options.files != 1)
        return tool_usage(argv[0], options.files == 0 ? "no FILE given" : "more than one FILE given", NULL);
    if (sandbox)
        tool_sandbox_enter(options.arguments, options.files);
    return map(&m, options.arguments[0]);
}
