/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a file, standard input or memory as windows that only move forward: mapped where the system allows it, read
 * otherwise. pull.c, the verb `layout` and `map` call this.
 */
#include "io/command.h"
#if TOOL_POSIX
#define _POSIX_C_SOURCE 200809L
#endif

#include "io/windowed_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "io/mmap_file.h"
#include "io/seek.h"
#include "span.h"

/* The smallest window of a stream, and the bytes mapped beyond those requested: many buffers, yet little of the file cache.
   A mapping of only the requested bytes would be replaced every few bytes in a file whose buffers claim 16 MB. */
#define STREAM_WINDOW ((size_t)512 * 1024)
#define MAP_WINDOW ((size_t)4 * 1024 * 1024)

static bool print_read_error(const tool_input *input)
{
    tool_print_error("%s: cannot read: %s", input->title, strerror(errno));
    return false;
}

#if TOOL_POSIX

static bool open_file(tool_input *input, bool standard)
{
    input->file = standard ? STDIN_FILENO : open(input->name, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (input->file < 0 || fstat(input->file, &about) != 0)
        return print_read_error(input);
    if (S_ISDIR(about.st_mode)) {
        tool_print_error("%s: is a directory", input->title);
        return false;
    }
    if (S_ISREG(about.st_mode) && about.st_size > 0 && lseek(input->file, 0, SEEK_CUR) == 0) {
        input->size = (uint64_t)about.st_size;
        input->size_known = true;
        input->mapped = true;
    }
    return true;
}

/* Compare names, not descriptors: with standard input closed, the file gets descriptor 0. */
static void close_file(tool_input *input)
{
    if (input->file >= 0 && strcmp(input->name, "-") != 0)
        (void)close(input->file);
}

/* Returns bytes read, 0 at the end of the file, negative on an error. May return fewer bytes than `size`. */
static long long read_some(tool_input *input, uint8_t *at, size_t size)
{
    for (;;) {
        ssize_t got = read(input->file, at, size);
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

size_t tool_input_peek(const tool_input *input, uint64_t offset, uint8_t *bytes, size_t size)
{
    if (!input->mapped)
        return 0;
    ssize_t got = pread(input->file, bytes, size, (off_t)offset);
    return got > 0 ? (size_t)got : 0;
}

#else

static bool open_file(tool_input *input, bool standard)
{
    errno = 0;
    input->stream = standard ? stdin : fopen(input->name, "rb");
    if (input->stream == NULL)
        return print_read_error(input);
#if defined(_WIN32)
    if (standard)
        (void)_setmode(_fileno(stdin), _O_BINARY);
#endif
    return true;
}

static void close_file(tool_input *input)
{
    if (input->stream != NULL && input->stream != stdin)
        (void)fclose(input->stream);
}

static long long read_some(tool_input *input, uint8_t *at, size_t size)
{
    errno = 0;
    size_t got = fread(at, 1, size, input->stream);
    return got == 0 && ferror((FILE *)input->stream) ? -1 : (long long)got;
}

size_t tool_input_peek(const tool_input *input, uint64_t offset, uint8_t *bytes, size_t size)
{
    FILE *stream = input->stream;
    fpos_t here;
    if (stream == NULL || stream == stdin || fgetpos(stream, &here) != 0 || !tool_seek(stream, offset, SEEK_SET))
        return 0;
    size_t got = fread(bytes, 1, size, stream);
    return fsetpos(stream, &here) == 0 ? got : 0;
}

#endif

bool tool_input_open(tool_input *input, const char *name)
{
    bool standard = strcmp(name, "-") == 0;
    *input = (tool_input){.name = name, .title = standard ? "standard input" : name};
    if (open_file(input, standard))
        return true;
    close_file(input);
    return false;
}

void tool_input_open_memory(tool_input *input, const char *title, etl_span bytes, size_t step)
{
    *input = (tool_input){.name = title, .title = title, .file = -1, .size_known = true, .size = bytes.size,
                         .memory = true, .bytes = bytes, .step = step};
}

void tool_input_close(tool_input *input)
{
    if (input->mapped)
        tool_munmap(input->at, input->capacity);
    else
        free(input->at);
    input->at = NULL;
    close_file(input);
}

/* Maps a window that starts at the page of `offset`. False if the system refuses. */
static bool map_window(tool_input *input, uint64_t offset, size_t want)
{
    uint64_t start = offset - offset % tool_mmap_page_size();
    uint64_t length = (uint64_t)want + (offset - start) + MAP_WINDOW;
    if (length > input->size - start)
        length = input->size - start;
    tool_munmap(input->at, input->capacity);
    input->capacity = (size_t)length;
    input->at = tool_mmap(input->file, start, input->capacity, input->title);
    input->offset = start;
    input->filled = input->capacity;
    return input->at != NULL;
}

static bool serve_mapped(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    if (offset >= input->size) {
        *window = (etl_span){0};
        *last = true;
        return true;
    }
    if (!map_window(input, offset, want))
        return false;
    size_t skip = (size_t)(offset - input->offset);
    *window = (etl_span){input->at + skip, input->filled - skip};
    *last = input->offset + input->filled == input->size;
    return true;
}

/* Switches from mapping to reading. Only for the first window: a later one cannot go back to the start of the file. */
static void unmap_for_good(tool_input *input)
{
    input->mapped = false;
    input->size_known = false;
    input->size = 0;
    input->at = NULL;
    input->capacity = 0;
    input->filled = 0;
}

/*
 * Drops the bytes before `offset` once they are half of the memory or all of it. Dropping fewer would move the remaining
 * bytes once a window.
 */
static void drop_before(tool_input *input, uint64_t offset)
{
    uint64_t gone = offset - input->offset;
    if (gone > input->filled)
        gone = input->filled;
    if (gone < input->filled && gone < input->capacity / 2)
        return;
    input->filled -= (size_t)gone;
    if (input->filled > 0)
        memmove(input->at, input->at + gone, input->filled);
    input->offset += gone;
}

/* Makes the memory large enough for `want` bytes behind as many undropped ones. It grows by at least half, so that the
   total cost stays linear. */
static bool grow(tool_input *input, size_t want)
{
    if (input->capacity / 2 >= want && input->capacity > 0)
        return true;
    size_t capacity = 2 * (want < STREAM_WINDOW ? STREAM_WINDOW : want + want / 2);
    uint8_t *at = realloc(input->at, capacity);
    if (at == NULL)
        return print_read_error(input);
    input->at = at;
    input->capacity = capacity;
    return true;
}

static bool serve_stream(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    if (!grow(input, want))
        return false;
    drop_before(input, offset);
    *last = input->size_known;
    while (!*last && input->offset + input->filled < offset + want) {
        long long got = read_some(input, input->at + input->filled, input->capacity - input->filled);
        if (got < 0)
            return print_read_error(input);
        input->filled += (size_t)got;
        input->size += (uint64_t)got;
        input->size_known = got == 0;
        *last = input->size_known;
        drop_before(input, offset);
    }
    size_t skip = offset - input->offset < input->filled ? (size_t)(offset - input->offset) : input->filled;
    *window = (etl_span){input->at + skip, input->filled - skip};
    return true;
}

static bool serve_memory(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    etl_span left = etl_span_from(input->bytes, offset < input->size ? (size_t)offset : input->bytes.size);
    size_t size = want > input->step ? want : input->step;
    *last = size >= left.size;
    if (*last)
        size = left.size;
    free(input->at);
    input->at = size > 0 ? malloc(size) : NULL;
    if (size > 0 && input->at == NULL)
        return print_read_error(input);
    if (size > 0)
        memcpy(input->at, left.at, size);
    *window = (etl_span){input->at, size};
    return true;
}

static bool serve_file(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    if (input->mapped && serve_mapped(input, offset, want, window, last))
        return true;
    if (input->mapped && offset > 0)
        return print_read_error(input);
    if (input->mapped)
        unmap_for_good(input);
    return serve_stream(input, offset, want, window, last);
}

bool tool_input_serve(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    bool served = input->memory ? serve_memory(input, offset, want, window, last)
                                : serve_file(input, offset, want, window, last);
    if (!served)
        return false;
    if (offset == 0 && input->head_size < TOOL_INPUT_HEAD) {
        input->head_size = window->size < TOOL_INPUT_HEAD ? window->size : TOOL_INPUT_HEAD;
        if (input->head_size > 0)
            memcpy(input->head, window->at, input->head_size);
    }
    return true;
}
