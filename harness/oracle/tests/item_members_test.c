/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over extended items: chains that end in every way, items of every type, metadata and traits of any
 * length.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

#define HEADER ETL_SIZE(EVENT_HEADER)
#define ITEM ETL_SIZE(EXTENDED_DATA_ITEM)
#define NO_RULE ETL_RULE_COUNT

static struct played_decode {
    uint8_t bytes[1024];
    etl_event event;
    oracle_measure measure;
    etl_findings findings;
    etl_item item;
} s;

static void put_item(uint32_t at, uint16_t total, uint16_t type, uint16_t linkage, uint16_t data_size)
{
    put(s.bytes + at + ETL_AT(EXTENDED_DATA_ITEM, TotalSize), 2, total);
    put(s.bytes + at + ETL_AT(EXTENDED_DATA_ITEM, ExtType), 2, type);
    put(s.bytes + at + ETL_AT(EXTENDED_DATA_ITEM, Linkage), 2, linkage);
    put(s.bytes + at + ETL_AT(EXTENDED_DATA_ITEM, DataSize), 2, data_size);
}

/* An EVENT with `available` bytes, all different, after its header. */
static void make(uint32_t available)
{
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < sizeof s.bytes; i++)
        s.bytes[i] = (uint8_t)(i % 251 + 1);
    s.event = (etl_event){.offset = 0x1000, .bytes = {s.bytes, HEADER + available}, .size = HEADER + available,
                          .header_size = HEADER, .items_size = available, .layout = ETL_LAYOUT_EVENT};
}

static void measure(void)
{
    s.findings.count = 0;
    s.measure.at = HEADER;
    s.measure.size = etl_items_measure(&s.event, HEADER, &s.measure.whole, &s.findings);
}

typedef bool check(oracle_watch *oracle);

static bool chain_holds(oracle_watch *o) { return oracle_chain(o, &s.event, s.measure); }
static bool item_holds(oracle_watch *o) { return oracle_item(o, &s.event, &s.item); }
static bool items_hold(oracle_watch *o) { return oracle_items(o, &s.event); }

static bool keeps(check *holds, oracle_promise expected)
{
    oracle_watch oracle;
    oracle_init(&oracle, sizeof s.bytes, ETL_LIMITS_DEFAULT, true);
    return holds(&oracle) == (expected == ORACLE_PROMISE_COUNT) && oracle.broken == expected;
}

/* `count` items of `total` bytes in a row, each linked to the next; the last has the Linkage `linked`. */
static const struct chain_row {
    const char *what;
    uint16_t count, total, data_size, linked;
    uint32_t available, size; /* `size`: of the chain, as expected */
    etl_rule end;
} chains[] = {
    {"one item", 1, ITEM + 8, 8, 0, 40, 16, NO_RULE},
    {"an item that fills the event", 1, ITEM + 8, 8, 0, 16, 16, NO_RULE},
    {"an item without data", 1, ITEM, 0, 0, 8, 8, NO_RULE},
    {"an item with seven bytes of padding", 1, ITEM + 8, 1, 0, 16, 16, NO_RULE},
    {"two items", 2, ITEM + 8, 5, 0, 40, 32, NO_RULE},
    {"an item with a reserved bit beside its link", 1, ITEM, 0, 2, 40, 8, NO_RULE},
    {"the largest number of items", 32, ITEM, 0, 0, 300, 256, NO_RULE},
    {"one item more than allowed", 33, ITEM, 0, 0, 300, 256, ETL_RULE_EXT_004},
    {"a link to fewer bytes than an item", 1, ITEM, 0, 1, 15, 8, ETL_RULE_EXT_003},
    {"a link to nothing", 2, ITEM, 0, 1, 16, 16, ETL_RULE_EXT_003},
    {"too few bytes for an item", 0, 0, 0, 0, 7, 0, ETL_RULE_EXT_003},
    {"an item of an odd size", 1, ITEM + 4, 4, 0, 40, 0, ETL_RULE_EXT_002},
    {"an item shorter than its data", 1, ITEM + 8, 9, 0, 40, 0, ETL_RULE_EXT_002},
    {"an item with eight bytes of padding", 1, ITEM + 16, 8, 0, 40, 0, ETL_RULE_EXT_002},
    {"an item past the event", 1, ITEM + 8, 8, 0, 15, 0, ETL_RULE_EXT_002},
};

static void make_chain(const struct chain_row *r)
{
    make(r->available);
    for (uint16_t i = 0; i < r->count; i++)
        put_item(HEADER + i * (uint32_t)r->total, r->total, ETL_ITEM_TYPE_PSM_KEY, i + 1 < r->count ? 1 : r->linked,
                 r->data_size);
    measure();
}

