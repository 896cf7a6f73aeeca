/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

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

#include "heap.h"
#include "new_file.h"
#include "paths.h"
#include "tool.h"

char *join(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = etl_heap_get(NULL, size);
    (void)snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

bool files_is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Windows would change line ends in a stream of text, which its standard streams are. */
static FILE *as_bytes(FILE *stream)
{
#if defined(_WIN32)
    (void)_setmode(_fileno(stream), _O_BINARY);
#endif
    return stream;
}

bool files_read(const char *path, file_bytes *bytes)
{
    size_t room = 0, got = 0;
    *bytes = (file_bytes){NULL, 0};
    errno = 0;
    FILE *file = files_is_dash(path) ? as_bytes(stdin) : fopen(path, "rb");
    if (file != NULL) {
        do {
            room = room != 0 ? 2 * room : 65536;
            bytes->at = etl_heap_get(bytes->at, room);
            got = fread(bytes->at + bytes->size, 1, room - bytes->size, file);
            bytes->size += got;
        } while (bytes->size == room);
    }
    const bool done = file != NULL && ferror(file) == 0;
    if (!done)
        etl_complain("cannot read %s: %s", path, strerror(errno));
    if (file != NULL && file != stdin)
        (void)fclose(file);
    return done;
}

/* What is no ordinary file cannot be replaced, and is never taken away. */
static bool write_through(const char *path, const uint8_t *at, size_t size)
{
    errno = 0;
    FILE *file = files_is_dash(path) ? as_bytes(stdout) : fopen(path, "wb");
    bool done = file != NULL && fwrite(at, 1, size, file) == size && fflush(file) == 0;
    int reason = errno;
    if (file != NULL && file != stdout && fclose(file) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (!done)
        etl_complain("cannot write %s: %s", files_is_dash(path) ? "to standard output" : path, strerror(reason));
    return done;
}

bool files_write(const char *path, const uint8_t *at, size_t size)
{
    static etl_new_file file;
    if (files_is_dash(path) || !etl_path_ordinary(path))
        return write_through(path, at, size);
    return etl_new_file_open(&file, path, "") && etl_new_file_write(&file, at, size) && etl_new_file_close(&file) &&
           etl_new_file_keep(&file, true);
}

bool files_make_folder(const char *path)
{
#if defined(_WIN32)
    const int made = _mkdir(path);
#else
    const int made = mkdir(path, 0777);
#endif
    if (made == 0 || errno == EEXIST)
        return true;
    etl_complain("cannot make the folder %s: %s", path, strerror(errno));
    return false;
}

const char *files_base_name(const char *path)
{
#if defined(_WIN32)
    const char *const slashes = "/\\";
#else
    const char *const slashes = "/";
#endif
    for (const char *next = path; (next = strpbrk(next, slashes)) != NULL;)
        path = ++next;
    return path;
}

bool files_has_reader(void)
{
#if defined(_WIN32)
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}
