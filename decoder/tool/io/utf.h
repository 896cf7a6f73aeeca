/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code points of UTF-8 and UTF-16LE text that may be malformed, and what a terminal is shown of it.
 */
#ifndef ETLPROOF_UTF_H
#define ETLPROOF_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"

#define TOOL_UTF8_MAX 4u
#define TOOL_UTF_REPLACEMENT UINT32_C(0xFFFD)

typedef struct tool_utf {
    uint32_t point; /* UTF-8: the byte itself if not valid; UTF-16: a lone surrogate stands for itself */
    size_t size;    /* bytes that it takes: 1 or more */
    bool valid;
} tool_utf;

/* The code point at `at`, which lies within the text. */
tool_utf tool_utf8_next(etl_span text, size_t at);
/* The same; at least two bytes lie at `at`. */
tool_utf tool_utf16_next(etl_span text, size_t at);

static inline bool tool_utf_is_surrogate(uint32_t point)
{
    return point >= 0xD800 && point <= 0xDFFF;
}

/* Writes a code point, which is no surrogate; returns its bytes. */
size_t tool_utf8_write(char room[TOOL_UTF8_MAX], uint32_t point);

/* A control character, or one that nobody sees or that turns the order of those around it. All are below 0x10000. */
bool tool_utf_is_hidden(uint32_t point);

/* What stands for a code point, or for a byte that is none. Each \xNN is a byte of UTF-8 text, and only that. */
typedef struct tool_utf_shown {
    char text[TOOL_UTF8_MAX * (sizeof "\\xNN" - 1)];
    size_t size;
} tool_utf_shown;

/* A code point, which is no surrogate: itself, or its bytes if it is hidden. */
tool_utf_shown tool_utf_show(uint32_t point);
/* What stands at `*at`, which goes on behind it. A backslash that would make what follows it a byte is one itself. */
tool_utf_shown tool_utf8_show(etl_span text, size_t *at);
/* All of `text`, up to its NUL, with a NUL behind it; cut where `size` bytes of room are full. Returns its length. */
size_t tool_utf8_show_text(const char *text, char *room, size_t size);

#endif