static bool chain_row_holds(const struct chain_row *r)
{
    make_chain(r);
    if (s.measure.size != r->size || s.measure.whole != (r->end == NO_RULE) || !keeps(chain_holds, ORACLE_PROMISE_COUNT))
        return false;
    s.measure.size ^= 8;
    bool right = keeps(chain_holds, ORACLE_PROMISE_CHAIN);
    s.measure.size ^= 8;
    s.measure.whole = !s.measure.whole;
    right = right && keeps(chain_holds, ORACLE_PROMISE_CHAIN);
    s.measure.whole = !s.measure.whole;
    return right;
}

static void test_chains(void)
{
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        say(chain_row_holds(&chains[i]), chains[i].what);
}

/* Data of `size` bytes of a type, and their expected layout. */
static const struct item_row {
    uint16_t type, size;
    etl_item_layout layout;
} items[] = {
    {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 16, ETL_ITEM_LAYOUT_GUID},
    {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 17, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_SID, 7, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_SID, 8, ETL_ITEM_LAYOUT_SID},
    {ETL_ITEM_TYPE_SID, 10, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_SID, 12, ETL_ITEM_LAYOUT_SID},
    {ETL_ITEM_TYPE_SID, 68, ETL_ITEM_LAYOUT_SID},
    {ETL_ITEM_TYPE_SID, 72, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_TS_ID, 4, ETL_ITEM_LAYOUT_U32},
    {ETL_ITEM_TYPE_TS_ID, 8, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_INSTANCE_INFO, 24, ETL_ITEM_LAYOUT_INSTANCE},
    {ETL_ITEM_TYPE_STACK_TRACE32, 8, ETL_ITEM_LAYOUT_STACK32},
    {ETL_ITEM_TYPE_STACK_TRACE32, 20, ETL_ITEM_LAYOUT_STACK32},
    {ETL_ITEM_TYPE_STACK_TRACE64, 20, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_STACK_TRACE64, 24, ETL_ITEM_LAYOUT_STACK64},
    {ETL_ITEM_TYPE_PEBS_INDEX, 8, ETL_ITEM_LAYOUT_U64},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 0, ETL_ITEM_LAYOUT_U64S},
    {ETL_ITEM_TYPE_PMC_COUNTERS, 16, ETL_ITEM_LAYOUT_U64S},
    {ETL_ITEM_TYPE_PSM_KEY, 3, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_EVENT_SCHEMA_TL, 9, ETL_ITEM_LAYOUT_SCHEMA},
    {ETL_ITEM_TYPE_PROV_TRAITS, 9, ETL_ITEM_LAYOUT_TRAITS},
    {ETL_ITEM_TYPE_CONTAINER_ID, 9, ETL_ITEM_LAYOUT_TEXT},
    {ETL_ITEM_TYPE_STACK_KEY32, 12, ETL_ITEM_LAYOUT_STACK_KEY},
    {ETL_ITEM_TYPE_STACK_KEY32, 16, ETL_ITEM_LAYOUT_STACK_KEY},
    {ETL_ITEM_TYPE_STACK_KEY32, 20, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_STACK_KEY64, 16, ETL_ITEM_LAYOUT_STACK_KEY},
    {0, 0, ETL_ITEM_LAYOUT_BYTES},
    {0, 16, ETL_ITEM_LAYOUT_BYTES},
    {ETL_ITEM_TYPE_STACK_KEY64 + 1, 16, ETL_ITEM_LAYOUT_BYTES},
    {0xFFFF, 16, ETL_ITEM_LAYOUT_BYTES},
};

#define MEMBER(name) {#name, offsetof(etl_item, name)}
static const struct {
    const char *name;
    size_t at;
} members[] = {MEMBER(type), MEMBER(size), MEMBER(linkage), MEMBER(layout), MEMBER(data.size)};

static bool members_hold(void)
{
    bool right = true;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        uint8_t *byte = (uint8_t *)&s.item + members[i].at;
        const bool is_layout = members[i].at == offsetof(etl_item, layout);
        const etl_item was = s.item;
        *byte ^= 1;
        if (is_layout) /* a layout that reads no data, which may be too short */
            s.item.layout = was.layout == ETL_ITEM_LAYOUT_BYTES ? ETL_ITEM_LAYOUT_TEXT : ETL_ITEM_LAYOUT_BYTES;
        if (!keeps(item_holds, ORACLE_PROMISE_ITEM)) {
            printf("# %s\n", members[i].name);
            right = false;
        }
        s.item = was;
    }
    return right;
}

