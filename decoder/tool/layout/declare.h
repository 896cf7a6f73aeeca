/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as declarations of structures: what C and ImHex have in common.
 */
#ifndef ETLPROOF_LAYOUT_DECLARE_H
#define ETLPROOF_LAYOUT_DECLARE_H

#include "layout/export.h"

/* What has members: a layout, or a kind that is a structure, of which `layout` is the newest that has a member of it. */
typedef struct etl_layout_owner {
    etl_memory_layout layout;
    etl_memory_kind kind; /* COUNT of a layout */
} etl_layout_owner;

/* How a language writes what the walk comes to. */
typedef struct etl_layout_language {
    const char *preamble, *epilogue;
    const char *comment, *comment_end;
    /* What all structures have in common besides kinds. */
    void (*values)(etl_out *out);
    /* A kind that is a structure itself. */
    void (*kind)(etl_out *out, const etl_layout_owner *owner);
    void (*structure)(etl_out *out, etl_memory_layout layout);
    /* A structure that is laid out as one before it, and calls bits the same. */
    void (*alias)(etl_out *out, etl_memory_layout layout, etl_memory_layout same);
} etl_layout_language;

/* All kinds that are structures, and all layouts that are wanted: before each a comment, which says what is not taken too,
   so that nobody looks for it in vain. */
void etl_layout_declare(etl_out *out, etl_memory_layout wanted, const etl_layout_language *language);

/* Declares each part of a kind, and each gap between two. Returns where the last part ends. */
uint32_t etl_layout_declare_parts(etl_out *out, const etl_layout_owner *owner,
                                  void (*each)(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *entry));

/* TRACE_ENABLE_INFO_x64, WMI_LOGGER_CONTEXT_6_0_early_x64 */
void etl_out_owner_name(etl_out *out, const etl_layout_owner *owner);
/* "WMI_LOGGER_CONTEXT_1903_x64_Flags": what is said of a member, and not in its structure. */
void etl_out_owned_name(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *entry);
/* The type of one element, where it has a name: a kind that is a structure, a GUID, or the language's `byte` of BYTES.
   False if it is a number. */
bool etl_out_named_type(etl_out *out, const etl_memory_member *member, etl_arch arch, const char *byte);
/* Bits of a number that is one element. */
uint32_t etl_layout_number_bits(const etl_memory_member *member);
/* The name of a member and, of an array, how many elements: "Data4[8];". */
void etl_out_declarator(etl_out *out, const etl_layout_entry *entry);

#endif
