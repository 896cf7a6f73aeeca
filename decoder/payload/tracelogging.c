/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TraceLogging metadata: the item EVENT_SCHEMA_TL describes the fields of its event, the item PROV_TRAITS names the
 * provider. payload.c walks the fields.
 */
#include "metadata.h"

#include "etlproof/items.h"
#include "etlproof/schema.h"
#include "span.h"
#include "types.h"

/* In the byte of an InType: the type, and how many values there are. Source: TraceLoggingProvider.h. */
enum { TYPE_MASK = 0x1F, COUNT_MASK = 0x60, COUNT_FIXED = 0x20, COUNT_STORED = 0x40, COUNT_CUSTOM = 0x60 };

/*@ assigns \nothing; */
static etl_count_form count_form(uint8_t in_type)
{
    switch (in_type & COUNT_MASK) {
    case COUNT_FIXED: return ETL_COUNT_FORM_FIXED;
    case COUNT_STORED: return ETL_COUNT_FORM_STORED;
    case COUNT_CUSTOM: return ETL_COUNT_FORM_CUSTOM;
    default: return ETL_COUNT_FORM_SINGLE;
    }
}

bool etl_tracelogging_field(const etl_metadata *metadata, uint32_t at, etl_field *field, uint32_t *after)
{
    etl_span rest = etl_span_from(metadata->fields, at);
    etl_schema_field described;
    *field = (etl_field){0};
    if (!etl_schema_next(&rest, &described))
        return false;
    field->name = described.name;
    field->in_type = described.in_type & TYPE_MASK;
    field->out_type = etl_out_type_of_tlg(described.out_type);
    field->out_number = described.out_type;
    field->tag = described.tag;
    field->count_form = count_form(described.in_type);
    field->count = described.count;
    field->at = metadata->fields_at + at;
    *after = (uint32_t)(metadata->fields.size - rest.size);
    if (field->in_type == ETL_IN_TYPE_STRUCT) {
        field->members = described.out_type;
        field->members_at = *after;
        field->out_type = ETL_OUT_TYPE_NONE;
        field->out_number = 0;
    }
    return true;
}

/*@ requires \valid_read(item) && item->offset <= INT32_MAX && part <= UINT16_MAX;
  @ assigns \nothing;
  @ ensures \result <= UINT32_MAX - UINT16_MAX; */
/* The offset of `part` of the item's data from the start of the event. */
static uint32_t place_of(const etl_item *item, uint32_t part)
{
    return item->offset + ETL_SIZE(EXTENDED_DATA_ITEM) + part;
}

bool etl_metadata_read(const etl_event *event, etl_metadata *metadata)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    etl_schema schema;
    etl_traits traits;
    etl_metadata read = {0};
    bool found = false;
    /*@ loop invariant 0 <= n <= ETL_ITEMS_MAX && read.form == ETL_METADATA_FORM_TRACELOGGING && read.info.size == 0;
      @ loop invariant etl_readable(read.fields) && read.fields.size <= UINT16_MAX;
      @ loop invariant read.fields_at <= UINT32_MAX - UINT16_MAX;
      @ loop assigns n, items.at, item, schema, traits, found, read;
      @ loop variant ETL_ITEMS_MAX - n; */
    for (uint32_t n = 0; n < ETL_ITEMS_MAX && etl_items_next(&items, &item); n++) {
        if (item.type == ETL_ITEM_TYPE_EVENT_SCHEMA_TL && !found && etl_schema_read(item.data, &schema)) {
            found = true;
            read.event_name = schema.name;
            read.fields = schema.fields;
            /* The descriptions end the metadata, which starts with its own size. */
            read.fields_at = place_of(&item, etl_load_u16(item.data, 0) - (uint32_t)schema.fields.size);
        } else if (item.type == ETL_ITEM_TYPE_PROV_TRAITS && etl_traits_read(item.data, &traits)) {
            read.provider_name = traits.name;
        }
    }
    *metadata = read;
    return found;
}