/* `count`: the sub-authorities that a SID states. */
static bool item_row_holds(const struct item_row *r, uint8_t count)
{
    make(ITEM + (r->size + 7u) / 8 * 8);
    put_item(HEADER, (uint16_t)(ITEM + (r->size + 7u) / 8 * 8), r->type, 0, r->size);
    s.bytes[HEADER + ITEM + 1] = count;
    etl_items all = etl_event_items(&s.event);
    return etl_items_next(&all, &s.item) && s.item.layout == r->layout && keeps(items_hold, ORACLE_PROMISE_COUNT) &&
           keeps(item_holds, ORACLE_PROMISE_COUNT) && members_hold();
}

static void test_item_rows(void)
{
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "an item of type 0x%02X with %u bytes", items[i].type, items[i].size);
        const uint8_t count = items[i].size >= 8 ? (uint8_t)((items[i].size - 8) / 4) : 0;
        say(item_row_holds(&items[i], count), what);
    }
    say(item_row_holds(&items[5], 2), "a SID that states more sub-authorities than it has");
    say(item_row_holds(&items[6], 16), "a SID that states more sub-authorities than allowed");
}

/* Decodes whose items are not a chain, because the decoder did not check their sizes. */
static const struct {
    const char *what;
    uint16_t total, data_size;
    uint32_t items_size, end;
    oracle_promise promise;
} walks[] = {
    {"items that follow one another", 16, 8, 32, 0, ORACLE_PROMISE_COUNT},
    {"an item without data at the end", 8, 0, 8, 0, ORACLE_PROMISE_COUNT},
    {"thirty-two items", 8, 0, 256, 0, ORACLE_PROMISE_COUNT},
    {"thirty-three items", 8, 0, 264, 0, ORACLE_PROMISE_ITEMS},
    {"an item shorter than its data, in a walk", 8, 8, 16, 0, ORACLE_PROMISE_ITEMS},
    {"an item past the end of the items", 24, 8, 16, 0, ORACLE_PROMISE_ITEMS},
};

static void test_walks(void)
{
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        make(512);
        s.event.items_size = walks[i].items_size;
        for (uint32_t at = 0; at < walks[i].items_size; at += walks[i].total)
            put_item(HEADER + at, walks[i].total, ETL_ITEM_TYPE_PSM_KEY, 1, walks[i].data_size);
        say(keeps(items_hold, walks[i].promise), walks[i].what);
    }
}

/* Metadata with each way to describe a field, and traits of each kind; the first two bytes are the size. */
static const uint8_t schema[] = {
    0, 0, 0x81, 0x7F, 'E', 'v', 0, 'a', 0, 0x08, 'b', 0, 0x88, 0x02, 'c', 0, 0x88, 0x82, 0x81, 0x82, 0x83, 0x84, 0x85, 0x06,
    'd', 0, 0x28, 0x34, 0x12, 'e', 0, 0x68, 0x03, 0x00, 1, 2, 3, 'f', 0, 0x48, 0, 0xA8, 0x7F, 0x05, 0x00, 'g', 0, 0xE8,
    0x01, 0x00, 0x00, 'h', 0, 0x7F, 0x00, 0x00,
};
static const uint8_t traits[] = {
    0, 0, 'P', 0, 19, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 0, 2, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 19, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 0, 0, 1, 2,
    3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 3,
    0, 1,
};

static bool one_holds(const uint8_t *bytes, size_t size, bool (*holds)(etl_span data))
{
    if (!holds((etl_span){bytes, size}))
        printf("# at %zu bytes that state %u\n", size, bytes[0]);
    return holds((etl_span){bytes, size});
}

/* Truncated at each byte, with the stated size corrected and not; a size too large, and too small; each byte changed. */
static bool all_hold(const uint8_t *bytes, size_t size, bool (*holds)(etl_span data))
{
    uint8_t copy[128] = {0};
    bool right = true;
    for (size_t cut = 0; cut <= size; cut++) {
        memcpy(copy, bytes, size);
        copy[0] = (uint8_t)cut;
        right = one_holds(copy, cut, holds) && one_holds(copy, size, holds) && right;
        copy[0] = (uint8_t)(cut + 1);
        right = one_holds(copy, cut, holds) && right;
    }
    for (size_t at = 2; at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, bytes, size);
            copy[0] = (uint8_t)size;
            copy[at] ^= (uint8_t)(1u << bit);
            right = one_holds(copy, size, holds) && right;
        }
    return right;
}

void test_item(void)
{
    test_chains();
    test_item_rows();
    test_walks();
    say(all_hold(schema, sizeof schema, oracle_schema_holds), "metadata of any length");
    say(all_hold(traits, sizeof traits, oracle_traits_hold), "traits of any length");
}
