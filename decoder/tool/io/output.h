/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output: standard output behind a large buffer, or memory that grows.
 */
#ifndef ETLPROOF_OUT_H
#define ETLPROOF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"
#include "etlproof/clock.h"
#include "etlproof/guid.h"

#include "io/command.h"

/* Most bytes that tool_out_room gives at once. */
#define TOOL_OUT_ROOM_MAX 4096u

typedef struct tool_out {
    char *at;
    size_t used, size;
    bool memory; /* grows where standard output would be written */
    int error;   /* errno of the first failure; all that follows it is dropped */
} tool_out;

/* Standard output; there can be one at a time. */
void tool_out_open(tool_out *out);
/* Memory; tool_out_free gives it back. */
void tool_out_open_memory(tool_out *out);
void tool_out_free(tool_out *out);

/* Makes room where `used` stands; `size` is at most TOOL_OUT_ROOM_MAX. */
void tool_out_make_room(tool_out *out, size_t size);

static inline char *tool_out_room(tool_out *out, size_t size)
{
    if (out->size - out->used < size)
        tool_out_make_room(out, size);
    return out->at + out->used;
}

static inline void tool_out_char(tool_out *out, char c)
{
    *tool_out_room(out, 1) = c;
    out->used++;
}

void tool_out_bytes(tool_out *out, const char *bytes, size_t size);
void tool_out_text(tool_out *out, const char *text);
void tool_out_spaces(tool_out *out, size_t count);

/* printf, at most TOOL_OUT_ROOM_MAX - 1 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tool_out_format(tool_out *out, const char *format, ...);

void tool_out_u64(tool_out *out, uint64_t value);
void tool_out_i64(tool_out *out, int64_t value);
/* 179,474 */
void tool_out_count(tool_out *out, uint64_t value);
/* Lower-case, with at least `digits` digits and without 0x. */
void tool_out_hex(tool_out *out, uint64_t value, unsigned digits);
void tool_out_guid(tool_out *out, const etl_guid *guid);
/* 2020-02-17T09:01:35.1234567Z */
void tool_out_utc(tool_out *out, const etl_utc *utc);
/* The bytes in hex. */
void tool_out_dump(tool_out *out, etl_span bytes);

/* Text of the input for a terminal, as utf.h shows it; lone surrogates become U+FFFD. */
void tool_out_utf8(tool_out *out, etl_span text);
void tool_out_utf16(tool_out *out, etl_span text);
/* The same of a name of the command line. */
void tool_out_name(tool_out *out, const char *name);

void tool_out_flush(tool_out *out);

/* Flushes; says on standard error why output failed, except that its reader is gone. CONFORMING or OUTPUT. */
tool_exit tool_out_close(tool_out *out);

#endif
