/* SPDX-License-Identifier: Apache-2.0 */
/* items.c and item.c: chains of extended data items, complete and broken, and the members of items. Layouts: FACTS 4. */
#include "etlproof/items.h"

#include "test.h"
#include "test_bytes.h"

enum { HEADER = 0x50, PLACE = 0x2000, INDEX = 9, BUFFER = 4 };

static etl_findings findings;
static etl_event event;
static test_bytes b;

/* An EVENT_HEADER64 with EXTENDED_INFO, still without items. */
static void begin(void)
{
    release(&b);
    put_fill(&b, 0, HEADER, 0);
    put_u16(&b, 2, 0xC013);
    put_u16(&b, 4, 1);
}

/* Adds an item with data `first`, `first` + 1 and so on, and padding other than zero. Returns its offset. */
static uint32_t add(uint16_t type, uint16_t data_size, uint16_t linkage, uint8_t first)
{
    size_t at = b.size, size = (8u + data_size + 7u) & ~7u;
    put_fill(&b, at, size, 0xE7);
    put_u16(&b, at, (uint16_t)size);
    put_u16(&b, at + 2, type);
    put_u16(&b, at + 4, linkage);
    put_u16(&b, at + 6, data_size);
    for (size_t i = 0; i < data_size; i++)
        put_u8(&b, at + 8 + i, (uint8_t)(first + i));
    return (uint32_t)at;
}

static bool frame(void)
{
    put_u16(&b, 0, (uint16_t)b.size);
    findings.count = 0;
    event = (etl_event){.offset = PLACE, .index = INDEX, .buffer = BUFFER};
    return etl_event_frame(span_of(&b), 0, (uint32_t)b.size, &event, &findings);
}

static void check_finding(uint32_t n, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    CHECK(n < findings.count);
    const etl_finding *f = &findings.at[n];
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(f->rule)->id);
    CHECK_UINT(PLACE + at, f->offset);
    CHECK_UINT(INDEX, f->event);
    CHECK_UINT(BUFFER, f->buffer);
    CHECK_UINT(relation, f->relation);
    CHECK_UINT(expected, f->expected);
    CHECK_UINT(actual, f->actual);
}

/* Checks that the event has parts of these sizes, and that nothing is lost. */
static void check_parts(size_t items, size_t data, size_t lost)
{
    CHECK_UINT(HEADER, event.header_size);
    CHECK_UINT(items, event.items_size);
    CHECK_UINT(data, event.data_size);
    CHECK_UINT(lost, event.lost_size);
    CHECK_UINT(b.size, HEADER + items + data + lost);
}

/* Checks that the last finding states the loss of the rest from `at` on. */
static void check_broken(etl_rule rule, uint32_t at, size_t items)
{
    CHECK(findings.count > 0);
    const etl_finding *f = &findings.at[findings.count - 1];
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(f->rule)->id);
    CHECK_UINT(PLACE + at, f->offset);
    CHECK_UINT(ETL_ACTION_SKIP_REST, f->action);
    CHECK_UINT(b.size - HEADER - items, f->lost);
    check_parts(items, 0, b.size - HEADER - items);
}

static size_t count_items(void)
{
    etl_items items = etl_event_items(&event);
    etl_item item;
    size_t n = 0;
    while (etl_items_next(&items, &item))
        n++;
    return n;
}

/* DataSize of each type: base + n * unit, 0 <= n <= most. FACTS 12, EXT-006. */
static const struct {
    uint16_t type, base, unit, most;
    etl_item_layout layout;
} types[] = {
    {0x01, 16, 0, 0, ETL_ITEM_LAYOUT_GUID},      {0x02, 8, 4, 15, ETL_ITEM_LAYOUT_SID},
    {0x03, 4, 0, 0, ETL_ITEM_LAYOUT_U32},        {0x04, 24, 0, 0, ETL_ITEM_LAYOUT_INSTANCE},
    {0x05, 8, 4, 999, ETL_ITEM_LAYOUT_STACK32},  {0x06, 8, 8, 999, ETL_ITEM_LAYOUT_STACK64},
    {0x07, 8, 0, 0, ETL_ITEM_LAYOUT_U64},        {0x08, 0, 8, 999, ETL_ITEM_LAYOUT_U64S},
    {0x09, 0, 1, 999, ETL_ITEM_LAYOUT_BYTES},    {0x0A, 8, 0, 0, ETL_ITEM_LAYOUT_U64},
    {0x0B, 0, 1, 999, ETL_ITEM_LAYOUT_SCHEMA},   {0x0C, 0, 1, 999, ETL_ITEM_LAYOUT_TRAITS},
    {0x0D, 8, 0, 0, ETL_ITEM_LAYOUT_U64},        {0x0E, 16, 0, 0, ETL_ITEM_LAYOUT_GUID},
    {0x0F, 8, 0, 0, ETL_ITEM_LAYOUT_U64},        {0x10, 0, 1, 999, ETL_ITEM_LAYOUT_TEXT},
    {0x11, 12, 4, 1, ETL_ITEM_LAYOUT_STACK_KEY}, {0x12, 16, 0, 0, ETL_ITEM_LAYOUT_STACK_KEY},
};
enum { TYPES = sizeof types / sizeof types[0] };

