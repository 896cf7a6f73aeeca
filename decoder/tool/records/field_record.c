/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a payload, in the order in which they are stored: as members of an event record, and as text.
 */
#include "records/field_record.h"

#include <inttypes.h>

#include "span.h"

/* A payload that is being printed. */
typedef struct printed {
    const etl_event *event;
    const tool_schemas *schemas;
    etl_payload payload;
} printed;

/* False if nothing describes the payload. */
static bool begin(printed *p, const etl_event *event, const tool_schemas *schemas)
{
    etl_metadata metadata;
    p->event = event;
    p->schemas = schemas;
    const bool described = tool_schemas_describe(schemas, event, &metadata);
    if (described)
        etl_payload_init(&p->payload, event, &metadata);
    return described;
}

tool_fields tool_check_fields(const etl_event *event, tool_schemas *schemas, etl_findings *findings)
{
    printed p;
    if (tool_schemas_take(schemas, event, findings))
        return TOOL_FIELDS_SCHEMA;
    if (!begin(&p, event, schemas))
        return TOOL_FIELDS_UNKNOWN;
    while (etl_payload_next(&p.payload, event, findings) != ETL_PAYLOAD_END)
        continue;
    return p.payload.whole ? TOOL_FIELDS_WHOLE : TOOL_FIELDS_CUT;
}

/* A name in the encoding of its metadata. */
static void name(tool_json *json, const char *key, const printed *p, etl_span text)
{
    if (p->payload.metadata.form == ETL_METADATA_FORM_EVENT_INFO)
        tool_json_utf16(json, key, text);
    else
        tool_json_utf8(json, key, text);
}

/* The names that describe the event; all but TraceLogging may lack each of them. */
static void names(tool_json *json, const printed *p)
{
    const etl_metadata *metadata = &p->payload.metadata;
    if (metadata->event_name.size > 0 || metadata->form == ETL_METADATA_FORM_TRACELOGGING)
        name(json, "event_name", p, metadata->event_name);
    if (metadata->opcode_name.size > 0)
        name(json, "opcode_name", p, metadata->opcode_name);
    if (metadata->provider_name.size > 0)
        name(json, "provider_name", p, metadata->provider_name);
}

/* Name and types of a field; an element of an array has neither. */
static void head(tool_json *json, const printed *p)
{
    const etl_field *field = &p->payload.field;
    const char *in = etl_in_type_name(field->in_type), *out = etl_out_type_name(field->out_type);
    name(json, "name", p, field->name);
    if (in != NULL)
        tool_json_name(json, "type", in);
    if (out != NULL)
        tool_json_name(json, "out", out);
    else if (field->out_number != 0)
        tool_json_hex(json, "out", field->out_number, 1);
}

static void place(tool_json *json, const printed *p)
{
    tool_json_u64(json, "offset", p->event->offset + p->payload.offset);
    tool_json_u32(json, "size", p->payload.size);
}

/* The texts that a map of the trace has for a value. */
typedef struct value_texts {
    etl_map map;
    etl_map_texts texts;
    etl_span text; /* the first one */
} value_texts;

/* False if there is none. */
static bool find_texts(const printed *p, value_texts *found)
{
    const etl_field *field = &p->payload.field;
    uint32_t value;
    if (field->map.size == 0 || p->schemas->set == NULL || !etl_payload_number(&p->payload, &value) ||
        !etl_schemas_find_map(p->schemas->set, &p->payload.metadata, field->map, &found->map))
        return false;
    found->texts = (etl_map_texts){value, value, 0};
    return etl_map_next(&found->map, &found->texts, &found->text);
}

/* Puts each text with `put`, a bar between two, and in hex the bits that have none. */
static void put_texts(tool_json *json, value_texts *found, void (*put)(tool_json *json, etl_span text))
{
    do {
        put(json, found->text);
        if (found->texts.rest != 0)
            tool_put_char(json->out, '|');
    } while (etl_map_next(&found->map, &found->texts, &found->text));
    if (found->texts.rest != 0)
        tool_put_format(json->out, "0x%" PRIx32, found->texts.rest);
}

/* Whether what the next step gives is an element of an array. */
static bool is_element(const etl_payload *payload)
{
    return payload->levels[payload->depth - 1].elements;
}

/* Opens the object of an array or a structure, and the list in it. `element`: of the array around it. */
static void open_list(tool_json *json, const printed *p, bool element, const char *key)
{
    tool_json_object(json, NULL);
    if (!element)
        head(json, p);
    tool_json_array(json, key);
}

