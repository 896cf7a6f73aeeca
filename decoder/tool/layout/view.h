/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout as it is printed: members, and the gaps between them as padding, in the order of their offsets.
 */
#ifndef ETLPROOF_LAYOUT_VIEW_H
#define ETLPROOF_LAYOUT_VIEW_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "records/json_writer.h"

typedef struct tool_layout_entry {
    etl_memory_member member; /* of a gap: (padding), no type, BYTES */
    bool is_gap;
    bool taken;  /* the decoder uses it; rejected rows are printed only; true for gaps */
    bool shared; /* shares bytes with a taken member before it: a union */
} tool_layout_entry;

typedef struct tool_layout_view {
    etl_memory_walk walk;
    uint32_t end, size; /* end of the taken members so far, and of the structure */
} tool_layout_view;

tool_layout_view tool_layout_view_open(etl_memory_layout layout);
/* False at the end. The taken entries cover each byte of the structure; rejected entries come in addition. */
bool tool_layout_view_next(tool_layout_view *view, tool_layout_entry *entry);

/* The bytes between two members, as a member. */
etl_memory_member tool_layout_gap(uint32_t from, uint32_t to);

/* The next taken member. False at the end. */
bool tool_layout_next_member(etl_memory_walk *walk, etl_memory_member *member);

/* The next version and architecture that has the structure, from `layout` on, itself included. Members of `wanted` below
   COUNT restrict the search. Starts with {structure, 0, 0}. False after the last. */
bool tool_layout_next_known(etl_memory_layout *layout, etl_memory_layout wanted);
/* Steps to the next version and architecture. */
void tool_layout_step(etl_memory_layout *layout);

/* "LIST_ENTRY", "PAGE": names of rows in the tables. */
const char *tool_layout_kind_name(etl_memory_kind kind);
const char *tool_layout_kind_meaning(etl_memory_kind kind);
const char *tool_layout_evidence_name(etl_evidence evidence);

/* "structure" to "claimed", the first members of a decode and of a list, into the open object. */
void tool_layout_head_json(tool_json *json, etl_memory_layout layout);
/* "name" to "shared" of a member. The caller adds where it lies. */
void tool_layout_member_json(tool_json *json, const tool_layout_entry *entry);

/* A rejected claim of a source about the whole layout: "claimed" in the open object, and a line of text. Nothing if there
   is no claim. */
void tool_layout_claim_json(tool_json *json, etl_memory_layout layout);
void tool_layout_claim_text(tool_output *out, const char *before, etl_memory_layout layout, const char *after);

/* True if no source contradicts the row. */
bool tool_layout_is_plain(etl_evidence evidence);
/* The first lines of text: the structure, and the sources of its layout. */
void tool_layout_head_text(tool_output *out, etl_memory_layout layout);
/* The evidence for a row, at the end of a line. Nothing for plain evidence, unless `all`. */
void tool_layout_evidence_text(tool_output *out, etl_evidence evidence, bool all);
/* Likewise for a member, preceded by a mark for a union. */
void tool_layout_marks_text(tool_output *out, const tool_layout_entry *entry, bool all);

/* A whole layout as JSON, for --list and --export json. */
void tool_layout_list_json(tool_json *json, etl_memory_layout layout);

#endif
