/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a file, a range of a file, standard input or memory as windows that only move forward: mapped where the system
 * allows it, read otherwise. pull.c, recovery_passes.c, the verb `layout` and `map` call this.
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

static void map_range(tool_input *input, uint64_t file_size)
{
    const uint64_t left = file_size > input->start ? file_size - input->start : 0;
    input->size = left < input->most ? left : input->most;
    input->size_known = true;
    input->mapped = true;
    input->step = MAP_WINDOW;
}

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
    if (S_ISREG(about.st_mode) && about.st_size > 0 && lseek(input->file, 0, SEEK_CUR) == 0)
        map_range(input, (uint64_t)about.st_size);
    return input->start == 0 || lseek(input->file, (off_t)input->start, SEEK_SET) >= 0 || print_read_error(input);
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
    ssize_t got = pread(input->file, bytes, size, (off_t)(input->start + offset));
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
    return input->start == 0 || tool_seek(input->stream, input->start, SEEK_SET) || print_read_error(input);
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
    if (stream == NULL || stream == stdin || fgetpos(stream, &here) != 0 ||
        !tool_seek(stream, input->start + offset, SEEK_SET))
        return 0;
    size_t got = fread(bytes, 1, size, stream);
    return fsetpos(stream, &here) == 0 ? got : 0;
}

#endif

bool tool_input_open(tool_input *input, const char *name)
{
    return tool_input_open_range(input, name, 0, UINT64_MAX);
}

bool tool_input_open_range(tool_input *input, const char *name, uint64_t start, uint64_t size)
{
    bool standard = strcmp(name, "-") == 0;
    *input = (tool_input){.name = name, .title = standard ? "standard input" : name,
                         .start = start, .most = size, .offset = start};
    if (open_file(input, standard))
        return true;
    close_file(input);
    return false;
}

void tool_input_open_memory(tool_input *input, const char *title, etl_span bytes, size_t step)
{
    *input = (tool_input){.name = title, .title = title, .file = -1, .size_known = true, .size = bytes.size,
                         .most = UINT64_MAX, .memory = true, .bytes = bytes, .step = step};
}

bool tool_input_open_view(tool_input *view, const tool_input *input)
{
    *view = *input;
    view->view = true;
    view->all = false;
    view->at = NULL;
    view->capacity = 0;
    if (input->mapped || input->memory)
        return true;
#if defined(_WIN32)
    return strcmp(input->name, "-") != 0 && tool_input_open_range(view, input->name, input->start, input->most);
#else
    return false;
#endif
}

void tool_input_close(tool_input *input)
{
    if (input->mapped)
        tool_munmap(input->at, input->capacity);
    else
        free(input->at);
    input->at = NULL;
    if (!input->view)
        close_file(input);
}

bool tool_input_reopen(tool_input *input, uint64_t start, uint64_t size)
{
    const tool_input old = *input;
    if (!old.memory) {
        tool_input_close(input);
        return tool_input_open_range(input, old.name, start, size);
    }
    free(input->at);
    tool_input_open_memory(input, old.title, old.bytes, old.step);
    const etl_span part = etl_span_from(old.bytes, start < old.bytes.size ? (size_t)start : old.bytes.size);
    input->start = start;
    input->most = size;
    input->size = part.size < size ? part.size : size;
    return true;
}

/* Maps a window that starts at the page of `offset`. False if the system refuses. */
static bool map_window(tool_input *input, uint64_t offset, size_t want)
{
    uint64_t at = input->start + offset;
    uint64_t page = at - at % tool_mmap_page_size();
    uint64_t length = (uint64_t)want + (at - page) + input->step;
    uint64_t left = input->start + input->size - page;
    tool_munmap(input->at, input->capacity);
    input->capacity = (size_t)(length < left ? length : left);
    input->at = tool_mmap(input->file, page, input->capacity, input->title);
    input->offset = page;
    input->filled = input->capacity;
    return input->at != NULL;
}

bool tool_input_map_all(tool_input *input)
{
    const size_t step = input->step;
    if (!input->mapped || input->size > SIZE_MAX)
        return false;
    input->step = (size_t)input->size;
    input->all = map_window(input, 0, 0);
    input->step = step;
    return input->all;
}

void tool_input_share(const tool_input *input)
{
    tool_mmap_watch(input->at, input->capacity, input->title);
}

static bool serve_mapped(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    if (offset >= input->size) {
        *window = (etl_span){0};
        *last = true;
        return true;
    }
    if (!input->all && !map_window(input, offset, want))
        return false;
    size_t skip = (size_t)(input->start + offset - input->offset);
    *window = (etl_span){input->at + skip, input->filled - skip};
    *last = input->offset + input->filled == input->start + input->size;
    return true;
}

/* Switches from mapping to reading. Only for the first window: a later one cannot go back to the start of the input. */
static void unmap_for_good(tool_input *input)
{
    input->mapped = false;
    input->size_known = false;
    input->size = 0;
    input->at = NULL;
    input->capacity = 0;
    input->offset = input->start;
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

/* Reads on behind the bytes in memory, up to the end of the file or range. */
static bool read_more(tool_input *input)
{
    const uint64_t left = input->most - input->size;
    size_t room = input->capacity - input->filled;
    if (room > left)
        room = (size_t)left;
    const long long got = room > 0 ? read_some(input, input->at + input->filled, room) : 0;
    if (got < 0)
        return print_read_error(input);
    input->filled += (size_t)got;
    input->size += (uint64_t)got;
    input->size_known = got == 0;
    return true;
}

static bool serve_stream(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    const uint64_t from = input->start + offset;
    if (!grow(input, want))
        return false;
    drop_before(input, from);
    while (!input->size_known && input->offset + input->filled < from + want) {
        if (!read_more(input))
            return false;
        drop_before(input, from);
    }
    *last = input->size_known;
    size_t skip = from - input->offset < input->filled ? (size_t)(from - input->offset) : input->filled;
    *window = (etl_span){input->at + skip, input->filled - skip};
    return true;
}

static bool serve_memory(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last)
{
    const uint64_t skipped = offset < input->size ? offset : input->size;
    const etl_span left = etl_span_part(input->bytes, (size_t)(input->start + skipped), (size_t)(input->size - skipped));
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
    if (input->mapped && (offset > 0 || input->view))
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
