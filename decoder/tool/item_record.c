/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <inttypes.h>

static void sid(etl_json *json, const etl_item *item)
{
    etl_sid sid;
    if (!etl_item_sid(item, &sid))
        return;
    etl_json_string(json, "sid");
    /* An authority of more than 32 bits is written in hex: the text form of Windows. */
    if (sid.authority >> 32 == 0)
        etl_out_format(json->out, "S-%u-%" PRIu64, sid.revision, sid.authority);
    else
        etl_out_format(json->out, "S-%u-0x%012" PRIx64, sid.revision, sid.authority);
    for (size_t i = 0; i < sid.count; i++) {
        etl_out_char(json->out, '-');
        etl_out_u64(json->out, sid.sub_authority[i]);
    }
    etl_json_string_end(json);
}

static void values(etl_json *json, const etl_item *item)
{
    etl_json_array(json, "values");
    for (uint32_t i = 0; i < etl_item_u64_count(item); i++)
        etl_json_u64(json, NULL, etl_item_u64(item, i));
    etl_json_array_end(json);
}

static void instance(etl_json *json, const etl_item *item)
{
    etl_item_instance info = etl_item_instance_info(item);
    etl_json_u32(json, "instance_id", info.instance_id);
    etl_json_u32(json, "parent_instance_id", info.parent_instance_id);
    etl_json_guid(json, "parent_guid", &info.parent_guid);
}

static void stack(etl_json *json, const etl_item *item)
{
    etl_json_u64(json, "match_id", etl_item_match_id(item));
    etl_json_array(json, "addresses");
    for (uint32_t i = 0; i < etl_item_address_count(item); i++)
        etl_json_hex(json, NULL, etl_item_address(item, i), 1);
    etl_json_array_end(json);
}

static void stack_key(etl_json *json, const etl_item *item)
{
    etl_json_u64(json, "match_id", etl_item_match_id(item));
    etl_json_hex(json, "stack_key", etl_item_stack_key(item), 1);
}

static void field(etl_json *json, const etl_schema_field *field)
{
    etl_json_object(json, NULL);
    etl_json_utf8(json, "name", field->name);
    etl_json_u32(json, "in_type", field->in_type);
    etl_json_u32(json, "out_type", field->out_type);
    etl_json_u32(json, "tag", field->tag);
    etl_json_u32(json, "count", field->count);
    etl_json_object_end(json);
}

static void schema(etl_json *json, const etl_item *item)
{
    etl_schema schema;
    etl_schema_field next;
    if (!etl_schema_read(item->data, &schema))
        return;
    etl_json_object(json, "schema");
    etl_json_u32(json, "tag", schema.tag);
    etl_json_utf8(json, "name", schema.name);
    etl_json_array(json, "fields");
    for (uint32_t n = 0; n < ETL_SCHEMA_FIELDS_MAX && etl_schema_next(&schema.fields, &next); n++)
        field(json, &next);
    etl_json_array_end(json);
    etl_json_object_end(json);
}

static void traits(etl_json *json, const etl_item *item)
{
    etl_traits traits;
    if (!etl_traits_read(item->data, &traits))
        return;
    etl_json_object(json, "traits");
    etl_json_utf8(json, "name", traits.name);
    if (traits.has_group)
        etl_json_guid(json, "group", &traits.group);
    if (traits.has_decode)
        etl_json_guid(json, "decode", &traits.decode);
    etl_json_object_end(json);
}

static void members(etl_json *json, const etl_item *item)
{
    etl_guid guid;
    switch (item->layout) {
    case ETL_ITEM_LAYOUT_BYTES: break;
    case ETL_ITEM_LAYOUT_GUID:
        guid = etl_item_guid(item);
        etl_json_guid(json, "guid", &guid);
        break;
    case ETL_ITEM_LAYOUT_SID: sid(json, item); break;
    case ETL_ITEM_LAYOUT_U32: etl_json_u32(json, "value", etl_item_u32(item)); break;
    case ETL_ITEM_LAYOUT_U64: etl_json_u64(json, "value", etl_item_u64(item, 0)); break;
    case ETL_ITEM_LAYOUT_U64S: values(json, item); break;
    case ETL_ITEM_LAYOUT_INSTANCE: instance(json, item); break;
    case ETL_ITEM_LAYOUT_STACK32:
    case ETL_ITEM_LAYOUT_STACK64: stack(json, item); break;
    case ETL_ITEM_LAYOUT_STACK_KEY: stack_key(json, item); break;
    case ETL_ITEM_LAYOUT_SCHEMA: schema(json, item); break;
    case ETL_ITEM_LAYOUT_TRAITS: traits(json, item); break;
    case ETL_ITEM_LAYOUT_TEXT: etl_json_utf8(json, "text", item->data); break;
    }
}

void etl_record_items(etl_json *json, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    etl_json_array(json, "items");
    while (etl_items_next(&items, &item)) {
        etl_json_object(json, NULL);
        etl_json_hex(json, "type", item.type, 1);
        const char *name = etl_item_type_name(item.type);
        if (name != NULL)
            etl_json_text(json, "name", name);
        etl_json_u64(json, "offset", event->offset + item.offset);
        etl_json_u32(json, "size", item.size);
        members(json, &item);
        etl_json_bytes(json, "data", item.data);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}
