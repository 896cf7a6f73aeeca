/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map --hex: bytes in rows, each labelled with the structure member it is; and map --around, which limits the output.
 */
#ifndef ETLPROOF_VERBS_ANNOTATED_HEX_H
#define ETLPROOF_VERBS_ANNOTATED_HEX_H

#include "etlproof/etlproof.h"

#include "io/output.h"

/* The part of a file that is printed: all of it, or the bytes near one offset. */
typedef struct tool_around {
    bool limited;
    etl_space space;
    uint64_t buffer; /* index, with space INFLATED */
    uint64_t offset;
} tool_around;

/* Bytes on either side of the offset that are printed. */
#define TOOL_AROUND_REACH 128u

/* True if any of the `size` bytes at `offset` is printed. */
bool tool_around_shows(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size);
/* True if `around` points at one of these bytes. */
bool tool_around_hits(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size);

typedef struct tool_hex {
    tool_output *out;
    const tool_around *around;
    etl_space space;
    uint64_t buffer;
} tool_hex;

/* Prints `bytes`; the first lies at `offset` of `hex->space`. Repeated rows are collapsed, except with --around. */
void tool_hex_bytes(const tool_hex *hex, etl_span bytes, uint64_t offset, const char *label);

/* Prints the members of a structure that lie in `bytes`. Returns their size in bytes. */
size_t tool_hex_structure(const tool_hex *hex, etl_structure_id id, etl_span bytes, uint64_t offset);

/* Print the header of a buffer, and the regions of an event. */
void tool_hex_buffer_header(const tool_hex *hex, const etl_buffer *buffer);
void tool_hex_event_header(const tool_hex *hex, const etl_event *event);
void tool_hex_items(const tool_hex *hex, const etl_event *event);
void tool_hex_payload(const tool_hex *hex, const etl_event *event);

#endif
