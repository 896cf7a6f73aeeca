/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as other tools take them.
 */
#ifndef ETLPROOF_LAYOUT_EXPORT_H
#define ETLPROOF_LAYOUT_EXPORT_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "layout/view.h"

/* `wanted`: COUNT in each part of which all are wanted. */
void tool_layout_export_c(tool_output *out, etl_memory_layout wanted);
void tool_layout_export_json(tool_output *out, etl_memory_layout wanted);
void tool_layout_export_imhex(tool_output *out, etl_memory_layout wanted);
/* The page of the structure, of one version or all, or the index of all pages if none is wanted. */
void tool_layout_export_markdown(tool_output *out, etl_memory_layout wanted);

/* The first wanted layout from `layout` on, itself included, over all structures; starts with {0, 0, 0}. */
bool tool_layout_next_wanted(etl_memory_layout *layout, etl_memory_layout wanted);
/* True if both have the same taken members, and nothing of it elsewhere. */
bool tool_layout_is_same(etl_memory_layout a, etl_memory_layout b);
/* The first wanted layout of the same structure and architecture that is the same, and calls its bits so too. */
etl_memory_layout tool_layout_first_same(etl_memory_layout layout, etl_memory_layout wanted);

/* Next entry that is taken, and whether it begins or ends a union; gaps are never in one. */
typedef struct tool_layout_group {
    bool begins, ends, inside;
} tool_layout_group;

bool tool_layout_next_taken(tool_layout_view *view, tool_layout_entry *entry, tool_layout_group *group);

/* WMI_LOGGER_CONTEXT_6_0_early_x64 */
void tool_put_layout_name(tool_output *out, etl_memory_layout layout);
/* The name of a member as one of C: what the tables have in parentheses is made of words, a gap is named by its offset. */
void tool_put_member_name(tool_output *out, const tool_layout_entry *entry);

#endif
