/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a member in memory, as text and as JSON.
 */
#ifndef ETLPROOF_LAYOUT_VALUE_H
#define ETLPROOF_LAYOUT_VALUE_H

#include "etlproof/memory.h"

#include "io/output.h"
#include "records/json_writer.h"

/* The run of named bits number `index` of a member, lowest first, rejected rows included. False after the last. */
bool tool_layout_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t index, etl_memory_bits *bits);

/* The next taken run from `*at` on, which starts at 0. */
bool tool_layout_next_taken_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t *at,
                                 etl_memory_bits *bits);
/* A run of bits, whatever the value: as a line that starts with `mark`, and as an element of the open array. */
void tool_layout_bits_line(tool_output *out, const char *mark, const etl_memory_bits *bits, bool evidence);
void tool_layout_bits_object(tool_json *json, const etl_memory_bits *bits);

/* A value that was read, of a kind without parts; nothing for BYTES. `evidence`: print the evidence for all bits, not only
   for those that sources disagree about. */
void tool_layout_value_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value, bool evidence);
/* "value" and the members that explain it, into the open object. */
void tool_layout_value_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value);

#endif
