/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure in memory as JSON, described by conformance/schema/layout.schema.json.
 */
#include "layout/layout_decode.h"
#include "layout/place.h"
#include "layout/value.h"
#include "layout/view.h"
#include "records/record.h"

static void place(tool_json *json, const tool_structure *r, const etl_memory_member *member)
{
    tool_json_u64(json, "offset", r->offset + member->offset);
    tool_json_u32(json, "member_offset", member->offset);
    tool_json_u32(json, "size", member->size);
}

static void raw(tool_json *json, const etl_memory_member *member, const etl_memory_value *value)
{
    tool_json_bytes(json, "raw", value->bytes);
    if (value->bytes.size < member->size)
        tool_json_u32(json, "missing", (uint32_t)(member->size - value->bytes.size));
}

static void parts(tool_json *json, const tool_structure *r, const etl_memory_member *member)
{
    etl_memory_member part;
    if (!etl_memory_part(member, r->layout.arch, 0, &part))
        return;
    tool_json_array(json, "parts");
    for (uint32_t i = 0; etl_memory_part(member, r->layout.arch, i, &part); i++) {
        etl_memory_value value;
        const bool whole = etl_memory_read(r->bytes, &part, &value);
        tool_json_object(json, NULL);
        tool_json_text(json, "name", part.name);
        place(json, r, &part);
        tool_json_text(json, "kind", tool_layout_kind_name(part.kind));
        raw(json, &part, &value);
        if (whole)
            tool_layout_value_json(json, r->layout, &part, &value);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

/* The bytes and the value of an element, or of a member that is not an array. */
static void content(tool_json *json, const tool_structure *r, const etl_memory_member *member)
{
    etl_memory_value value;
    const bool whole = etl_memory_read(r->bytes, member, &value);
    raw(json, member, &value);
    if (whole)
        tool_layout_value_json(json, r->layout, member, &value);
    parts(json, r, member);
}

static void elements(tool_json *json, const tool_structure *r, const etl_memory_member *member)
{
    tool_json_array(json, "elements");
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_memory_element(member, i);
        tool_json_object(json, NULL);
        place(json, r, &element);
        content(json, r, &element);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

static void entry_json(tool_json *json, const tool_structure *r, const tool_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    tool_json_object(json, NULL);
    tool_layout_member_json(json, entry);
    place(json, r, member);
    if (member->count > 1)
        elements(json, r, member);
    else
        content(json, r, member);
    tool_json_object_end(json);
}

/* The members that the finding is about. */
static void members_of(tool_json *json, const tool_structure *r, const etl_finding *finding)
{
    tool_layout_places places = tool_layout_places_of(r->layout, r->offset, finding);
    tool_json_array(json, "members");
    for (char name[TOOL_LAYOUT_NAME_MAX]; tool_layout_places_next(&places, name);)
        tool_json_text(json, NULL, name);
    tool_json_array_end(json);
}

static void findings(tool_json *json, const tool_structure *r)
{
    tool_json_array(json, "findings");
    for (uint32_t i = 0; i < r->findings.count; i++) {
        tool_json_object(json, NULL);
        tool_record_finding_members(json, TOOL_PROFILE_READER, &r->findings.at[i]);
        members_of(json, r, &r->findings.at[i]);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

void tool_structure_json(tool_json *json, const tool_structure *reading)
{
    tool_layout_view view = tool_layout_view_open(reading->layout);
    tool_layout_entry entry;
    tool_json_object(json, NULL);
    tool_layout_head_json(json, reading->layout);
    tool_json_u64(json, "offset", reading->offset);
    tool_json_u32(json, "available", (uint32_t)reading->bytes.size);
    tool_json_text(json, "verdict", reading->damaged ? "damaged" : "conforming");
    tool_json_array(json, "members");
    while (tool_layout_view_next(&view, &entry))
        entry_json(json, reading, &entry);
    tool_json_array_end(json);
    findings(json, reading);
    tool_json_object_end(json);
    tool_json_line(json);
}
