/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as declarations of structures: the part that C and ImHex share.
 */
#ifndef ETLPROOF_LAYOUT_DECLARATIONS_H
#define ETLPROOF_LAYOUT_DECLARATIONS_H

#include "layout/export.h"

/* Something with members: a layout, or a kind that is a structure itself. For a kind, `layout` is the newest layout with a
   member of it. */
typedef struct tool_layout_owner {
    etl_memory_layout layout;
    etl_memory_kind kind; /* COUNT for a layout */
} tool_layout_owner;

/* How a language prints each declaration. */
typedef struct tool_layout_language {
    const char *preamble, *epilogue;
    const char *comment, *comment_end;
    /* Values that all structures share. */
    void (*values)(tool_output *out);
    /* A kind that is a structure itself. */
    void (*kind)(tool_output *out, const tool_layout_owner *owner);
    void (*structure)(tool_output *out, etl_memory_layout layout);
    /* A structure with the members and the names of bits of an earlier one. */
    void (*alias)(tool_output *out, etl_memory_layout layout, etl_memory_layout same);
} tool_layout_language;

/* Declares all kinds that are structures and all wanted layouts. A comment before each layout lists its rejected rows, so
   that nobody looks for them in vain. */
void tool_layout_declare(tool_output *out, etl_memory_layout wanted, const tool_layout_language *language);

/* Declares each part of a kind and each gap between parts. Returns the end of the last part. */
uint32_t tool_layout_declare_parts(tool_output *out, const tool_layout_owner *owner,
                                   void (*each)(tool_output *out, const tool_layout_owner *owner,
                                                const tool_layout_entry *entry));

/* TRACE_ENABLE_INFO_x64, WMI_LOGGER_CONTEXT_6_0_early_x64 */
void tool_put_owner_name(tool_output *out, const tool_layout_owner *owner);
/* "WMI_LOGGER_CONTEXT_1903_x64_Flags": the name of a type or constant that belongs to a member. */
void tool_put_owned_name(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry);
/* Prints the type of one element if it has a name: a kind that is a structure, a GUID, or `byte` for BYTES. False for a
   number. */
bool tool_put_named_type(tool_output *out, const etl_memory_member *member, etl_arch arch, const char *byte);
/* Width in bits of one element that is a number. */
uint32_t tool_layout_number_bits(const etl_memory_member *member);
/* The name of a member, and for an array its number of elements: "Data4[8];". */
void tool_put_declarator(tool_output *out, const tool_layout_entry *entry);

#endif
