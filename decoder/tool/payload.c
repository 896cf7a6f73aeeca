/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include "report.h"

static uint32_t data_at(const etl_item *item)
{
    return item->offset + ETL_SIZE(EXTENDED_DATA_ITEM);
}

static void check_sid(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_sid sid;
    if (!etl_item_sid(item, &sid))
        etl_expect(etl_report_event(findings, ETL_RULE_PAY_004, event, data_at(item) + 1), ETL_RELATION_AT_MOST, 15, sid.count);
}

static void check_schema(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_schema schema;
    etl_schema_field field;
    uint32_t count = 0;
    if (!etl_schema_read(item->data, &schema)) {
        (void)etl_report_event(findings, ETL_RULE_PAY_001, event, data_at(item));
        return;
    }
    while (count < ETL_SCHEMA_FIELDS_MAX && etl_schema_next(&schema.fields, &field))
        count++;
    if (schema.fields.size == 0)
        return;
    uint32_t at = data_at(item) + (uint32_t)(schema.fields.at - item->data.at);
    etl_rule rule = count == ETL_SCHEMA_FIELDS_MAX ? ETL_RULE_PAY_005 : ETL_RULE_PAY_001;
    (void)etl_report_event(findings, rule, event, at);
}

static void check_traits(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_traits traits;
    if (!etl_traits_read(item->data, &traits))
        (void)etl_report_event(findings, ETL_RULE_PAY_001, event, data_at(item));
}

static void check_item(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    if (item->layout == ETL_ITEM_LAYOUT_SID)
        check_sid(event, item, findings);
    else if (item->layout == ETL_ITEM_LAYOUT_SCHEMA)
        check_schema(event, item, findings);
    else if (item->layout == ETL_ITEM_LAYOUT_TRAITS)
        check_traits(event, item, findings);
}

void etl_payload_check(const etl_event *event, etl_findings *findings)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item))
        check_item(event, &item, findings);
}