static bool fits(size_t row, uint16_t size)
{
    if (size < types[row].base)
        return false;
    uint32_t rest = (uint32_t)size - types[row].base;
    return types[row].unit == 0 ? rest == 0 : rest % types[row].unit == 0 && rest / types[row].unit <= types[row].most;
}

/*
 * A size that the type cannot have is a finding, whose expected size the type can have (EXT-006). The bytes 1, 2, 3 of the
 * data are a SID of two sub-authorities (PAY-004), and metadata or traits longer than the item (PAY-001).
 */
static void check_size_findings(size_t row, uint32_t at, uint16_t size)
{
    bool sid = types[row].type == 2 && size != 16, blob = types[row].type == 0x0B || types[row].type == 0x0C;
    etl_rule rule = !fits(row, size) ? ETL_RULE_EXT_006 : sid ? ETL_RULE_PAY_004 : blob ? ETL_RULE_PAY_001 : ETL_RULE_COUNT;
    CHECK_UINT(rule != ETL_RULE_COUNT, findings.count);
    if (findings.count != 1 || rule == ETL_RULE_COUNT)
        return;
    const etl_finding *f = &findings.at[0];
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(f->rule)->id);
    CHECK_UINT(PLACE + at + (rule == ETL_RULE_EXT_006 ? 6u : sid ? 9u : 8u), f->offset);
    CHECK_UINT(0, f->lost);
    if (rule == ETL_RULE_PAY_001)
        return;
    CHECK_UINT(rule == ETL_RULE_PAY_004 ? 2 : size, f->actual);
    CHECK(f->relation != ETL_RELATION_AT_LEAST || f->actual < f->expected);
    CHECK(f->relation != ETL_RELATION_AT_MOST || f->actual > f->expected);
    CHECK(f->relation != ETL_RELATION_EQUAL || f->actual != f->expected);
    if (rule == ETL_RULE_EXT_006 && f->relation != ETL_RELATION_NONE)
        CHECK(fits(row, (uint16_t)f->expected));
}

static void test_sizes(void)
{
    for (size_t row = 0; row < TYPES; row++) {
        for (uint16_t size = 0; size < 80; size++) {
            begin();
            uint32_t at = add(types[row].type, size, 0, 1);
            put_fill(&b, b.size, 3, 0xDD);
            CHECK(frame());
            check_parts(b.size - 3 - HEADER, 3, 0);
            etl_items items = etl_event_items(&event);
            etl_item item;
            CHECK(etl_items_next(&items, &item));
            CHECK_UINT(types[row].type, item.type);
            CHECK_UINT(at, item.offset);
            CHECK_UINT(size, item.data.size);
            CHECK_UINT(fits(row, size) ? types[row].layout : ETL_ITEM_LAYOUT_BYTES, item.layout);
            CHECK(size == 0 || item.data.at == b.at + at + 8);
            CHECK(!item.linkage);
            CHECK(!etl_items_next(&items, &item));
            check_size_findings(row, at, size);
        }
    }
}

/* ExtType 0 and 0x13 on are unknown: kept raw (EXT-005). */
static void test_unknown(void)
{
    static const uint16_t unknown[] = {0, 0x13, 0x14, 0x100, 0x101, 0x8001, 0xFFFF};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        begin();
        add(unknown[i], 16, 0, 1);
        CHECK(frame());
        check_parts(24, 0, 0);
        CHECK_UINT(1, findings.count);
        check_finding(0, ETL_RULE_EXT_005, HEADER + 2, ETL_RELATION_KNOWN, 0, unknown[i]);
        etl_items items = etl_event_items(&event);
        etl_item item;
        CHECK(etl_items_next(&items, &item));
        CHECK_UINT(ETL_ITEM_LAYOUT_BYTES, item.layout);
        CHECK_UINT(16, item.data.size);
    }
}

