/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code points of UTF-8 and UTF-16LE text that may be malformed, and their escaped form for a terminal.
 */
#ifndef ETLPROOF_IO_UTF_H
#define ETLPROOF_IO_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"

#define TOOL_UTF8_MAX 4u
#define TOOL_UTF_REPLACEMENT UINT32_C(0xFFFD)

typedef struct tool_utf {
    uint32_t point; /* UTF-8: the byte itself if not valid; UTF-16: a lone surrogate as it is */
    size_t size;    /* bytes it takes in the text, at least 1 */
    bool valid;
} tool_utf;

/* The code point at `at`, which must lie within the text. */
tool_utf tool_utf8_next(etl_span text, size_t at);
/* Likewise; at least two bytes must lie at `at`. */
tool_utf tool_utf16_next(etl_span text, size_t at);

static inline bool tool_utf_is_surrogate(uint32_t point)
{
    return point >= 0xD800 && point <= 0xDFFF;
}

/* Writes a code point that is not a surrogate. Returns its size in bytes. */
size_t tool_utf8_write(char bytes[TOOL_UTF8_MAX], uint32_t point);

/* True for control characters, and for invisible and direction-changing characters. All are below 0x10000. */
bool tool_utf_is_hidden(uint32_t point);

/* The escaped form of a code point or of an invalid byte. \xNN always stands for one byte of UTF-8 text. */
typedef struct tool_utf_shown {
    char text[TOOL_UTF8_MAX * (sizeof "\\xNN" - 1)];
    size_t size;
} tool_utf_shown;

/* The form of a code point that is not a surrogate: the character, or its bytes as \xNN if it is hidden. */
tool_utf_shown tool_utf_show(uint32_t point);
/* The form of the text at `*at`, which is advanced. A backslash that would start a \xNN of the text is escaped itself. */
tool_utf_shown tool_utf8_show(etl_span text, size_t *at);
/* The form of a whole string, NUL-terminated and cut to `size` bytes. Returns its length. */
size_t tool_utf8_show_text(const char *text, char *shown, size_t size);

#endif
