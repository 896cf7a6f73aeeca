/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An extended data item of an EVENT_HEADER, and the members of its data.
 */
#ifndef ETLPROOF_ITEM_H
#define ETLPROOF_ITEM_H

#include <stdbool.h>

#include "etlproof/bytes.h"
#include "etlproof/format.h"
#include "etlproof/guid.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

typedef enum etl_item_layout {
    ETL_ITEM_LAYOUT_BYTES,     /* opaque; every unknown type */
    ETL_ITEM_LAYOUT_GUID,
    ETL_ITEM_LAYOUT_SID,
    ETL_ITEM_LAYOUT_U32,
    ETL_ITEM_LAYOUT_U64,
    ETL_ITEM_LAYOUT_U64S,      /* u64[] */
    ETL_ITEM_LAYOUT_INSTANCE,  /* u32 InstanceId, u32 ParentInstanceId, GUID ParentGuid */
    ETL_ITEM_LAYOUT_STACK32,   /* u64 MatchId, u32 Address[] */
    ETL_ITEM_LAYOUT_STACK64,   /* u64 MatchId, u64 Address[] */
    ETL_ITEM_LAYOUT_STACK_KEY, /* u64 MatchId, u32 or u64 StackKey */
    ETL_ITEM_LAYOUT_SCHEMA,    /* TraceLogging event metadata: schema.h */
    ETL_ITEM_LAYOUT_TRAITS,    /* provider traits: schema.h */
    ETL_ITEM_LAYOUT_TEXT       /* text of DataSize bytes */
} etl_item_layout;

typedef struct etl_item {
    uint16_t type;          /* ExtType */
    uint32_t offset;        /* from the start of the event */
    uint32_t size;          /* with its 8-byte header and its padding */
    bool linkage;           /* another item follows */
    etl_item_layout layout; /* BYTES where DataSize does not fit the type */
    etl_span data;          /* DataSize bytes */
} etl_item;

/* Members of an item. Call each only for an item of its layout, with an index below the count. */
etl_guid etl_item_guid(const etl_item *item);
uint32_t etl_item_u32(const etl_item *item);
uint64_t etl_item_u64(const etl_item *item, uint32_t index);
uint32_t etl_item_u64_count(const etl_item *item);

typedef struct etl_item_instance {
    uint32_t instance_id, parent_instance_id;
    etl_guid parent_guid;
} etl_item_instance;
etl_item_instance etl_item_instance_info(const etl_item *item);

/* STACK32, STACK64. MatchId is 0 if no kernel stack belongs to this user stack. */
uint64_t etl_item_match_id(const etl_item *item);
uint32_t etl_item_address_count(const etl_item *item);
uint64_t etl_item_address(const etl_item *item, uint32_t index);
/* STACK_KEY */
uint64_t etl_item_stack_key(const etl_item *item);

/* SID: revision, 48-bit big-endian authority, 0 to 15 sub-authorities. */
typedef struct etl_sid {
    uint8_t revision, count;
    uint64_t authority;
    uint32_t sub_authority[15];
} etl_sid;
/* False if the count does not agree with the size: PAY-004. */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && \valid(sid);
  @ requires \separated(sid, data.at + (0 .. data.size - 1));
  @ assigns *sid; */
bool etl_sid_read(etl_span data, etl_sid *sid);

ETL_C_END

#endif