/* Reserved bits of the linkage word are ignored (EXT-007): only bit 0 links. */
static void test_linkage_bits(void)
{
    for (uint32_t bit = 2; bit <= 0x8000; bit <<= 1) {
        begin();
        add(3, 4, (uint16_t)(bit | 1), 1);
        uint32_t second = add(7, 8, (uint16_t)bit, 1);
        CHECK(frame());
        CHECK_UINT(2, count_items());
        CHECK_UINT(2, findings.count);
        check_finding(0, ETL_RULE_EXT_007, HEADER + 4, ETL_RELATION_BITS_WITHIN, 1, bit | 1);
        check_finding(1, ETL_RULE_EXT_007, second + 4, ETL_RELATION_BITS_WITHIN, 1, bit);
    }
}

/* Without EXTENDED_INFO there are no items, whatever the payload looks like (EXT-001). */
static void test_no_items(void)
{
    begin();
    add(1, 16, 0, 1);
    put_u16(&b, 4, 0xFFFE);
    CHECK(frame());
    CHECK_UINT(0, findings.count);
    check_parts(0, 24, 0);
    CHECK_UINT(0, count_items());
}

/* TotalSize of the second item: the right value, and values that break the chain there (EXT-002). */
static void test_lengths(void)
{
    for (uint32_t stated = 0; stated < 48; stated++) {
        begin();
        add(3, 4, 1, 1);
        uint32_t second = add(0x10, 9, 0, 1);
        put_u16(&b, second, (uint16_t)stated);
        put_fill(&b, b.size, 30, 0xDD);
        CHECK(frame());
        if (stated == 24) {
            check_parts(16 + 24, 30, 0);
            CHECK_UINT(0, findings.count);
            CHECK_UINT(2, count_items());
        } else {
            CHECK_UINT(1, findings.count);
            check_finding(0, ETL_RULE_EXT_002, second, ETL_RELATION_EQUAL, 24, stated);
            check_broken(ETL_RULE_EXT_002, second, 16);
            CHECK_UINT(1, count_items());
        }
    }
}

/* Cut at every byte: the items before the cut are read. */
static void test_cut(void)
{
    begin();
    add(3, 4, 1, 1);
    uint32_t second = add(0x10, 9, 0, 1), end = (uint32_t)b.size;
    test_bytes whole = copy_of(&b, b.size);
    for (uint32_t size = HEADER; size <= end; size++) {
        release(&b);
        b = copy_of(&whole, size);
        CHECK(frame());
        size_t fit = size >= end ? 2 : size >= second ? 1 : 0;
        CHECK_UINT(fit, count_items());
        uint32_t at = fit == 0 ? HEADER : second;
        if (fit == 2) {
            CHECK_UINT(0, findings.count);
        } else if (size - at < 8) {
            check_finding(0, ETL_RULE_EXT_003, at, ETL_RELATION_AT_LEAST, 8, size - at);
            check_broken(ETL_RULE_EXT_003, at, at - HEADER);
        } else if (at == second && size - at < 24) {
            check_finding(0, ETL_RULE_EXT_002, at, ETL_RELATION_AT_MOST, size - at, 24);
            check_broken(ETL_RULE_EXT_002, at, at - HEADER);
        } else {
            check_finding(0, ETL_RULE_EXT_002, at, ETL_RELATION_AT_MOST, size - at, 16);
            check_broken(ETL_RULE_EXT_002, at, at - HEADER);
        }
    }
    release(&whole);
}

/* A chain may have 32 items, but not 33 (EXT-004). */
static void test_many(void)
{
    for (uint32_t n = 31; n <= 34; n++) {
        begin();
        for (uint32_t i = 1; i <= n; i++)
            add(3, 4, i < n, (uint8_t)i);
        put_fill(&b, b.size, 6, 0xDD);
        CHECK(frame());
        CHECK_UINT(n < 32 ? n : 32, count_items());
        CHECK_UINT(n > 32, findings.count);
        if (n > 32) {
            check_finding(0, ETL_RULE_EXT_004, HEADER + 32 * 16, ETL_RELATION_AT_MOST, 32, 33);
            check_broken(ETL_RULE_EXT_004, HEADER + 32 * 16, (size_t)32 * 16);
        } else {
            check_parts((size_t)n * 16, 6, 0);
        }
    }
}

