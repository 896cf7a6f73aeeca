/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares every member of an extended item with the item's bytes as the oracle reads them. Called by item_walk.c.
 */
#include "entry_points.h"
#include "input_bytes.h"

/* Whether data have `base` bytes, and `most` units at most. */
static bool fits(size_t size, uint32_t base, uint32_t unit, uint32_t most)
{
    for (uint32_t n = 0; n < most && size >= base + unit; n++)
        size -= unit;
    return size == base;
}

static etl_item_layout layout_of(const etl_item *item)
{
    switch (item->type) {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) \
    case value: \
        return fits(item->data.size, base, unit, most) ? ETL_ITEM_LAYOUT_##layout : ETL_ITEM_LAYOUT_BYTES;
#include "format/item_types.def"
    default:
        return ETL_ITEM_LAYOUT_BYTES;
    }
}

static bool guid_holds(const etl_item *item)
{
    etl_guid guid = etl_item_guid(item), raw = oracle_raw_guid(item->data.at);
    return memcmp(&guid, &raw, sizeof guid) == 0;
}

static bool sid_holds(const etl_item *item)
{
    const uint8_t *b = item->data.at;
    etl_sid sid, raw = {.revision = b[0], .count = b[1]};
    bool whole = etl_sid_read(item->data, &sid);
    if (whole != (item->data.size == 8 + 4u * b[1])) /* of the layout SID: 15 sub-authorities at most */
        return false;
    if (!whole)
        return true;
    for (size_t i = 2; i < 8; i++)
        raw.authority = raw.authority << 8 | b[i]; /* big-endian */
    for (size_t i = 0; i < b[1]; i++)
        raw.sub_authority[i] = oracle_raw_u32(b + 8 + 4 * i);
    return sid.revision == raw.revision && sid.count == raw.count && sid.authority == raw.authority &&
           memcmp(sid.sub_authority, raw.sub_authority, sizeof raw.sub_authority) == 0;
}

static bool u64s_hold(const etl_item *item)
{
    const uint32_t count = etl_item_u64_count(item);
    bool same = count == item->data.size / 8;
    for (uint32_t i = 0; same && i < count; i++)
        same = etl_item_u64(item, i) == oracle_raw_u64(item->data.at + 8 * i);
    return same;
}

static bool instance_holds(const etl_item *item)
{
    const uint8_t *b = item->data.at;
    etl_item_instance info = etl_item_instance_info(item);
    etl_guid raw = oracle_raw_guid(b + 8);
    return info.instance_id == oracle_raw_u32(b) && info.parent_instance_id == oracle_raw_u32(b + 4) &&
           memcmp(&info.parent_guid, &raw, sizeof raw) == 0;
}

static bool stack_holds(const etl_item *item, unsigned width)
{
    const uint32_t count = etl_item_address_count(item);
    bool same = etl_item_match_id(item) == oracle_raw_u64(item->data.at) && count == (item->data.size - 8) / width;
    for (uint32_t i = 0; same && i < count; i++)
        same = etl_item_address(item, i) == oracle_raw(item->data.at + 8 + i * width, width);
    return same;
}

static bool stack_key_holds(const etl_item *item)
{
    const unsigned width = item->type == ETL_ITEM_TYPE_STACK_KEY32 ? 4 : 8;
    return etl_item_match_id(item) == oracle_raw_u64(item->data.at) &&
           etl_item_stack_key(item) == oracle_raw(item->data.at + 8, width);
}

static bool members_hold(const etl_item *item)
{
    switch (item->layout) {
    case ETL_ITEM_LAYOUT_GUID: return ORACLE_HOLDS(guid_holds(item));
    case ETL_ITEM_LAYOUT_SID: return ORACLE_HOLDS(sid_holds(item));
    case ETL_ITEM_LAYOUT_U32: return ORACLE_HOLDS(etl_item_u32(item) == oracle_raw_u32(item->data.at));
    case ETL_ITEM_LAYOUT_U64: return ORACLE_HOLDS(etl_item_u64(item, 0) == oracle_raw_u64(item->data.at));
    case ETL_ITEM_LAYOUT_U64S: return ORACLE_HOLDS(u64s_hold(item));
    case ETL_ITEM_LAYOUT_INSTANCE: return ORACLE_HOLDS(instance_holds(item));
    case ETL_ITEM_LAYOUT_STACK32: return ORACLE_HOLDS(stack_holds(item, 4));
    case ETL_ITEM_LAYOUT_STACK64: return ORACLE_HOLDS(stack_holds(item, 8));
    case ETL_ITEM_LAYOUT_STACK_KEY: return ORACLE_HOLDS(stack_key_holds(item));
    case ETL_ITEM_LAYOUT_SCHEMA: return ORACLE_HOLDS(oracle_schema_holds(item->data));
    case ETL_ITEM_LAYOUT_TRAITS: return ORACLE_HOLDS(oracle_traits_hold(item->data));
    case ETL_ITEM_LAYOUT_BYTES:
    case ETL_ITEM_LAYOUT_TEXT: break;
    }
    return true;
}

bool oracle_item(oracle_watch *oracle, const etl_event *event, const etl_item *item)
{
    const uint8_t *b = event->bytes.at + item->offset;
    if (!ORACLE_HOLDS(item->type == oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, ExtType))) ||
        !ORACLE_HOLDS(item->size == oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize))) ||
        !ORACLE_HOLDS(item->data.size == oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, DataSize))) ||
        !ORACLE_HOLDS(item->linkage == (b[ETL_AT(EXTENDED_DATA_ITEM, Linkage)] & 1)) ||
        !ORACLE_HOLDS(item->layout == layout_of(item)) || !members_hold(item))
        return oracle_break(oracle, ORACLE_PROMISE_ITEM, event->offset + item->offset);
    return true;
}
