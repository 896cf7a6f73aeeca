/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the bytes of a member in memory say, for people and as JSON.
 */
#ifndef ETLPROOF_LAYOUT_VALUE_H
#define ETLPROOF_LAYOUT_VALUE_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "records/json_writer.h"

/* Bits `index` of a member whose bits have names, lowest first, those that are not taken too. False if there are no
   more. */
bool tool_layout_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t index, etl_memory_bits *bits);

/* The next from `*at` on that is taken, from 0. */
bool tool_layout_next_taken_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t *at,
                                 etl_memory_bits *bits);
/* One of them, whatever a member holds: as a line with a mark in front, and as an object of an array. */
void tool_layout_bits_line(tool_output *out, const char *mark, const etl_memory_bits *bits, bool evidence);
void tool_layout_bits_object(tool_json *json, const etl_memory_bits *bits);

/* Kinds that have no parts. The value has been read; nothing is printed of BYTES. `evidence`: say of all bits how sure they
   are, and not only of those that sources disagree about. */
void tool_layout_value_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value, bool evidence);
/* "value", and what there is besides: into the object that is open. */
void tool_layout_value_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value);

#endif
