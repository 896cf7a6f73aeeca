/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output: standard output behind a large buffer, or memory that grows.
 */
#ifndef ETLPROOF_IO_OUTPUT_H
#define ETLPROOF_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"

#include "io/command.h"
#include "io/digits.h"

/* Most bytes that tool_output_reserve provides at once. */
#define TOOL_OUTPUT_RESERVE_MAX 4096u

typedef struct tool_output {
    char *at;
    size_t used, size;
    bool memory; /* a full buffer grows instead of being written */
    bool coloured; /* standard output is a terminal, and NO_COLOR is not set */
    int error;   /* errno of the first failure; later output is dropped */
} tool_output;

/* Opens standard output; only one at a time. */
void tool_output_open(tool_output *out);
/* Opens memory, to be freed with tool_output_free. */
void tool_output_open_memory(tool_output *out);
void tool_output_free(tool_output *out);

/* Flushes or grows until `size` bytes are free behind `used`. */
void tool_output_grow(tool_output *out, size_t size);

/* Returns `size` free bytes, at most TOOL_OUTPUT_RESERVE_MAX. The caller writes them and adds their number to `used`. */
static inline char *tool_output_reserve(tool_output *out, size_t size)
{
    if (out->size - out->used < size)
        tool_output_grow(out, size);
    return out->at + out->used;
}

static inline void tool_put_char(tool_output *out, char c)
{
    *tool_output_reserve(out, 1) = c;
    out->used++;
}

void tool_put_bytes(tool_output *out, const char *bytes, size_t size);
void tool_put_text(tool_output *out, const char *text);
/* The text in a colour, if the output is coloured. */
typedef enum tool_colour { TOOL_RED = 31, TOOL_GREEN, TOOL_YELLOW, TOOL_CYAN = 36 } tool_colour;
void tool_put_coloured(tool_output *out, tool_colour colour, const char *text);
void tool_put_spaces(tool_output *out, size_t count);

/* printf, at most TOOL_OUTPUT_RESERVE_MAX - 1 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tool_put_format(tool_output *out, const char *format, ...);

void tool_put_u64(tool_output *out, uint64_t value);
void tool_put_hex(tool_output *out, uint64_t value, unsigned digits);
void tool_put_i64(tool_output *out, int64_t value);
/* 179,474 */
void tool_put_count(tool_output *out, uint64_t value);
/* "1 event", "179,474 events": `noun` in the singular. */
void tool_put_counted(tool_output *out, uint64_t count, const char *noun);
void tool_put_guid(tool_output *out, const etl_guid *guid);
void tool_put_utc(tool_output *out, const etl_utc *utc);
/* Bytes in hex. */
void tool_put_dump(tool_output *out, etl_span bytes);

/* Text from the input, escaped for a terminal as in utf.h. Lone surrogates become U+FFFD. */
void tool_put_utf8(tool_output *out, etl_span text);
void tool_put_utf16(tool_output *out, etl_span text);
/* A name from the command line, escaped likewise. */
void tool_put_name(tool_output *out, const char *name);

void tool_output_flush(tool_output *out);

/* Flushes. Returns CONFORMING, or OUTPUT after a write error, which it reports unless the reader of a pipe has exited. */
tool_exit tool_output_close(tool_output *out);

#endif
