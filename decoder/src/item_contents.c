/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the contents of an extended data item and reports at most one finding. items.c calls this once for each item,
 * when its event is framed.
 */
#include "item_contents.h"

#include "etlproof/schema.h"
#include "report.h"
#include "span.h"

/*@ requires \valid_read(item);
  @ assigns \nothing; */
static uint32_t data_at(const etl_item *item)
{
    return item->offset + ETL_SIZE(EXTENDED_DATA_ITEM);
}

/* A SID has eight bytes, and four for each sub-authority; an item of layout SID holds 0 to 15 sub-authorities. */
enum { SID_FIXED = 8, SID_SUB_AUTHORITY = 4 };

/*@ requires \valid_read(event) && \valid_read(item) && etl_readable(item->data);
  @ requires etl_list(findings) && \separated(findings, event, item) &&
  @          \separated(findings, item->data.at + (0 .. item->data.size - 1));
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_sid(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_sid sid;
    if (etl_sid_read(item->data, &sid))
        return;
    etl_finding *finding = etl_report_event(findings, ETL_RULE_PAY_004, event, data_at(item) + 1);
    etl_expect(finding, ETL_RELATION_EQUAL, (item->data.size - SID_FIXED) / SID_SUB_AUTHORITY, sid.count);
}

/*@ requires \valid_read(event) && \valid_read(item) && etl_readable(item->data);
  @ requires etl_list(findings) && \separated(findings, event, item) &&
  @          \separated(findings, item->data.at + (0 .. item->data.size - 1));
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_schema(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_schema schema;
    etl_schema_field field;
    uint32_t count = 0;
    if (!etl_schema_read(item->data, &schema)) {
        etl_report_event(findings, ETL_RULE_PAY_001, event, data_at(item));
        return;
    }
    /*@ loop invariant 0 <= count <= ETL_SCHEMA_FIELDS_MAX && etl_readable(schema.fields);
      @ loop assigns count, schema.fields, field;
      @ loop variant ETL_SCHEMA_FIELDS_MAX - count; */
    while (count < ETL_SCHEMA_FIELDS_MAX && etl_schema_next(&schema.fields, &field))
        count++;
    if (schema.fields.size == 0)
        return;
    uint32_t at = data_at(item) + etl_load_u16(item->data, 0) - (uint32_t)schema.fields.size; /* the fields end the blob */
    etl_rule rule = count == ETL_SCHEMA_FIELDS_MAX ? ETL_RULE_PAY_005 : ETL_RULE_PAY_001;
    etl_report_event(findings, rule, event, at);
}

/*@ requires \valid_read(event) && \valid_read(item) && etl_readable(item->data);
  @ requires etl_list(findings) && \separated(findings, event, item) &&
  @          \separated(findings, item->data.at + (0 .. item->data.size - 1));
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_traits(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    etl_traits traits;
    if (!etl_traits_read(item->data, &traits))
        etl_report_event(findings, ETL_RULE_PAY_001, event, data_at(item));
}

void etl_item_contents_check(const etl_event *event, const etl_item *item, etl_findings *findings)
{
    switch (item->layout) {
    case ETL_ITEM_LAYOUT_SID: check_sid(event, item, findings); break;
    case ETL_ITEM_LAYOUT_SCHEMA: check_schema(event, item, findings); break;
    case ETL_ITEM_LAYOUT_TRAITS: check_traits(event, item, findings); break;
    default: break; /* all bytes are valid */
    }
}