/* Every item can have two findings, and the chain one more: all are reported. */
static void test_most_findings(void)
{
    begin();
    for (uint32_t i = 1; i <= 33; i++)
        add(3, 5, 0x8001, 0);
    CHECK(frame());
    CHECK(!findings.overflow);
    CHECK_UINT(2 * 32 + 1, findings.count);
}

/* The items of one event, whose bytes count up from `first`. */
static etl_item only(uint16_t type, uint16_t size, uint8_t first)
{
    etl_item item = {0};
    begin();
    add(type, size, 0, first);
    CHECK(frame());
    etl_items items = etl_event_items(&event);
    CHECK(etl_items_next(&items, &item));
    return item;
}

static void test_members(void)
{
    etl_item item = only(0x01, 16, 0x21);
    etl_guid guid = etl_item_guid(&item);
    CHECK(is_guid(&guid, 0x21));
    item = only(0x03, 4, 0x81);
    CHECK_UINT(0x84838281, etl_item_u32(&item));
    item = only(0x0A, 8, 0x81);
    CHECK_UINT(UINT64_C(0x8887868584838281), etl_item_u64(&item, 0));
    item = only(0x08, 24, 0x81);
    CHECK_UINT(3, etl_item_u64_count(&item));
    CHECK_UINT(UINT64_C(0x9897969594939291), etl_item_u64(&item, 2));
    item = only(0x08, 0, 0);
    CHECK_UINT(0, etl_item_u64_count(&item));
    item = only(0x04, 24, 0x81);
    etl_item_instance info = etl_item_instance_info(&item);
    CHECK_UINT(0x84838281, info.instance_id);
    CHECK_UINT(0x88878685, info.parent_instance_id);
    CHECK(is_guid(&info.parent_guid, 0x89));
}

static void test_stacks(void)
{
    etl_item item = only(0x05, 8 + 3 * 4, 0x81);
    CHECK_UINT(UINT64_C(0x8887868584838281), etl_item_match_id(&item));
    CHECK_UINT(3, etl_item_address_count(&item));
    CHECK_UINT(0x8C8B8A89, etl_item_address(&item, 0));
    CHECK_UINT(0x94939291, etl_item_address(&item, 2));
    item = only(0x06, 8 + 2 * 8, 0x81);
    CHECK_UINT(UINT64_C(0x8887868584838281), etl_item_match_id(&item));
    CHECK_UINT(2, etl_item_address_count(&item));
    CHECK_UINT(UINT64_C(0x9897969594939291), etl_item_address(&item, 1));
    item = only(0x06, 8, 0x81);
    CHECK_UINT(0, etl_item_address_count(&item));
    item = only(0x11, 12, 0x81);
    CHECK_UINT(0x8C8B8A89, etl_item_stack_key(&item));
    item = only(0x11, 16, 0x81); /* padded to 8 bytes: the key has four bytes */
    CHECK_UINT(0x8C8B8A89, etl_item_stack_key(&item));
    item = only(0x12, 16, 0x81);
    CHECK_UINT(UINT64_C(0x8887868584838281), etl_item_match_id(&item));
    CHECK_UINT(UINT64_C(0x908F8E8D8C8B8A89), etl_item_stack_key(&item));
}

/* Revision, count, big-endian authority, and `count` sub-authorities (PAY-004). */
static void test_sid(void)
{
    etl_sid sid;
    for (uint16_t n = 0; n <= 15; n++) {
        etl_item item = only(0x02, (uint16_t)(8 + 4 * n), 0x81);
        CHECK_UINT(0x82, item.data.at[1]);
        CHECK(!etl_sid_read(item.data, &sid));
        for (uint8_t count = 0; count <= 17; count++) {
            put_u8(&b, HEADER + 8 + 1, count);
            CHECK(etl_sid_read(item.data, &sid) == (count == n));
        }
        put_u8(&b, HEADER + 8 + 1, (uint8_t)n);
        CHECK(etl_sid_read(item.data, &sid));
        CHECK_UINT(0x81, sid.revision);
        CHECK_UINT(n, sid.count);
        CHECK_UINT(UINT64_C(0x838485868788), sid.authority);
        for (uint8_t i = 0; i < n; i++) {
            uint32_t low = 0x89u + 4u * i;
            CHECK_UINT(low | (low + 1) << 8 | (low + 2) << 16 | (low + 3) << 24, sid.sub_authority[i]);
        }
    }
}

int main(void)
{
    test_sizes();
    test_unknown();
    test_linkage_bits();
    test_no_items();
    test_lengths();
    test_cut();
    test_many();
    test_most_findings();
    test_members();
    test_stacks();
    test_sid();
    release(&b);
    return test_result();
}
