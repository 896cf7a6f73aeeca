/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the extended items of an event form a chain inside it, and that each item can be decoded. Called by
 * oracle_step.
 */
#include "step_checks.h"

static void read_schema(oracle_watch *oracle, etl_span data)
{
    etl_schema schema;
    if (!etl_schema_read(data, &schema))
        return;
    oracle_mix_bytes(oracle, schema.name);
    etl_schema_field field;
    for (uint32_t n = 0; n < ETL_SCHEMA_FIELDS_MAX && etl_schema_next(&schema.fields, &field); n++)
        oracle_mix(oracle, field.in_type ^ field.out_type ^ field.tag);
}

static void read_traits(oracle_watch *oracle, etl_span data)
{
    etl_traits traits;
    if (etl_traits_read(data, &traits))
        oracle_mix(oracle, traits.group.data1 ^ traits.decode.data1);
}

static void read_sid(oracle_watch *oracle, const etl_item *item)
{
    etl_sid sid;
    if (etl_item_sid(item, &sid))
        oracle_mix(oracle, sid.authority ^ sid.sub_authority[0]);
}

static void read_stack(oracle_watch *oracle, const etl_item *item)
{
    oracle_mix(oracle, etl_item_match_id(item));
    uint32_t count = etl_item_address_count(item);
    for (uint32_t i = 0; i < count; i++)
        oracle_mix(oracle, etl_item_address(item, i));
}

static void read_u64s(oracle_watch *oracle, const etl_item *item)
{
    uint32_t count = etl_item_u64_count(item);
    for (uint32_t i = 0; i < count; i++)
        oracle_mix(oracle, etl_item_u64(item, i));
}

static void read_item(oracle_watch *oracle, const etl_item *item)
{
    switch (item->layout) {
    case ETL_ITEM_LAYOUT_GUID:
        oracle_mix(oracle, etl_item_guid(item).data1);
        break;
    case ETL_ITEM_LAYOUT_SID:
        read_sid(oracle, item);
        break;
    case ETL_ITEM_LAYOUT_U32:
        oracle_mix(oracle, etl_item_u32(item));
        break;
    case ETL_ITEM_LAYOUT_U64:
        oracle_mix(oracle, etl_item_u64(item, 0));
        break;
    case ETL_ITEM_LAYOUT_U64S:
        read_u64s(oracle, item);
        break;
    case ETL_ITEM_LAYOUT_INSTANCE:
        oracle_mix(oracle, etl_item_instance_info(item).instance_id);
        break;
    case ETL_ITEM_LAYOUT_STACK32:
    case ETL_ITEM_LAYOUT_STACK64:
        read_stack(oracle, item);
        break;
    case ETL_ITEM_LAYOUT_STACK_KEY:
        oracle_mix(oracle, etl_item_match_id(item));
        oracle_mix(oracle, etl_item_stack_key(item));
        break;
    case ETL_ITEM_LAYOUT_SCHEMA:
        read_schema(oracle, item->data);
        break;
    case ETL_ITEM_LAYOUT_TRAITS:
        read_traits(oracle, item->data);
        break;
    case ETL_ITEM_LAYOUT_BYTES:
    case ETL_ITEM_LAYOUT_TEXT:
        break;
    }
}

static bool item_holds(const etl_event *event, const etl_item *item, uint64_t at)
{
    uint64_t end = (uint64_t)event->header_size + event->items_size;
    uint64_t least = (uint64_t)ETL_SIZE(EXTENDED_DATA_ITEM) + item->data.size;
    return item->offset == at && item->size >= least && at + item->size <= end &&
           (item->data.size == 0 || item->data.at == event->bytes.at + at + ETL_SIZE(EXTENDED_DATA_ITEM));
}

bool oracle_items(oracle_watch *oracle, const etl_event *event)
{
    uint64_t at = event->header_size;
    uint32_t count = 0;
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item)) {
        if (++count > ETL_ITEMS_MAX || !item_holds(event, &item, at))
            return oracle_break(oracle, ORACLE_PROMISE_ITEMS, event->offset);
        at += item.size;
        oracle_mix(oracle, item.type);
        oracle_mix(oracle, item.layout);
        oracle_mix(oracle, item.linkage);
        read_item(oracle, &item);
    }
    if (at != (uint64_t)event->header_size + event->items_size)
        return oracle_break(oracle, ORACLE_PROMISE_ITEMS, event->offset);
    return true;
}
