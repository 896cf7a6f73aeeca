/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the extended data items behind an EVENT_HEADER. Framing (event.c) measures the chain once; users of the library
 * then iterate over it.
 */
#include "etlproof/items.h"

#include "event_form.h"
#include "item_contents.h"
#include "report.h"
#include "span.h"

/* DataSize is base + n * unit, n at most `most`. */
static const struct {
    bool known;
    uint8_t layout;
    uint8_t base;
    uint8_t unit;
    uint16_t most;
} types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) \
    [value] = {true, ETL_ITEM_LAYOUT_##layout, base, unit, most},
#include "format/item_types.def"
};

enum { TYPES = sizeof types / sizeof types[0] };

/* Bit 0 of the third word; the others are reserved. */
enum { LINKAGE = 0x0001 };

/*@ assigns \nothing;
  @ ensures \result ==> type < TYPES; */
static bool is_known(uint16_t type)
{
    return type < TYPES && types[type].known;
}

/*@ requires type < TYPES;
  @ assigns \nothing; */
static bool size_fits(uint16_t type, uint32_t size)
{
    if (size < types[type].base)
        return false;
    uint32_t rest = size - types[type].base;
    if (types[type].unit == 0)
        return rest == 0;
    return rest % types[type].unit == 0 && rest / types[type].unit <= types[type].most;
}

/*@ requires etl_readable(bytes) && \valid(item) && \separated(item, bytes.at + (0 .. bytes.size - 1));
  @ assigns *item;
  @ ensures etl_readable(item->data) && etl_within(item->data, bytes) && item->data.size <= UINT16_MAX; */
static void read_item(etl_span bytes, uint32_t at, etl_item *item)
{
    uint32_t data_size = etl_load_u16(bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, DataSize));
    item->type = etl_load_u16(bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, ExtType));
    item->size = etl_load_u16(bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    item->linkage = (etl_load_u16(bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, Linkage)) & LINKAGE) != 0;
    item->data = etl_span_part(bytes, (size_t)at + ETL_SIZE(EXTENDED_DATA_ITEM), data_size);
    item->layout = ETL_ITEM_LAYOUT_BYTES;
    if (is_known(item->type) && size_fits(item->type, data_size))
        item->layout = (etl_item_layout)types[item->type].layout;
}

/* Expects the nearest DataSize that the type allows; the smaller one if DataSize lies between two. */
/*@ requires type < TYPES && \valid(finding);
  @ assigns *finding; */
static void expect_size(uint16_t type, uint32_t size, etl_finding *finding)
{
    const uint32_t base = types[type].base, unit = types[type].unit, most = types[type].most;
    if (unit == 0)
        etl_expect(finding, ETL_RELATION_EQUAL, base, size);
    else if (size < base)
        etl_expect(finding, ETL_RELATION_AT_LEAST, base, size);
    else if ((size - base) / unit > most)
        etl_expect(finding, ETL_RELATION_AT_MOST, base + unit * most, size);
    else
        etl_expect(finding, ETL_RELATION_EQUAL, size - (size - base) % unit, size);
}

