/* SPDX-License-Identifier: Apache-2.0 */
/* item_contents.c: items whose data contradicts itself are found when their event is framed. */
#include "etlproof/items.h"
#include "etlproof/schema.h"

#include "test.h"
#include "test_bytes.h"

enum { ITEM = 0x50, DATA = ITEM + 8, PLACE = 0x2000 };

/* Frames an event with one item of `type` and `data`: it gets one finding of `rule`, at byte `at` of the data. */
static void check(uint16_t type, const test_bytes *data, etl_rule rule, uint32_t at)
{
    static etl_findings findings;
    test_bytes b = {NULL, 0};
    size_t total = (8 + data->size + 7) & ~(size_t)7;
    put_fill(&b, 0, ITEM + total, 0);
    put_u16(&b, 0, (uint16_t)b.size);
    put_u16(&b, 2, 0xC013);
    put_u16(&b, 4, 1);
    put_u16(&b, ITEM, (uint16_t)total);
    put_u16(&b, ITEM + 2, type);
    put_u16(&b, ITEM + 6, (uint16_t)data->size);
    put_bytes(&b, DATA, data->at, data->size);
    findings.count = 0;
    etl_event event = {.offset = PLACE, .index = 1, .buffer = 2};
    CHECK(etl_event_frame(span_of(&b), 0, (uint32_t)b.size, &event, &findings));
    CHECK_UINT(total, event.items_size);
    CHECK_UINT(rule == ETL_RULE_COUNT ? 0 : 1, findings.count);
    if (findings.count == 1 && rule != ETL_RULE_COUNT) {
        CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(findings.at[0].rule)->id);
        CHECK_UINT(PLACE + DATA + at, findings.at[0].offset);
        CHECK_UINT(1, findings.at[0].event);
        CHECK_UINT(2, findings.at[0].buffer);
    }
    release(&b);
}

/* Metadata with an empty name and `fields` fields of two bytes: an empty name and type U32. */
static test_bytes metadata(uint32_t fields)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, 4, 0);
    for (uint32_t i = 0; i < fields; i++) {
        put_u8(&b, b.size, 0);
        put_u8(&b, b.size, 8);
    }
    put_u16(&b, 0, (uint16_t)b.size);
    return b;
}

static void test_schema(void)
{
    static const uint32_t counts[] = {0, 1, ETL_SCHEMA_FIELDS_MAX - 1, ETL_SCHEMA_FIELDS_MAX, ETL_SCHEMA_FIELDS_MAX + 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        test_bytes b = metadata(counts[i]);
        bool many = counts[i] > ETL_SCHEMA_FIELDS_MAX;
        check(0x0B, &b, many ? ETL_RULE_PAY_005 : ETL_RULE_COUNT, 4 + 2 * ETL_SCHEMA_FIELDS_MAX);
        release(&b);
    }
}

/* The finding points to the field that does not fit, or to the blob if the blob's header does not fit. */
static void test_broken_schema(void)
{
    test_bytes b = metadata(3);
    put_u8(&b, 9, 0x28); /* the third field: a constant count follows, but is not there */
    check(0x0B, &b, ETL_RULE_PAY_001, 8);
    put_fill(&b, b.size, 4, 0); /* bytes after the blob are not its own */
    check(0x0B, &b, ETL_RULE_PAY_001, 8);
    put_u16(&b, 0, (uint16_t)(b.size + 1));
    check(0x0B, &b, ETL_RULE_PAY_001, 0);
    put_u16(&b, 0, 3);
    check(0x0B, &b, ETL_RULE_PAY_001, 0);
    release(&b);
}

static void test_traits(void)
{
    test_bytes b = {NULL, 0};
    put_u16(&b, 0, 7);
    put_bytes(&b, 2, "P", 2);
    put_u16(&b, 4, 3);
    put_u8(&b, 6, 9);
    check(0x0C, &b, ETL_RULE_COUNT, 0);
    put_u16(&b, 4, 4);
    check(0x0C, &b, ETL_RULE_PAY_001, 0);
    release(&b);
}

/* The contents of items of other types are not checked. */
static void test_others(void)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, 16, 0xFF);
    check(0x01, &b, ETL_RULE_COUNT, 0);
    check(0x06, &b, ETL_RULE_COUNT, 0);
    check(0x09, &b, ETL_RULE_COUNT, 0);
    check(0x10, &b, ETL_RULE_COUNT, 0);
    check(0x02, &b, ETL_RULE_PAY_004, 1);
    release(&b);
}

int main(void)
{
    test_schema();
    test_broken_schema();
    test_traits();
    test_others();
    return test_result();
}
