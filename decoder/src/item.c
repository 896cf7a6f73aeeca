/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the members of an extended data item, by item layout. Called by users of the library and by item_contents.c.
 */
#include "etlproof/item.h"

#include "span.h"

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
etl_guid etl_item_guid(const etl_item *item)
{
    return etl_load_guid(item->data, 0);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint32_t etl_item_u32(const etl_item *item)
{
    return etl_load_u32(item->data, 0);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint64_t etl_item_u64(const etl_item *item, uint32_t index)
{
    return etl_load_u64(item->data, (size_t)index * 8);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint32_t etl_item_u64_count(const etl_item *item)
{
    return (uint32_t)(item->data.size / 8);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
etl_item_instance etl_item_instance_info(const etl_item *item)
{
    etl_item_instance info = {etl_load_u32(item->data, 0), etl_load_u32(item->data, 4), etl_load_guid(item->data, 8)};
    return info;
}

/* STACK32, STACK64 and STACK_KEY start with a u64 MatchId. */
enum { MATCH_ID_SIZE = 8 };

/*@ requires \valid_read(item);
  @ assigns \nothing;
  @ ensures \result == 4 || \result == 8; */
static size_t address_size(const etl_item *item)
{
    return item->layout == ETL_ITEM_LAYOUT_STACK32 ? 4 : 8;
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint64_t etl_item_match_id(const etl_item *item)
{
    return etl_load_u64(item->data, 0);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint32_t etl_item_address_count(const etl_item *item)
{
    return (uint32_t)((item->data.size - MATCH_ID_SIZE) / address_size(item));
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint64_t etl_item_address(const etl_item *item, uint32_t index)
{
    size_t at = MATCH_ID_SIZE + index * address_size(item);
    return address_size(item) == 4 ? etl_load_u32(item->data, at) : etl_load_u64(item->data, at);
}

/*@ requires \valid_read(item) && etl_readable(item->data);
  @ assigns \nothing; */
uint64_t etl_item_stack_key(const etl_item *item)
{
    bool narrow = item->type == ETL_ITEM_TYPE_STACK_KEY32;
    return narrow ? etl_load_u32(item->data, MATCH_ID_SIZE) : etl_load_u64(item->data, MATCH_ID_SIZE);
}

bool etl_sid_read(etl_span data, etl_sid *sid)
{
    const size_t header = 8; /* revision, count, 6-byte authority */
    *sid = (etl_sid){.revision = etl_load_u8(data, 0), .count = etl_load_u8(data, 1)};
    if (sid->count > 15 || data.size != header + 4u * sid->count)
        return false;
    /*@ loop invariant 2 <= i <= header;
      @ loop assigns i, sid->authority;
      @ loop variant header - i; */
    for (size_t i = 2; i < header; i++)
        sid->authority = sid->authority << 8 | etl_load_u8(data, i);
    /*@ loop invariant 0 <= i <= sid->count <= 15;
      @ loop assigns i, sid->sub_authority[0 .. 14];
      @ loop variant sid->count - i; */
    for (size_t i = 0; i < sid->count; i++)
        sid->sub_authority[i] = etl_load_u32(data, header + 4 * i);
    return true;
}
