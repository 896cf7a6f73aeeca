/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

enum { PATH_ROOM = 4096 };

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

bool etl_files_read(const char *path, etl_chunk *content)
{
    uint8_t room[4096];
    size_t size;
    errno = 0;
    FILE *file = is_dash(path) ? stdin : fopen(path, "rb");
    if (file != NULL)
        while ((size = fread(room, 1, sizeof room, file)) != 0)
            etl_chunk_add(content, room, size);
    const bool done = file != NULL && ferror(file) == 0;
    if (!done)
        etl_complain("cannot read %s: %s", path, strerror(errno));
    if (file != NULL && file != stdin)
        (void)fclose(file);
    return done;
}

/* The file that is being written, for a signal to take away. */
static char unfinished[PATH_ROOM];

static void on_signal(int number)
{
    if (unfinished[0] != '\0')
        (void)unlink(unfinished);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Opens a new file beside `path`, as readable as any other. */
static FILE *open_beside(const char *path)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    const int length = (int)(strlen(path) - strlen(etl_files_base_name(path)));
    const int printed = snprintf(unfinished, sizeof unfinished, "%.*s.etlproof-build-XXXXXX", length, path);
    if (printed < 0 || printed >= PATH_ROOM) {
        unfinished[0] = '\0';
        errno = ENAMETOOLONG;
        return NULL;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        (void)signal(numbers[i], on_signal);
    const int number = mkstemp(unfinished);
    if (number < 0) {
        unfinished[0] = '\0';
        return NULL;
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(number, 0666 & ~mask);
    return fdopen(number, "wb");
}

/* A device, say, which is written to where it is. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

bool etl_files_same(const char *a, const char *b)
{
    struct stat one, other;
    return !is_dash(a) && !is_dash(b) && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool write_all(FILE *file, const etl_chunk *content)
{
    return file != NULL && (content->size == 0 || fwrite(content->at, 1, content->size, file) == content->size) &&
           fflush(file) == 0;
}

bool etl_files_write(const char *path, const etl_chunk *content)
{
    FILE *file = is_dash(path) ? stdout : is_special(path) ? fopen(path, "wb") : open_beside(path);
    bool done = write_all(file, content);
    int reason = errno;
    if (file != NULL && file != stdout && fclose(file) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (done && unfinished[0] != '\0' && rename(unfinished, path) != 0) {
        done = false;
        reason = errno;
    }
    if (!done && unfinished[0] != '\0')
        (void)unlink(unfinished);
    unfinished[0] = '\0';
    if (!done)
        etl_complain("cannot write %s: %s", is_dash(path) ? "to standard output" : path, strerror(reason));
    return done;
}

bool etl_files_make_folder(const char *path)
{
    char part[PATH_ROOM];
    const size_t length = strlen(path);
    bool done = length < sizeof part;
    for (size_t i = 1; done && i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        done = mkdir(part, 0777) == 0 || errno == EEXIST;
    }
    if (!done)
        etl_complain("cannot make the folder %s: %s", path, strerror(errno));
    return done;
}

const char *etl_files_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void etl_files_folder_name(const char *path, char *name, size_t size)
{
    char *whole = realpath(path, NULL);
    char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    name[0] = '\0';
    if (slash != NULL) {
        *slash = '\0';
        (void)snprintf(name, size, "%s", etl_files_base_name(whole));
    }
    free(whole);
}
