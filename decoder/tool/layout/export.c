/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --export: layouts as other tools take them.
 */
#include "layout/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "layout/layout.h"
#include "layout/value.h"

bool etl_layout_next_wanted(etl_memory_layout *layout, etl_memory_layout wanted)
{
    for (; layout->structure < ETL_MEMORY_STRUCTURE_COUNT; *layout = (etl_memory_layout){layout->structure + 1, 0, 0}) {
        const bool is_wanted = wanted.structure == ETL_MEMORY_STRUCTURE_COUNT || wanted.structure == layout->structure;
        if (is_wanted && etl_layout_next_known(layout, wanted))
            return true;
    }
    return false;
}

static bool is_same_member(const etl_memory_member *a, const etl_memory_member *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0 && a->offset == b->offset && a->size == b->size;
}

bool etl_layout_is_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walks[] = {etl_memory_members(a), etl_memory_members(b)};
    etl_memory_member members[2];
    if (etl_memory_size(a) != etl_memory_size(b))
        return false;
    for (;;) {
        const bool more = etl_layout_next_member(&walks[0], &members[0]);
        if (etl_layout_next_member(&walks[1], &members[1]) != more)
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
        const bool more = etl_layout_next_taken_bits(a, member, &at[0], &x);
        if (etl_layout_next_taken_bits(b, member, &at[1], &y) != more)
            return false;
        if (!more || x.mask != y.mask || strcmp(x.name, y.name) != 0)
            return !more;
    }
}

/* Of two layouts that are the same. */
static bool call_bits_the_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walk = etl_memory_members(a);
    for (etl_memory_member member; etl_layout_next_member(&walk, &member);)
        if (!has_same_bits(a, b, &member))
            return false;
    return true;
}

etl_memory_layout etl_layout_first_same(etl_memory_layout layout, etl_memory_layout wanted)
{
    etl_memory_layout first = {layout.structure, 0, 0};
    wanted.arch = layout.arch;
    while (etl_layout_next_known(&first, wanted) &&
           (!etl_layout_is_same(first, layout) || !call_bits_the_same(first, layout)))
        etl_layout_step(&first);
    return first;
}

static bool next_entry(etl_layout_view *view, etl_layout_entry *entry)
{
    while (etl_layout_view_next(view, entry))
        if (entry->taken)
            return true;
    return false;
}

bool etl_layout_next_taken(etl_layout_view *view, etl_layout_entry *entry, etl_layout_group *group)
{
    etl_layout_entry behind;
    if (!next_entry(view, entry))
        return false;
    etl_layout_view rest = *view;
    const bool goes_on = next_entry(&rest, &behind) && behind.shared;
    *group = (etl_layout_group){
        .begins = goes_on && !entry->shared, .ends = entry->shared && !goes_on, .inside = goes_on || entry->shared};
    return true;
}

/* Letters and digits as they are, each run of anything else as one underscore, none at the end. */
static void words(etl_out *out, const char *text)
{
    bool pending = false;
    bool begun = false;
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && *text != '_') {
            pending = begun;
            continue;
        }
        if (pending)
            etl_out_char(out, '_');
        etl_out_char(out, *text);
        pending = false;
        begun = true;
    }
}

void etl_out_layout_name(etl_out *out, etl_memory_layout layout)
{
    etl_out_format(out, "%s_", etl_memory_structure_get(layout.structure)->name);
    words(out, etl_windows_get(layout.windows)->text);
    etl_out_format(out, "_%s", etl_arch_text(layout.arch));
}

void etl_out_member_name(etl_out *out, const etl_layout_entry *entry)
{
    const char *name = entry->member.name;
    if (entry->is_gap) {
        etl_out_format(out, "padding_%03" PRIx32, entry->member.offset);
        return;
    }
    if (name[0] == '(' && isdigit((unsigned char)name[1]))
        etl_out_text(out, "a_");
    words(out, name);
}

void etl_layout_export_json(etl_out *out, etl_memory_layout wanted)
{
    etl_memory_layout layout = {0, 0, 0};
    etl_json json;
    etl_json_open(&json, out);
    etl_json_object(&json, NULL);
    etl_json_text(&json, "etlproof", ETLPROOF_VERSION);
    etl_json_array(&json, "layouts");
    for (; etl_layout_next_wanted(&layout, wanted); etl_layout_step(&layout))
        etl_layout_list_json(&json, layout);
    etl_json_array_end(&json);
    etl_json_object_end(&json);
    etl_json_line(&json);
}

etl_exit etl_layout_export(const etl_layout_request *request)
{
    static void (*const forms[])(etl_out *, etl_memory_layout) = {
        [ETL_LAYOUT_EXPORT_C] = etl_layout_export_c,
        [ETL_LAYOUT_EXPORT_JSON] = etl_layout_export_json,
        [ETL_LAYOUT_EXPORT_IMHEX] = etl_layout_export_imhex,
        [ETL_LAYOUT_EXPORT_MARKDOWN] = etl_layout_export_markdown,
    };
    etl_out out;
    etl_out_open(&out);
    forms[request->form](&out, request->layout);
    return etl_out_close(&out);
}
