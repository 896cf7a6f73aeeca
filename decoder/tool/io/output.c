/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output to standard output or memory, and the text forms of numbers, GUIDs, times and names. All text and JSON
 * of the command comes through here.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <unistd.h>
#elif defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "io/utf.h"
#include "span.h"

#define STDOUT_BUFFER ((size_t)256 * 1024)

static char stdout_buffer[STDOUT_BUFFER];
/* Receives output after memory ran out; never read. */
static char nowhere[TOOL_OUTPUT_RESERVE_MAX];

#if TOOL_POSIX

/* https://no-color.org: any value of NO_COLOR but the empty one counts. */
static bool wants_colour(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && (none == NULL || *none == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

#else

static bool wants_colour(void)
{
    return false;
}

#endif

void tool_output_open(tool_output *out)
{
    /* stdout_buffer is the only buffer. */
    (void)setvbuf(stdout, NULL, _IONBF, 0);
#if defined(_WIN32)
    (void)_setmode(_fileno(stdout), _O_BINARY); /* the same bytes on every system */
#endif
    *out = (tool_output){.at = stdout_buffer, .size = STDOUT_BUFFER, .coloured = wants_colour()};
}

void tool_output_open_memory(tool_output *out)
{
    *out = (tool_output){.at = nowhere, .memory = true};
}

void tool_output_free(tool_output *out)
{
    if (out->memory && out->at != nowhere)
        free(out->at);
    *out = (tool_output){.at = nowhere, .memory = true};
}

static void write_out(tool_output *out, const char *bytes, size_t size)
{
    errno = 0;
    if (out->error == 0 && size > 0 && fwrite(bytes, 1, size, stdout) != size)
        out->error = errno != 0 ? errno : EIO;
}

void tool_output_flush(tool_output *out)
{
    if (out->memory)
        return;
    write_out(out, out->at, out->used);
    out->used = 0;
}

static void grow(tool_output *out, size_t size)
{
    size_t wanted = out->size < SIZE_MAX / 2 ? out->size * 2 + size : 0;
    char *at = out->error == 0 && wanted != 0 ? realloc(out->at == nowhere ? NULL : out->at, wanted) : NULL;
    if (at != NULL) {
        out->at = at;
        out->size = wanted;
        return;
    }
    tool_output_free(out);
    out->error = ENOMEM;
    out->size = sizeof nowhere;
}

void tool_output_grow(tool_output *out, size_t size)
{
    if (out->error != 0)
        out->used = 0;
    if (out->size - out->used >= size)
        return;
    if (out->memory)
        grow(out, size);
    else
        tool_output_flush(out);
}

void tool_put_bytes(tool_output *out, const char *bytes, size_t size)
{
    if (!out->memory && size >= out->size) { /* too many for the buffer */
        tool_output_flush(out);
        write_out(out, bytes, size);
        return;
    }
    while (size > 0) {
        size_t part = size < TOOL_OUTPUT_RESERVE_MAX ? size : TOOL_OUTPUT_RESERVE_MAX;
        memcpy(tool_output_reserve(out, part), bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
    }
}

void tool_put_text(tool_output *out, const char *text)
{
    tool_put_bytes(out, text, strlen(text));
}

void tool_put_coloured(tool_output *out, tool_colour colour, const char *text)
{
    if (out->coloured)
        tool_put_format(out, "\x1b[%dm%s\x1b[0m", (int)colour, text);
    else
        tool_put_text(out, text);
}

void tool_put_spaces(tool_output *out, size_t count)
{
    while (count-- > 0)
        tool_put_char(out, ' ');
}

void tool_put_format(tool_output *out, const char *format, ...)
{
    char *at = tool_output_reserve(out, TOOL_OUTPUT_RESERVE_MAX);
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(at, TOOL_OUTPUT_RESERVE_MAX, format, arguments);
    va_end(arguments);
    if (written > 0)
        out->used += (size_t)written < TOOL_OUTPUT_RESERVE_MAX ? (size_t)written : TOOL_OUTPUT_RESERVE_MAX - 1;
}

void tool_put_u64(tool_output *out, uint64_t value)
{
    const char *end = tool_write_u64(tool_output_reserve(out, TOOL_U64_MAX), value);
    out->used = (size_t)(end - out->at);
}

void tool_put_i64(tool_output *out, int64_t value)
{
    if (value < 0)
        tool_put_char(out, '-');
    tool_put_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void tool_put_count(tool_output *out, uint64_t value)
{
    if (value >= 1000) {
        tool_put_count(out, value / 1000);
        tool_put_format(out, ",%03u", (unsigned)(value % 1000));
    } else {
        tool_put_u64(out, value);
    }
}

void tool_put_counted(tool_output *out, uint64_t count, const char *noun)
{
    tool_put_count(out, count);
    tool_put_format(out, " %s%s", noun, count == 1 ? "" : "s");
}

void tool_put_hex(tool_output *out, uint64_t value, unsigned digits)
{
    const char *end = tool_write_hex(tool_output_reserve(out, TOOL_HEX_MAX), value, digits);
    out->used = (size_t)(end - out->at);
}

void tool_put_guid(tool_output *out, const etl_guid *guid)
{
    (void)tool_write_guid(tool_output_reserve(out, TOOL_GUID_SIZE), guid);
    out->used += TOOL_GUID_SIZE;
}

void tool_put_utc(tool_output *out, const etl_utc *utc)
{
    (void)tool_write_utc(tool_output_reserve(out, TOOL_UTC_SIZE), utc);
    out->used += TOOL_UTC_SIZE;
}

void tool_put_dump(tool_output *out, etl_span bytes)
{
    const size_t most = TOOL_OUTPUT_RESERVE_MAX / 2;
    for (size_t at = 0; at < bytes.size; at += most) {
        const etl_span part = etl_span_part(bytes, at, most);
        char *to = tool_output_reserve(out, 2 * part.size);
        for (size_t i = 0; i < part.size; i++)
            to = tool_write_hex_u8(to, etl_load_u8(part, i));
        out->used += 2 * part.size;
    }
}

static void out_shown(tool_output *out, tool_utf_shown shown)
{
    tool_put_bytes(out, shown.text, shown.size);
}

void tool_put_utf8(tool_output *out, etl_span text)
{
    for (size_t at = 0; at < text.size;)
        out_shown(out, tool_utf8_show(text, &at));
}

void tool_put_name(tool_output *out, const char *name)
{
    tool_put_utf8(out, (etl_span){(const uint8_t *)name, strlen(name)});
}

void tool_put_utf16(tool_output *out, etl_span text)
{
    for (size_t at = 0; at + 1 < text.size;) {
        tool_utf step = tool_utf16_next(text, at);
        out_shown(out, tool_utf_show(tool_utf_is_surrogate(step.point) ? TOOL_UTF_REPLACEMENT : step.point));
        at += step.size;
    }
}

/* True if the reader of a pipe, such as head, has exited: no error to report. */
static bool reader_is_gone(int error)
{
#if defined(_WIN32)
    return error == EPIPE || error == EINVAL;
#else
    return error == EPIPE;
#endif
}

tool_exit tool_output_close(tool_output *out)
{
    tool_output_flush(out);
    if (out->error == 0)
        return TOOL_EXIT_CONFORMING;
    if (!reader_is_gone(out->error))
        tool_print_error("cannot write to standard output: %s", strerror(out->error));
    return TOOL_EXIT_OUTPUT;
}