/*@ requires \valid_read(event) && \valid_read(item) && etl_list(findings) && \separated(findings, event, item);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_type(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    const uint32_t at = item->offset, size = (uint32_t)item->data.size;
    if (!is_known(item->type))
        etl_expect(etl_report_event(findings, ETL_RULE_EXT_005, event, at + ETL_AT(EXTENDED_DATA_ITEM, ExtType)),
                   ETL_RELATION_KNOWN, 0, item->type);
    else if (!size_fits(item->type, size))
        expect_size(item->type, size,
                    etl_report_event(findings, ETL_RULE_EXT_006, event, at + ETL_AT(EXTENDED_DATA_ITEM, DataSize)));
}

/*@ requires \valid_read(event) && etl_readable(event->bytes) && etl_list(findings) && \separated(findings, event);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_linkage(const etl_event *event, uint32_t at, etl_findings *findings)
{
    at += ETL_AT(EXTENDED_DATA_ITEM, Linkage);
    uint16_t linkage = etl_load_u16(event->bytes, at);
    if (linkage & ~(unsigned)LINKAGE)
        etl_expect(etl_report_event(findings, ETL_RULE_EXT_007, event, at), ETL_RELATION_BITS_WITHIN, LINKAGE, linkage);
}

/*@ requires \valid_read(event) && etl_readable(event->bytes) && \valid_read(item) && etl_readable(item->data);
  @ requires etl_list(findings) && \separated(findings, event, item) &&
  @          \separated(findings, item->data.at + (0 .. item->data.size - 1));
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_item(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    check_type(event, item, findings);
    check_linkage(event, item->offset, findings);
    etl_item_contents_check(event, item, findings);
}

/*@ requires \valid_read(event) && etl_list(findings) && \separated(findings, event);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1; */
static void report_broken(const etl_event *event, etl_rule rule, uint32_t place, uint32_t rest, uint64_t expected,
                          uint64_t actual, etl_findings *findings)
{
    etl_finding *finding = etl_report_event(findings, rule, event, place);
    etl_expect(finding, rule == ETL_RULE_EXT_002 ? ETL_RELATION_EQUAL : ETL_RELATION_AT_MOST, expected, actual);
    if (rule == ETL_RULE_EXT_003)
        finding->relation = ETL_RELATION_AT_LEAST;
    finding->action = ETL_ACTION_SKIP_REST;
    finding->lost = event->size - rest;
}

/* TotalSize of the item at `at`; 0, with a finding, if its header is cut, TotalSize wrong, or the item does not fit. */
/*@ requires \valid_read(event) && etl_readable(event->bytes) && at <= event->size;
  @ requires etl_list(findings) && \separated(findings, event);
  @ assigns *findings;
  @ ensures etl_list(findings) && (\result == 0 || 8 <= \result <= event->size - at); */
static uint32_t fitting_size(const etl_event *event, uint32_t at, etl_findings *findings)
{
    const uint32_t header = ETL_SIZE(EXTENDED_DATA_ITEM);
    uint32_t left = event->size - at;
    if (left < header) {
        report_broken(event, ETL_RULE_EXT_003, at, at, header, left, findings);
        return 0;
    }
    uint32_t size = etl_load_u16(event->bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    uint32_t right = etl_align8(header + etl_load_u16(event->bytes, (size_t)at + ETL_AT(EXTENDED_DATA_ITEM, DataSize)));
    if (size == right && size <= left)
        return size;
    report_broken(event, ETL_RULE_EXT_002, at + ETL_AT(EXTENDED_DATA_ITEM, TotalSize), at, right, size, findings);
    if (size == right)
        etl_expect(&findings->at[findings->count - 1u], ETL_RELATION_AT_MOST, left, size);
    return 0;
}

uint32_t etl_items_measure(const etl_event *event, uint32_t at, bool *whole, etl_findings *findings)
{
    uint32_t start = at;
    *whole = false;
    /*@ loop invariant 0 <= n <= ETL_ITEMS_MAX && start <= at <= event->size && etl_list(findings);
      @ loop assigns n, at, *whole, *findings;
      @ loop variant ETL_ITEMS_MAX - n; */
    for (uint32_t n = 0; n < ETL_ITEMS_MAX; n++) {
        uint32_t size = fitting_size(event, at, findings);
        if (size == 0)
            return at - start;
        etl_item item;
        read_item(event->bytes, at, &item);
        item.offset = at;
        check_item(event, &item, findings);
        at += size;
        if (!item.linkage) {
            *whole = true;
            return at - start;
        }
    }
    report_broken(event, ETL_RULE_EXT_004, at, at, ETL_ITEMS_MAX, ETL_ITEMS_MAX + 1, findings);
    return at - start;
}

etl_items etl_event_items(const etl_event *event)
{
    etl_items items = {etl_span_part(event->bytes, event->header_size, event->items_size), event->header_size, 0};
    return items;
}

bool etl_items_next(etl_items *items, etl_item *item)
{
    if (items->at >= items->bytes.size)
        return false;
    read_item(items->bytes, items->at, item);
    item->offset = items->base + items->at;
    items->at += item->size;
    return true;
}
