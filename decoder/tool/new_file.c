/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include "new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if ETL_POSIX
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(_WIN32)
#include <io.h>
#endif

#include "paths.h"
#include "seek.h"

static bool fail(etl_new_file *file)
{
    const int reason = errno;
    etl_complain("cannot write %s: %s", file->path, strerror(reason != 0 ? reason : EIO));
    etl_new_file_drop(file);
    return false;
}

#if ETL_POSIX

/* The names of files in the making, for a signal to take away. */
#define FILES_MOST 2
static const char *volatile names[FILES_MOST];

static void on_signal(int number)
{
    for (size_t i = 0; i < FILES_MOST; i++)
        if (names[i] != NULL && names[i][0] != '\0')
            (void)unlink(names[i]);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void watch(const char *name)
{
    size_t i = 0;
    while (i < FILES_MOST - 1 && names[i] != NULL && names[i] != name)
        i++;
    names[i] = name;
    (void)signal(SIGHUP, on_signal);
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
}

/* Creates it and remembers its name; no signal comes between the two. */
static int create_watched(char *name)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    const int number = mkstemp(name);
    if (number >= 0)
        watch(name);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return number;
}

/* A name of its own, that nobody else has, with the rights of a file that any program makes. */
static FILE *create(etl_new_file *file)
{
    const int number = create_watched(file->beside);
    if (number < 0) {
        file->beside[0] = '\0';
        return NULL;
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(number, 0666 & ~mask);
    return fdopen(number, "wb");
}

#else

static FILE *create(etl_new_file *file)
{
#if defined(_WIN32)
    (void)_mktemp(file->beside); /* one that was killed leaves its file, which is no other's way */
#endif
    return fopen(file->beside, "wb");
}

#endif

bool etl_new_file_open(etl_new_file *file, const char *path)
{
    *file = (etl_new_file){.path = path};
    const int printed = snprintf(file->beside, sizeof file->beside, "%s.unfinished-XXXXXX", path);
    errno = ENAMETOOLONG;
    if (printed < 0 || printed >= ETL_NEW_FILE_PATH) {
        file->beside[0] = '\0';
        return fail(file);
    }
    file->file = create(file);
    return file->file != NULL || fail(file);
}

bool etl_new_file_write(etl_new_file *file, const void *bytes, size_t size)
{
    errno = 0;
    return size == 0 || fwrite(bytes, 1, size, file->file) == size || fail(file);
}

bool etl_new_file_patch(etl_new_file *file, uint64_t at, etl_span bytes)
{
    errno = 0;
    return (etl_seek(file->file, at, SEEK_SET) && etl_new_file_write(file, bytes.at, bytes.size) &&
            etl_seek(file->file, 0, SEEK_END)) || fail(file);
}

bool etl_new_file_close(etl_new_file *file)
{
    FILE *open = file->file;
    file->file = NULL;
    errno = 0;
    return fclose(open) == 0 || fail(file);
}

bool etl_new_file_keep(etl_new_file *file, bool replace)
{
    errno = 0;
    if (!etl_path_move(file->beside, file->path, replace))
        return fail(file);
    file->beside[0] = '\0';
    return true;
}

void etl_new_file_drop(etl_new_file *file)
{
    if (file->file != NULL)
        (void)fclose(file->file);
    if (file->beside[0] != '\0')
        (void)remove(file->beside);
    file->file = NULL;
    file->beside[0] = '\0';
}
