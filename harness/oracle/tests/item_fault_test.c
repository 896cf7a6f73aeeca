/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that the oracle over extended items fails when a function of the decoder returns one wrong member. The linker puts
 * the functions written with WRAP in front of the decoder's (--wrap).
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

#define ITEM ETL_SIZE(EXTENDED_DATA_ITEM)
#define SID_AT(member) offsetof(etl_sid, member)
#define INSTANCE_AT(member) offsetof(etl_item_instance, member)

/* An item, and the byte that is changed in the result of a call of `function`; `call`: how many calls come before. */
static const struct fault {
    uint16_t type, size;
    const char *function; /* NULL: no fault */
    unsigned call;
    size_t at;
    uint8_t change; /* bits that are inverted */
} faults[] = {
    {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 16, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 16, "etl_item_guid", 0, 0, 1},
    {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 16, "etl_item_guid", 0, 15, 1},
    {ETL_ITEM_TYPE_SID, 12, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_SID, 12, "whole", 0, 0, 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(revision), 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(count), 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(authority), 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(authority) + 5, 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(authority) + 7, 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(sub_authority), 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(sub_authority[1]), 1},
    {ETL_ITEM_TYPE_SID, 12, "etl_sid_read", 0, SID_AT(sub_authority[14]), 1},
    {ETL_ITEM_TYPE_SID, 68, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_SID, 68, "etl_sid_read", 0, SID_AT(sub_authority[14]), 1},
    {ETL_ITEM_TYPE_TS_ID, 4, "etl_item_u32", 0, 0, 1},
    {ETL_ITEM_TYPE_TS_ID, 4, "etl_item_u32", 0, 3, 1},
    {ETL_ITEM_TYPE_PEBS_INDEX, 8, "etl_item_u64", 0, 0, 1},
    {ETL_ITEM_TYPE_PEBS_INDEX, 8, "etl_item_u64", 0, 7, 1},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, "etl_item_u64_count", 0, 0, 1},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, "etl_item_u64_count", 0, 3, 0x20}, /* times 8, the same modulo 2^32 */
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, "etl_item_u64", 0, 7, 1},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, "etl_item_u64", 1, 0, 1},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, "etl_item_instance_info", 0, INSTANCE_AT(instance_id), 1},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, "etl_item_instance_info", 0, INSTANCE_AT(parent_instance_id), 1},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, "etl_item_instance_info", 0, INSTANCE_AT(parent_guid), 1},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, "etl_item_instance_info", 0, INSTANCE_AT(parent_guid) + 15, 1},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_match_id", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_match_id", 0, 7, 1},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_address_count", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_address_count", 0, 3, 0x40},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_address", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE32, 16, "etl_item_address", 1, 4, 1},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, "etl_item_match_id", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, "etl_item_address_count", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, "etl_item_address_count", 0, 3, 0x20},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, "etl_item_address", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, "etl_item_address", 1, 7, 1},
    {ETL_ITEM_TYPE_STACK_KEY32, 16, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_STACK_KEY32, 16, "etl_item_match_id", 0, 0, 1},
    {ETL_ITEM_TYPE_STACK_KEY32, 16, "etl_item_stack_key", 0, 3, 1},
    {ETL_ITEM_TYPE_STACK_KEY32, 16, "etl_item_stack_key", 0, 4, 1},
    {ETL_ITEM_TYPE_STACK_KEY64, 16, NULL, 0, 0, 0},
    {ETL_ITEM_TYPE_STACK_KEY64, 16, "etl_item_match_id", 0, 7, 1},
    {ETL_ITEM_TYPE_STACK_KEY64, 16, "etl_item_stack_key", 0, 7, 1},
};

static const struct fault *injected; /* NULL: none */
static unsigned calls;

static void spoil(const char *function, void *result)
{
    if (injected && injected->function && strcmp(injected->function, function) == 0 && calls++ == injected->call)
        ((uint8_t *)result)[injected->at] ^= injected->change;
}

#define WRAP(type, name, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        type result = __real_##name arguments; \
        spoil(#name, &result); \
        return result; \
    }
WRAP(etl_guid, etl_item_guid, (const etl_item *item), (item))
WRAP(uint32_t, etl_item_u32, (const etl_item *item), (item))
WRAP(uint64_t, etl_item_u64, (const etl_item *item, uint32_t index), (item, index))
WRAP(uint32_t, etl_item_u64_count, (const etl_item *item), (item))
WRAP(etl_item_instance, etl_item_instance_info, (const etl_item *item), (item))
WRAP(uint64_t, etl_item_match_id, (const etl_item *item), (item))
WRAP(uint32_t, etl_item_address_count, (const etl_item *item), (item))
WRAP(uint64_t, etl_item_address, (const etl_item *item, uint32_t index), (item, index))
WRAP(uint64_t, etl_item_stack_key, (const etl_item *item), (item))

bool __real_etl_sid_read(etl_span data, etl_sid *sid);
bool __wrap_etl_sid_read(etl_span data, etl_sid *sid);
bool __wrap_etl_sid_read(etl_span data, etl_sid *sid)
{
    bool whole = __real_etl_sid_read(data, sid);
    spoil("etl_sid_read", sid);
    spoil("whole", &whole);
    return whole;
}

/* The event is only the item; its bytes are all different. */
static bool fault_holds(const struct fault *fault)
{
    uint8_t bytes[ITEM + 72];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0xFF - i);
    const uint16_t total = (uint16_t)(ITEM + (fault->size + 7u) / 8 * 8);
    put(bytes + ETL_AT(EXTENDED_DATA_ITEM, TotalSize), 2, total);
    put(bytes + ETL_AT(EXTENDED_DATA_ITEM, ExtType), 2, fault->type);
    put(bytes + ETL_AT(EXTENDED_DATA_ITEM, Linkage), 2, 0);
    put(bytes + ETL_AT(EXTENDED_DATA_ITEM, DataSize), 2, fault->size);
    if (fault->type == ETL_ITEM_TYPE_SID)
        bytes[ITEM + 1] = (uint8_t)((fault->size - 8) / 4);
    const etl_event event = {.bytes = {bytes, total}, .size = total, .items_size = total};
    oracle_watch oracle;
    oracle_init(&oracle, total, ETL_LIMITS_DEFAULT, true);
    injected = fault;
    calls = 0;
    const bool held = oracle_items(&oracle, &event);
    injected = NULL;
    return held == !fault->function && oracle.broken == (held ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_ITEM);
}

void test_item_faults(void)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char what[96];
        snprintf(what, sizeof what, "type 0x%02X with %u bytes, wrong byte %zu of %s", faults[i].type, faults[i].size,
                 faults[i].at, faults[i].function ? faults[i].function : "nothing");
        say(fault_holds(&faults[i]), what);
    }
}
