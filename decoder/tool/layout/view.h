/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout as it is shown: its members and the gaps between them, in the order of their offsets.
 */
#ifndef ETLPROOF_LAYOUT_VIEW_H
#define ETLPROOF_LAYOUT_VIEW_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "records/json_writer.h"

typedef struct tool_layout_entry {
    etl_memory_member member; /* of a gap: (padding), no type, BYTES */
    bool is_gap;
    bool taken;  /* what a reader goes by; true of gaps */
    bool shared; /* has bytes that a taken member before it has too: they are a union */
} tool_layout_entry;

typedef struct tool_layout_view {
    etl_memory_walk walk;
    uint32_t end, size; /* of the taken members so far, and of the structure */
} tool_layout_view;

tool_layout_view tool_layout_view_open(etl_memory_layout layout);
/* False at the end. What is shown covers each byte of the structure; entries that are not taken come besides. */
bool tool_layout_view_next(tool_layout_view *view, tool_layout_entry *entry);

/* Bytes that no member has, as one. */
etl_memory_member tool_layout_gap(uint32_t from, uint32_t to);

/* The next member that is taken. False at the end. */
bool tool_layout_next_member(etl_memory_walk *walk, etl_memory_member *member);

/* The next version or architecture that has the structure, from `layout` on, itself included; where `wanted` is below COUNT
   in a part, no other than that. Starts with {structure, 0, 0}. False if there are no more. */
bool tool_layout_next_known(etl_memory_layout *layout, etl_memory_layout wanted);
/* Steps to the one behind. */
void tool_layout_step(etl_memory_layout *layout);

/* "LIST_ENTRY", "PAGE": as the tables name the rows. */
const char *tool_layout_kind_name(etl_memory_kind kind);
const char *tool_layout_kind_meaning(etl_memory_kind kind);
const char *tool_layout_evidence_name(etl_evidence evidence);

/* "structure" to "claimed": what both a decode and a list say first, into the object that is open. */
void tool_layout_head_json(tool_json *json, etl_memory_layout layout);
/* "name" to "shared": what both say of a member; where it lies is said after it. */
void tool_layout_member_json(tool_json *json, const tool_layout_entry *entry);

/* "claimed", into the object that is open, and as a line for people: what a source says of the whole layout, and no reader
   goes by. Nothing where there is none. */
void tool_layout_claim_json(tool_json *json, etl_memory_layout layout);
void tool_layout_claim_text(tool_output *out, const char *before, etl_memory_layout layout, const char *after);

/* True of what one source says, or several, and none speaks against. */
bool tool_layout_is_plain(etl_evidence evidence);
/* The first lines for people: what the structure is, and where its layout comes from. */
void tool_layout_head_text(tool_output *out, etl_memory_layout layout);
/* At the end of a line: how sure a row is, where that is not plain or `all` is to be said, and that it is not taken. */
void tool_layout_evidence_text(tool_output *out, etl_evidence evidence, bool all);
/* The same of a member, and that it shares bytes. */
void tool_layout_marks_text(tool_output *out, const tool_layout_entry *entry, bool all);

/* A whole layout as JSON: what --list and --export json print. */
void tool_layout_list_json(tool_json *json, etl_memory_layout layout);

#endif
