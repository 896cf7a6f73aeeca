/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as declarations of structures: what C and ImHex have in common.
 */
#ifndef ETLPROOF_LAYOUT_DECLARATIONS_H
#define ETLPROOF_LAYOUT_DECLARATIONS_H

#include "layout/export.h"

/* What has members: a layout, or a kind that is a structure, of which `layout` is the newest that has a member of it. */
typedef struct tool_layout_owner {
    etl_memory_layout layout;
    etl_memory_kind kind; /* COUNT of a layout */
} tool_layout_owner;

/* How a language writes what the walk comes to. */
typedef struct tool_layout_language {
    const char *preamble, *epilogue;
    const char *comment, *comment_end;
    /* What all structures have in common besides kinds. */
    void (*values)(tool_output *out);
    /* A kind that is a structure itself. */
    void (*kind)(tool_output *out, const tool_layout_owner *owner);
    void (*structure)(tool_output *out, etl_memory_layout layout);
    /* A structure that is laid out as one before it, and calls bits the same. */
    void (*alias)(tool_output *out, etl_memory_layout layout, etl_memory_layout same);
} tool_layout_language;

/* All kinds that are structures, and all layouts that are wanted: before each a comment, which says what is not taken too,
   so that nobody looks for it in vain. */
void tool_layout_declare(tool_output *out, etl_memory_layout wanted, const tool_layout_language *language);

/* Declares each part of a kind, and each gap between two. Returns where the last part ends. */
uint32_t tool_layout_declare_parts(tool_output *out, const tool_layout_owner *owner,
                                   void (*each)(tool_output *out, const tool_layout_owner *owner,
                                                const tool_layout_entry *entry));

/* TRACE_ENABLE_INFO_x64, WMI_LOGGER_CONTEXT_6_0_early_x64 */
void tool_put_owner_name(tool_output *out, const tool_layout_owner *owner);
/* "WMI_LOGGER_CONTEXT_1903_x64_Flags": what is said of a member, and not in its structure. */
void tool_put_owned_name(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry);
/* The type of one element, where it has a name: a kind that is a structure, a GUID, or the language's `byte` of BYTES.
   False if it is a number. */
bool tool_put_named_type(tool_output *out, const etl_memory_member *member, etl_arch arch, const char *byte);
/* Bits of a number that is one element. */
uint32_t tool_layout_number_bits(const etl_memory_member *member);
/* The name of a member and, of an array, how many elements: "Data4[8];". */
void tool_put_declarator(tool_output *out, const tool_layout_entry *entry);

#endif
