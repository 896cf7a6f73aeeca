/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extended data items of an event as JSON, for event_record.c.
 */
#include "records/record.h"

static void sid(tool_json *json, const etl_item *item)
{
    etl_sid sid;
    if (etl_sid_read(item->data, &sid))
        tool_json_sid(json, "sid", &sid);
}

static void values(tool_json *json, const etl_item *item)
{
    tool_json_array(json, "values");
    for (uint32_t i = 0; i < etl_item_u64_count(item); i++)
        tool_json_u64(json, NULL, etl_item_u64(item, i));
    tool_json_array_end(json);
}

static void instance(tool_json *json, const etl_item *item)
{
    etl_item_instance info = etl_item_instance_info(item);
    tool_json_u32(json, "instance_id", info.instance_id);
    tool_json_u32(json, "parent_instance_id", info.parent_instance_id);
    tool_json_guid(json, "parent_guid", &info.parent_guid);
}

static void stack(tool_json *json, const etl_item *item)
{
    tool_json_u64(json, "match_id", etl_item_match_id(item));
    tool_json_array(json, "addresses");
    for (uint32_t i = 0; i < etl_item_address_count(item); i++)
        tool_json_hex(json, NULL, etl_item_address(item, i), 1);
    tool_json_array_end(json);
}

static void stack_key(tool_json *json, const etl_item *item)
{
    tool_json_u64(json, "match_id", etl_item_match_id(item));
    tool_json_hex(json, "stack_key", etl_item_stack_key(item), 1);
}

static void field(tool_json *json, const etl_schema_field *field)
{
    tool_json_object(json, NULL);
    tool_json_utf8(json, "name", field->name);
    tool_json_u32(json, "in_type", field->in_type);
    tool_json_u32(json, "out_type", field->out_type);
    tool_json_u32(json, "tag", field->tag);
    tool_json_u32(json, "count", field->count);
    tool_json_object_end(json);
}

static void schema(tool_json *json, const etl_item *item)
{
    etl_schema schema;
    etl_schema_field next;
    if (!etl_schema_read(item->data, &schema))
        return;
    tool_json_object(json, "schema");
    tool_json_u32(json, "tag", schema.tag);
    tool_json_utf8(json, "name", schema.name);
    tool_json_array(json, "fields");
    for (uint32_t n = 0; n < ETL_SCHEMA_FIELDS_MAX && etl_schema_next(&schema.fields, &next); n++)
        field(json, &next);
    tool_json_array_end(json);
    tool_json_object_end(json);
}

static void traits(tool_json *json, const etl_item *item)
{
    etl_traits traits;
    if (!etl_traits_read(item->data, &traits))
        return;
    tool_json_object(json, "traits");
    tool_json_utf8(json, "name", traits.name);
    if (traits.has_group)
        tool_json_guid(json, "group", &traits.group);
    if (traits.has_decode)
        tool_json_guid(json, "decode", &traits.decode);
    tool_json_object_end(json);
}

static void members(tool_json *json, const etl_item *item)
{
    etl_guid guid;
    switch (item->layout) {
    case ETL_ITEM_LAYOUT_BYTES: break;
    case ETL_ITEM_LAYOUT_GUID:
        guid = etl_item_guid(item);
        tool_json_guid(json, "guid", &guid);
        break;
    case ETL_ITEM_LAYOUT_SID: sid(json, item); break;
    case ETL_ITEM_LAYOUT_U32: tool_json_u32(json, "value", etl_item_u32(item)); break;
    case ETL_ITEM_LAYOUT_U64: tool_json_u64(json, "value", etl_item_u64(item, 0)); break;
    case ETL_ITEM_LAYOUT_U64S: values(json, item); break;
    case ETL_ITEM_LAYOUT_INSTANCE: instance(json, item); break;
    case ETL_ITEM_LAYOUT_STACK32:
    case ETL_ITEM_LAYOUT_STACK64: stack(json, item); break;
    case ETL_ITEM_LAYOUT_STACK_KEY: stack_key(json, item); break;
    case ETL_ITEM_LAYOUT_SCHEMA: schema(json, item); break;
    case ETL_ITEM_LAYOUT_TRAITS: traits(json, item); break;
    case ETL_ITEM_LAYOUT_TEXT: tool_json_utf8(json, "text", item->data); break;
    }
}

static char *type_name(char *at, uint16_t type)
{
    switch (type) {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) \
    case value: return tool_write_text(TOOL_JSON_KEY(at, "name"), "\"" #name "\"");
#include "format/item_types.def"
    default: return at;
    }
}

/* The members that all items have, but their bytes. */
static void head(tool_json *json, const etl_event *event, const etl_item *item)
{
    tool_json_hex(json, "type", item->type, 1);
    char *at = type_name(tool_json_run(json), item->type);
    TOOL_MEMBER(u64, "offset", event->offset + item->offset);
    TOOL_MEMBER(u32, "size", item->size);
    tool_json_end(json, at);
}

void tool_record_items(tool_json *json, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    tool_json_array(json, "items");
    while (etl_items_next(&items, &item)) {
        tool_json_object(json, NULL);
        head(json, event, &item);
        members(json, &item);
        tool_json_bytes(json, "data", item.data);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}
