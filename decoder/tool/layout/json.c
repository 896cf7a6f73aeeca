/* SPDX-License-Identifier: Apache-2.0 */
#include "layout/decode.h"
#include "layout/place.h"
#include "layout/value.h"
#include "layout/view.h"
#include "record.h"

static void place(etl_json *json, const etl_layout_reading *r, const etl_memory_member *member)
{
    etl_json_u64(json, "offset", r->offset + member->offset);
    etl_json_u32(json, "member_offset", member->offset);
    etl_json_u32(json, "size", member->size);
}

static void raw(etl_json *json, const etl_memory_member *member, const etl_memory_value *value)
{
    etl_json_bytes(json, "raw", value->bytes);
    if (value->bytes.size < member->size)
        etl_json_u32(json, "missing", (uint32_t)(member->size - value->bytes.size));
}

static void parts(etl_json *json, const etl_layout_reading *r, const etl_memory_member *member)
{
    etl_memory_member part;
    if (!etl_memory_part(member, r->layout.arch, 0, &part))
        return;
    etl_json_array(json, "parts");
    for (uint32_t i = 0; etl_memory_part(member, r->layout.arch, i, &part); i++) {
        etl_memory_value value;
        const bool whole = etl_memory_read(r->bytes, &part, &value);
        etl_json_object(json, NULL);
        etl_json_text(json, "name", part.name);
        place(json, r, &part);
        etl_json_text(json, "kind", etl_layout_kind_name(part.kind));
        raw(json, &part, &value);
        if (whole)
            etl_layout_value_json(json, r->layout, &part, &value);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}

/* The bytes of a member that is no array, or of one element, and what they say. */
static void content(etl_json *json, const etl_layout_reading *r, const etl_memory_member *member)
{
    etl_memory_value value;
    const bool whole = etl_memory_read(r->bytes, member, &value);
    raw(json, member, &value);
    if (whole)
        etl_layout_value_json(json, r->layout, member, &value);
    parts(json, r, member);
}

static void elements(etl_json *json, const etl_layout_reading *r, const etl_memory_member *member)
{
    etl_json_array(json, "elements");
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_memory_element(member, i);
        etl_json_object(json, NULL);
        place(json, r, &element);
        content(json, r, &element);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}

static void entry_json(etl_json *json, const etl_layout_reading *r, const etl_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    etl_json_object(json, NULL);
    etl_layout_member_json(json, entry);
    place(json, r, member);
    if (member->count > 1)
        elements(json, r, member);
    else
        content(json, r, member);
    etl_json_object_end(json);
}

/* What of the structure the finding is about. */
static void members_of(etl_json *json, const etl_layout_reading *r, const etl_finding *finding)
{
    etl_layout_places places = etl_layout_places_of(r->layout, r->offset, finding);
    etl_json_array(json, "members");
    for (char name[ETL_LAYOUT_NAME_MAX]; etl_layout_places_next(&places, name);)
        etl_json_text(json, NULL, name);
    etl_json_array_end(json);
}

static void findings(etl_json *json, const etl_layout_reading *r)
{
    etl_json_array(json, "findings");
    for (uint32_t i = 0; i < r->findings.count; i++) {
        etl_json_object(json, NULL);
        etl_record_finding_members(json, &r->findings.at[i]);
        members_of(json, r, &r->findings.at[i]);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}

void etl_layout_json(etl_json *json, const etl_layout_reading *reading)
{
    etl_layout_view view = etl_layout_view_open(reading->layout);
    etl_layout_entry entry;
    etl_json_object(json, NULL);
    etl_layout_head_json(json, reading->layout);
    etl_json_u64(json, "offset", reading->offset);
    etl_json_u32(json, "available", (uint32_t)reading->bytes.size);
    etl_json_text(json, "verdict", reading->damaged ? "damaged" : "conforming");
    etl_json_array(json, "members");
    while (etl_layout_view_next(&view, &entry))
        entry_json(json, reading, &entry);
    etl_json_array_end(json);
    findings(json, reading);
    etl_json_object_end(json);
    etl_json_line(json);
}
