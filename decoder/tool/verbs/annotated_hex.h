/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map --hex: bytes in rows, each with the member of a structure that it is.
 */
#ifndef ETLPROOF_MAP_HEX_H
#define ETLPROOF_MAP_HEX_H

#include "etlproof/etlproof.h"

#include "io/output.h"

/* What of a file is shown: all of it, or what lies near one offset. */
typedef struct tool_around {
    bool limited;
    etl_space space;
    uint64_t buffer; /* index, with space INFLATED */
    uint64_t offset;
} tool_around;

/* Bytes on either side of the offset that are shown with it. */
#define TOOL_AROUND_REACH 128u

/* True if any of `size` bytes from `offset` on is to be shown. */
bool tool_around_shows(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size);
/* True if the offset is one of those bytes. */
bool tool_around_hits(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size);

typedef struct tool_hex {
    tool_output *out;
    const tool_around *around;
    etl_space space;
    uint64_t buffer;
} tool_hex;

/* `offset` is that of the first byte, in `space`. Rows like the one before are left out, unless around an offset. */
void tool_hex_bytes(const tool_hex *hex, etl_span bytes, uint64_t offset, const char *label);

/* The members of a structure, as far as `bytes` goes; returns the bytes that they take. */
size_t tool_hex_structure(const tool_hex *hex, etl_structure_id id, etl_span bytes, uint64_t offset);

/* The regions of a buffer's own, and of an event. */
void tool_hex_buffer_header(const tool_hex *hex, const etl_buffer *buffer);
void tool_hex_event_header(const tool_hex *hex, const etl_event *event);
void tool_hex_items(const tool_hex *hex, const etl_event *event);
void tool_hex_payload(const tool_hex *hex, const etl_event *event);

#endif
