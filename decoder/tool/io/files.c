/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes whole files, and creates folders. `etlproof-build`, `-carve` and `-mutate` call this.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "io/command.h"
#include "io/new_file.h"
#include "io/paths.h"

#define FIRST_CAPACITY 65536u
#define PATH_SIZE 4096u

bool tool_files_is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

bool tool_files_same(const char *a, const char *b)
{
    return !tool_files_is_dash(a) && !tool_files_is_dash(b) && tool_path_same_file(a, b);
}

/* Windows opens its standard streams as text, and would translate line ends. */
static FILE *as_bytes(FILE *stream)
{
#if defined(_WIN32)
    (void)_setmode(_fileno(stream), _O_BINARY);
#endif
    return stream;
}

static bool resize(tool_file_bytes *bytes, size_t capacity)
{
    uint8_t *other = realloc(bytes->at, capacity);
    if (other != NULL)
        bytes->at = other;
    return other != NULL;
}

static bool read_all(FILE *file, tool_file_bytes *bytes)
{
    size_t capacity = 0;
    do {
        capacity = capacity != 0 ? 2 * capacity : FIRST_CAPACITY;
        if (!resize(bytes, capacity))
            return false;
        bytes->size += fread(bytes->at + bytes->size, 1, capacity - bytes->size, file);
    } while (bytes->size == capacity);
    return ferror(file) == 0 && resize(bytes, bytes->size != 0 ? bytes->size : 1);
}

bool tool_files_read(const char *path, tool_file_bytes *bytes)
{
    *bytes = (tool_file_bytes){NULL, 0};
    errno = 0;
    FILE *file = tool_files_is_dash(path) ? as_bytes(stdin) : fopen(path, "rb");
    const bool done = file != NULL && read_all(file, bytes);
    if (!done) {
        tool_print_error("cannot read %s: %s", tool_files_is_dash(path) ? "standard input" : path, strerror(errno));
        free(bytes->at);
        *bytes = (tool_file_bytes){NULL, 0};
    }
    if (file != NULL && file != stdin)
        (void)fclose(file);
    return done;
}

/* Writes to a device, a pipe or standard output, which cannot be replaced and are never removed. */
static bool write_through(const char *path, const void *bytes, size_t size)
{
    errno = 0;
    FILE *file = tool_files_is_dash(path) ? as_bytes(stdout) : fopen(path, "wb");
    bool done = file != NULL && (size == 0 || fwrite(bytes, 1, size, file) == size) && fflush(file) == 0;
    int reason = errno;
    if (file != NULL && file != stdout && fclose(file) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (!done)
        tool_print_error("cannot write %s: %s", tool_files_is_dash(path) ? "to standard output" : path, strerror(reason));
    return done;
}

bool tool_files_write(const char *path, const void *bytes, size_t size)
{
    static tool_new_file file;
    if (tool_files_is_dash(path) || !tool_path_ordinary(path))
        return write_through(path, bytes, size);
    return tool_new_file_open(&file, path, "") && tool_new_file_write(&file, bytes, size) && tool_new_file_close(&file) &&
           tool_new_file_keep(&file, true);
}

/* Creates one folder in an existing one. */
static bool make_folder(const char *path)
{
#if defined(_WIN32)
    const int made = _mkdir(path);
#else
    const int made = mkdir(path, 0777);
#endif
    return made == 0 || errno == EEXIST;
}

bool tool_files_make_folder(const char *path)
{
    char part[PATH_SIZE];
    const size_t length = strlen(path);
    errno = ENAMETOOLONG;
    bool done = length < sizeof part;
    for (size_t i = 1; done && i <= length; i++) {
        if (strchr(tool_path_slashes, path[i]) == NULL) /* also matches the NUL at the end */
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        done = tool_path_exists(part) || make_folder(part);
    }
    if (!done)
        tool_print_error("cannot make the folder %s: %s", path, strerror(errno));
    return done;
}

const char *tool_files_base_name(const char *path)
{
    for (const char *next = path; (next = strpbrk(next, tool_path_slashes)) != NULL;)
        path = ++next;
    return path;
}

bool tool_stderr_is_terminal(void)
{
#if defined(_WIN32)
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}
