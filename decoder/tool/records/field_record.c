/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a payload, in the order in which they are stored: as members of an event record, and as text.
 */
#include "records/field_record.h"

#include "span.h"

/* False if the event carries no metadata. */
static bool begin(etl_payload *payload, const etl_event *event)
{
    etl_metadata metadata;
    const bool described = etl_metadata_read(event, &metadata);
    if (described)
        etl_payload_init(payload, event, &metadata);
    return described;
}

tool_fields tool_check_fields(const etl_event *event, etl_findings *findings)
{
    etl_payload payload;
    if (!begin(&payload, event))
        return TOOL_FIELDS_UNKNOWN;
    while (etl_payload_next(&payload, event, findings) != ETL_PAYLOAD_END)
        continue;
    return payload.whole ? TOOL_FIELDS_WHOLE : TOOL_FIELDS_CUT;
}

/* Name and types of a field; an element of an array has neither. */
static void head(tool_json *json, const etl_field *field)
{
    const char *in = etl_in_type_name(field->in_type), *out = etl_out_type_name(field->out_type);
    tool_json_utf8(json, "name", field->name);
    if (in != NULL)
        tool_json_name(json, "type", in);
    if (out != NULL)
        tool_json_name(json, "out", out);
    else if (field->out_type != 0)
        tool_json_hex(json, "out", field->out_type, 1);
}

static void place(tool_json *json, const etl_event *event, const etl_payload *payload)
{
    tool_json_u64(json, "offset", event->offset + payload->offset);
    tool_json_u32(json, "size", payload->size);
}

/* Whether what the next step gives is an element of an array. */
static bool is_element(const etl_payload *payload)
{
    return payload->levels[payload->depth - 1].elements;
}

/* Opens the object of an array or a structure, and the list in it. `element`: of the array around it. */
static void open_list(tool_json *json, const etl_payload *payload, bool element, const char *key)
{
    tool_json_object(json, NULL);
    if (!element)
        head(json, &payload->field);
    tool_json_array(json, key);
}

static void step_record(tool_json *json, const etl_event *event, const etl_payload *payload, etl_payload_step step,
                        bool element)
{
    switch (step) {
    case ETL_PAYLOAD_VALUE:
        tool_json_object(json, NULL);
        if (!element)
            head(json, &payload->field);
        tool_json_field_value(json, "value", &payload->field, payload->value);
        place(json, event, payload);
        tool_json_object_end(json);
        break;
    case ETL_PAYLOAD_ARRAY: open_list(json, payload, element, "elements"); break;
    case ETL_PAYLOAD_STRUCT: open_list(json, payload, element, "fields"); break;
    case ETL_PAYLOAD_CLOSE:
        tool_json_array_end(json);
        place(json, event, payload);
        tool_json_object_end(json);
        break;
    case ETL_PAYLOAD_END: break;
    }
}

/* Bytes of the payload behind the last field. */
static etl_span raw(const etl_event *event, const etl_payload *payload)
{
    return etl_span_part(event->bytes, payload->at, payload->end - payload->at);
}

void tool_record_fields(tool_json *json, const etl_event *event)
{
    etl_findings findings = {0};
    etl_payload payload;
    etl_payload_step step;
    if (!begin(&payload, event))
        return;
    tool_json_utf8(json, "event_name", payload.metadata.event_name);
    if (payload.metadata.provider_name.size > 0)
        tool_json_utf8(json, "provider_name", payload.metadata.provider_name);
    tool_json_array(json, "fields");
    do {
        const bool element = is_element(&payload);
        step = etl_payload_next(&payload, event, &findings);
        step_record(json, event, &payload, step, element);
    } while (step != ETL_PAYLOAD_END);
    tool_json_array_end(json);
    if (payload.at < payload.end)
        tool_json_bytes(json, "raw", raw(event, &payload));
}

static void step_text(tool_json *json, const etl_payload *payload, etl_payload_step step, bool element)
{
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
        tool_put_utf8(json->out, payload->field.name);
        tool_put_char(json->out, '=');
    }
    if (step == ETL_PAYLOAD_VALUE)
        tool_json_field_value(json, NULL, &payload->field, payload->value);
    else
        tool_put_char(json->out, step == ETL_PAYLOAD_ARRAY ? '[' : '{');
}

void tool_text_fields(tool_output *out, const etl_event *event)
{
    etl_findings findings = {0};
    etl_payload payload;
    tool_json json;
    if (!begin(&payload, event))
        return;
    tool_json_open(&json, out);
    tool_put_text(out, " {");
    for (;;) {
        const bool element = is_element(&payload);
        const etl_payload_step step = etl_payload_next(&payload, event, &findings);
        if (step == ETL_PAYLOAD_END)
            break;
        step_text(&json, &payload, step, element);
    }
    tool_put_char(out, '}');
    if (payload.at < payload.end) {
        tool_put_text(out, " and ");
        tool_put_dump(out, raw(event, &payload));
    }
}
