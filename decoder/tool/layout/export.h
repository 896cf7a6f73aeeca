/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts in the form of other tools: a C header, JSON, an ImHex pattern, Markdown pages.
 */
#ifndef ETLPROOF_LAYOUT_EXPORT_H
#define ETLPROOF_LAYOUT_EXPORT_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "layout/view.h"

/* A member of `wanted` that is COUNT stands for all. */
void tool_layout_export_c(tool_output *out, etl_memory_layout wanted);
void tool_layout_export_json(tool_output *out, etl_memory_layout wanted);
void tool_layout_export_imhex(tool_output *out, etl_memory_layout wanted);
/* The page of a structure, for one version or all; or, without a structure, the index of all pages. */
void tool_layout_export_markdown(tool_output *out, etl_memory_layout wanted);

/* The first wanted layout from `layout` on, itself included, over all structures; starts with {0, 0, 0}. */
bool tool_layout_next_wanted(etl_memory_layout *layout, etl_memory_layout wanted);
/* True if both have the same taken members at the same offsets. */
bool tool_layout_is_same(etl_memory_layout a, etl_memory_layout b);
/* The first wanted layout of this structure and architecture with the same members and the same names of bits. */
etl_memory_layout tool_layout_first_same(etl_memory_layout layout, etl_memory_layout wanted);

/* Where a taken entry lies in a union. Gaps are never in one. */
typedef struct tool_layout_group {
    bool begins, ends, inside;
} tool_layout_group;

/* The next taken entry. False at the end. */
bool tool_layout_next_taken(tool_layout_view *view, tool_layout_entry *entry, tool_layout_group *group);

/* WMI_LOGGER_CONTEXT_6_0_early_x64 */
void tool_put_layout_name(tool_output *out, etl_memory_layout layout);
/* The name of a member as a C identifier. Descriptions in parentheses become words; a gap is named after its offset. */
void tool_put_member_name(tool_output *out, const tool_layout_entry *entry);

#endif
