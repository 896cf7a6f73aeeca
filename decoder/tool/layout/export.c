/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --export: layouts in the form of other tools; here JSON and what C, ImHex and Markdown share.
 */
#include "layout/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "layout/layout_request.h"
#include "layout/value.h"

bool tool_layout_next_wanted(etl_memory_layout *layout, etl_memory_layout wanted)
{
    for (; layout->structure < ETL_MEMORY_STRUCTURE_COUNT; *layout = (etl_memory_layout){layout->structure + 1, 0, 0}) {
        const bool is_wanted = wanted.structure == ETL_MEMORY_STRUCTURE_COUNT || wanted.structure == layout->structure;
        if (is_wanted && tool_layout_next_known(layout, wanted))
            return true;
    }
    return false;
}

static bool is_same_member(const etl_memory_member *a, const etl_memory_member *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0 && a->offset == b->offset && a->size == b->size;
}

bool tool_layout_is_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walks[] = {etl_memory_members(a), etl_memory_members(b)};
    etl_memory_member members[2];
    if (etl_memory_size(a) != etl_memory_size(b))
        return false;
    for (;;) {
        const bool more = tool_layout_next_member(&walks[0], &members[0]);
        if (tool_layout_next_member(&walks[1], &members[1]) != more)
            return false;
        if (!more)
            return true;
        if (!is_same_member(&members[0], &members[1]))
            return false;
    }
}

static bool has_same_bits(etl_memory_layout a, etl_memory_layout b, const etl_memory_member *member)
{
    etl_memory_bits x, y;
    uint32_t at[2] = {0, 0};
    for (;;) {
        const bool more = tool_layout_next_taken_bits(a, member, &at[0], &x);
        if (tool_layout_next_taken_bits(b, member, &at[1], &y) != more)
            return false;
        if (!more || x.mask != y.mask || strcmp(x.name, y.name) != 0)
            return !more;
    }
}

/* For two layouts with the same members. */
static bool call_bits_the_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walk = etl_memory_members(a);
    for (etl_memory_member member; tool_layout_next_member(&walk, &member);)
        if (!has_same_bits(a, b, &member))
            return false;
    return true;
}

etl_memory_layout tool_layout_first_same(etl_memory_layout layout, etl_memory_layout wanted)
{
    etl_memory_layout first = {layout.structure, 0, 0};
    wanted.arch = layout.arch;
    while (tool_layout_next_known(&first, wanted) &&
           (!tool_layout_is_same(first, layout) || !call_bits_the_same(first, layout)))
        tool_layout_step(&first);
    return first;
}

static bool next_entry(tool_layout_view *view, tool_layout_entry *entry)
{
    while (tool_layout_view_next(view, entry))
        if (entry->taken)
            return true;
    return false;
}

bool tool_layout_next_taken(tool_layout_view *view, tool_layout_entry *entry, tool_layout_group *group)
{
    tool_layout_entry behind;
    if (!next_entry(view, entry))
        return false;
    tool_layout_view rest = *view;
    const bool continues = next_entry(&rest, &behind) && behind.shared;
    *group = (tool_layout_group){
        .begins = continues && !entry->shared, .ends = entry->shared && !continues, .inside = continues || entry->shared};
    return true;
}

/* Prints letters and digits, and each run of other characters as one underscore; none at either end. */
static void put_identifier(tool_output *out, const char *text)
{
    bool pending = false;
    bool begun = false;
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && *text != '_') {
            pending = begun;
            continue;
        }
        if (pending)
            tool_put_char(out, '_');
        tool_put_char(out, *text);
        pending = false;
        begun = true;
    }
}

void tool_put_layout_name(tool_output *out, etl_memory_layout layout)
{
    tool_put_format(out, "%s_", etl_memory_structure_get(layout.structure)->name);
    put_identifier(out, etl_windows_get(layout.windows)->text);
    tool_put_format(out, "_%s", etl_arch_text(layout.arch));
}

void tool_put_member_name(tool_output *out, const tool_layout_entry *entry)
{
    const char *name = entry->member.name;
    if (entry->is_gap) {
        tool_put_format(out, "padding_%03" PRIx32, entry->member.offset);
        return;
    }
    if (name[0] == '(' && isdigit((unsigned char)name[1]))
        tool_put_text(out, "a_");
    put_identifier(out, name);
}

void tool_layout_export_json(tool_output *out, etl_memory_layout wanted)
{
    etl_memory_layout layout = {0, 0, 0};
    tool_json json;
    tool_json_open(&json, out);
    tool_json_object(&json, NULL);
    tool_json_text(&json, "etlproof", ETLPROOF_VERSION);
    tool_json_array(&json, "layouts");
    for (; tool_layout_next_wanted(&layout, wanted); tool_layout_step(&layout))
        tool_layout_list_json(&json, layout);
    tool_json_array_end(&json);
    tool_json_object_end(&json);
    tool_json_line(&json);
}

tool_exit tool_layout_export(const tool_layout_request *request)
{
    static void (*const forms[])(tool_output *, etl_memory_layout) = {
        [TOOL_LAYOUT_EXPORT_C] = tool_layout_export_c,
        [TOOL_LAYOUT_EXPORT_JSON] = tool_layout_export_json,
        [TOOL_LAYOUT_EXPORT_IMHEX] = tool_layout_export_imhex,
        [TOOL_LAYOUT_EXPORT_MARKDOWN] = tool_layout_export_markdown,
    };
    tool_output out;
    tool_output_open(&out);
    forms[request->form](&out, request->layout);
    return tool_output_close(&out);
}
