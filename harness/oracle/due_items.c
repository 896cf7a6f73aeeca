/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that a chain of extended items calls for: about its sizes, its types and the contents of its items. Called
 * by due_event.c and by fuzz_items.
 */
#include "due.h"
#include "input_bytes.h"

static const struct {
    bool listed;
    uint8_t layout;
    uint32_t base, unit, most; /* DataSize is base + n * unit, n at most `most` */
} types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) \
    [value] = {true, ETL_ITEM_LAYOUT_##layout, base, unit, most},
#include "format/item_types.def"
};

/* An item of a chain. */
typedef struct item {
    const oracle_due_event *event;
    uint32_t at;     /* from the start of the event */
    uint32_t rest;   /* bytes of the event from there on */
    const uint8_t *b;
    uint32_t type, linkage, data_size, total_size;
} item;

static item item_at(const oracle_due_event *e, uint32_t at, uint32_t size)
{
    item i = {.event = e, .at = at, .rest = size - at, .b = e->data.at + e->at + at};
    if (i.rest < ETL_SIZE(EXTENDED_DATA_ITEM))
        return i;
    i.type = oracle_raw_u16(i.b + ETL_AT(EXTENDED_DATA_ITEM, ExtType));
    i.linkage = oracle_raw_u16(i.b + ETL_AT(EXTENDED_DATA_ITEM, Linkage));
    i.data_size = oracle_raw_u16(i.b + ETL_AT(EXTENDED_DATA_ITEM, DataSize));
    i.total_size = oracle_raw_u16(i.b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    return i;
}

static etl_finding finding_at(const item *i, etl_rule rule, uint32_t place)
{
    etl_finding finding = oracle_due_at(rule, i->event->space, i->event->offset + i->at + place);
    finding.buffer = i->event->buffer;
    finding.event = i->event->index;
    return finding;
}

static void expect(oracle_due *due, const item *i, etl_rule rule, uint32_t place, etl_relation relation, uint64_t expected,
                   uint64_t actual)
{
    etl_finding finding = finding_at(i, rule, place);
    oracle_due_values(&finding, relation, expected, actual);
    oracle_due_expect(due, &finding);
}

/* TotalSize as DataSize asks for it: with the header, up to a multiple of 8. */
static uint32_t total_of(const item *i)
{
    return (ETL_SIZE(EXTENDED_DATA_ITEM) + i->data_size + 7) / 8 * 8;
}

/* The finding that ends a chain at this item, if one does. */
static bool ends_chain(const item *i, uint32_t number, etl_finding *finding)
{
    if (number == ETL_ITEMS_MAX) {
        *finding = finding_at(i, ETL_RULE_EXT_004, 0);
        oracle_due_values(finding, ETL_RELATION_AT_MOST, ETL_ITEMS_MAX, ETL_ITEMS_MAX + 1);
    } else if (i->rest < ETL_SIZE(EXTENDED_DATA_ITEM)) {
        *finding = finding_at(i, ETL_RULE_EXT_003, 0);
        oracle_due_values(finding, ETL_RELATION_AT_LEAST, ETL_SIZE(EXTENDED_DATA_ITEM), i->rest);
    } else if (i->total_size != total_of(i) || i->total_size > i->rest) {
        *finding = finding_at(i, ETL_RULE_EXT_002, ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
        if (i->total_size != total_of(i))
            oracle_due_values(finding, ETL_RELATION_EQUAL, total_of(i), i->total_size);
        else
            oracle_due_values(finding, ETL_RELATION_AT_MOST, i->rest, i->total_size);
    } else {
        return false;
    }
    finding->action = ETL_ACTION_SKIP_REST;
    finding->lost = i->rest;
    return true;
}

static bool is_listed(const item *i)
{
    return i->type < sizeof types / sizeof types[0] && types[i->type].listed;
}

/* The DataSize that its type allows and that is nearest to the stated one, and how the two must compare. */
static etl_relation nearest(const item *i, uint32_t *size)
{
    const uint32_t base = types[i->type].base, unit = types[i->type].unit, most = types[i->type].most;
    const uint32_t over = i->data_size > base ? i->data_size - base : 0;
    *size = unit == 0 ? base : base + (over / unit > most ? most : over / unit) * unit;
    if (unit == 0)
        return ETL_RELATION_EQUAL;
    return i->data_size < base ? ETL_RELATION_AT_LEAST : over / unit > most ? ETL_RELATION_AT_MOST : ETL_RELATION_EQUAL;
}

/* A SID: revision, count, six bytes of authority, and a dword for each sub-authority, of which there are 15 at most. */
static void due_sid(oracle_due *due, const item *i)
{
    const uint8_t count = i->b[ETL_SIZE(EXTENDED_DATA_ITEM) + 1];
    const uint32_t held = i->data_size / 4 - 2;
    if (count != held)
        expect(due, i, ETL_RULE_PAY_004, ETL_SIZE(EXTENDED_DATA_ITEM) + 1, ETL_RELATION_EQUAL, held, count);
}

static void due_contents(oracle_due *due, const item *i)
{
    const etl_span data = {i->b + ETL_SIZE(EXTENDED_DATA_ITEM), i->data_size};
    uint32_t at = 0;
    etl_rule rule = ETL_RULE_COUNT;
    switch (types[i->type].layout) {
    case ETL_ITEM_LAYOUT_SID: due_sid(due, i); break;
    case ETL_ITEM_LAYOUT_SCHEMA: rule = oracle_schema_rule(data, &at); break;
    case ETL_ITEM_LAYOUT_TRAITS: rule = oracle_traits_rule(data); break;
    default: break;
    }
    if (rule != ETL_RULE_COUNT)
        expect(due, i, rule, ETL_SIZE(EXTENDED_DATA_ITEM) + at, ETL_RELATION_NONE, 0, 0);
}

static void due_item(oracle_due *due, const item *i)
{
    uint32_t size;
    if (i->linkage > 1)
        expect(due, i, ETL_RULE_EXT_007, ETL_AT(EXTENDED_DATA_ITEM, Linkage), ETL_RELATION_BITS_WITHIN, 1, i->linkage);
    if (!is_listed(i)) {
        expect(due, i, ETL_RULE_EXT_005, ETL_AT(EXTENDED_DATA_ITEM, ExtType), ETL_RELATION_KNOWN, 0, i->type);
        return;
    }
    const etl_relation relation = nearest(i, &size);
    if (size != i->data_size)
        expect(due, i, ETL_RULE_EXT_006, ETL_AT(EXTENDED_DATA_ITEM, DataSize), relation, size, i->data_size);
    else
        due_contents(due, i);
}

void oracle_due_items(oracle_due *due, const oracle_due_event *e, uint32_t at, uint32_t size)
{
    for (uint32_t number = 0;; number++) {
        const item i = item_at(e, at, size);
        etl_finding finding;
        if (ends_chain(&i, number, &finding)) {
            oracle_due_expect(due, &finding);
            return;
        }
        due_item(due, &i);
        if (i.linkage % 2 == 0)
            return;
        at += i.total_size;
    }
}