/* "text" is what a map calls the value. */
static void map_text(tool_json *json, const printed *p)
{
    value_texts found;
    if (!find_texts(p, &found))
        return;
    tool_json_string(json, "text");
    put_texts(json, &found, tool_json_string_utf16);
    tool_json_string_end(json);
}

static void step_record(tool_json *json, const printed *p, etl_payload_step step, bool element)
{
    switch (step) {
    case ETL_PAYLOAD_VALUE:
        tool_json_object(json, NULL);
        if (!element)
            head(json, p);
        tool_json_field_value(json, "value", &p->payload.field, p->payload.value);
        map_text(json, p);
        place(json, p);
        tool_json_object_end(json);
        break;
    case ETL_PAYLOAD_ARRAY: open_list(json, p, element, "elements"); break;
    case ETL_PAYLOAD_STRUCT: open_list(json, p, element, "fields"); break;
    case ETL_PAYLOAD_CLOSE:
        tool_json_array_end(json);
        place(json, p);
        tool_json_object_end(json);
        break;
    case ETL_PAYLOAD_END: break;
    }
}

/* Bytes of the payload behind the last field. */
static etl_span raw(const printed *p)
{
    return etl_span_part(p->event->bytes, p->payload.at, p->payload.end - p->payload.at);
}

void tool_record_fields(tool_json *json, const etl_event *event, const tool_schemas *schemas)
{
    etl_findings findings = {0};
    etl_payload_step step;
    printed p;
    if (!begin(&p, event, schemas))
        return;
    names(json, &p);
    tool_json_array(json, "fields");
    do {
        const bool element = is_element(&p.payload);
        step = etl_payload_next(&p.payload, event, &findings);
        step_record(json, &p, step, element);
    } while (step != ETL_PAYLOAD_END);
    tool_json_array_end(json);
    if (p.payload.at < p.payload.end)
        tool_json_bytes(json, "raw", raw(&p));
}

static void name_text(tool_output *out, const printed *p, etl_span text)
{
    if (p->payload.metadata.form == ETL_METADATA_FORM_EVENT_INFO)
        tool_put_utf16(out, text);
    else
        tool_put_utf8(out, text);
}

/* Names that the line does not have yet: provider/event/opcode. */
static void names_text(tool_output *out, const printed *p)
{
    const etl_metadata *metadata = &p->payload.metadata;
    const etl_span names[] = {metadata->provider_name, metadata->event_name, metadata->opcode_name};
    if (metadata->form == ETL_METADATA_FORM_TRACELOGGING)
        return;
    char before = ' ';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].size == 0)
            continue;
        tool_put_char(out, before);
        name_text(out, p, names[i]);
        before = '/';
    }
}

static void put_text(tool_json *json, etl_span text)
{
    tool_put_utf16(json->out, text);
}

/* The value, and in brackets what a map calls it. */
static void value_text(tool_json *json, const printed *p)
{
    value_texts found;
    tool_json_field_value(json, NULL, &p->payload.field, p->payload.value);
    if (!find_texts(p, &found))
        return;
    tool_put_text(json->out, " (");
    put_texts(json, &found, put_text);
    tool_put_char(json->out, ')');
}

static void step_text(tool_json *json, const printed *p, etl_payload_step step, bool element)
{
    const etl_payload *payload = &p->payload;
    if (step == ETL_PAYLOAD_CLOSE) {
        const bool array = payload->levels[payload->depth].elements; /* the level that was open */
        tool_put_char(json->out, array ? ']' : '}');
        json->more = true;
        return;
    }
    if (json->more)
        tool_put_text(json->out, ", ");
    json->more = false;
    if (!element) {
        name_text(json->out, p, payload->field.name);
        tool_put_char(json->out, '=');
    }
    if (step == ETL_PAYLOAD_VALUE)
        value_text(json, p);
    else
        tool_put_char(json->out, step == ETL_PAYLOAD_ARRAY ? '[' : '{');
}

void tool_text_fields(tool_output *out, const etl_event *event, const tool_schemas *schemas)
{
    etl_findings findings = {0};
    tool_json json;
    printed p;
    if (!begin(&p, event, schemas))
        return;
    tool_json_open(&json, out);
    names_text(out, &p);
    tool_put_text(out, " {");
    for (;;) {
        const bool element = is_element(&p.payload);
        const etl_payload_step step = etl_payload_next(&p.payload, event, &findings);
        if (step == ETL_PAYLOAD_END)
            break;
        step_text(&json, &p, step, element);
    }
    tool_put_char(out, '}');
    if (p.payload.at < p.payload.end) {
        tool_put_text(out, " and ");
        tool_put_dump(out, raw(&p));
    }
}
