/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file under a temporary name beside its final one, and renames it when it is complete.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include "io/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <signal.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#endif

#include "io/paths.h"
#include "io/seek.h"

#define NAMES_MOST 10000

tool_exit tool_new_file_check(const char *verb, const char *in, const char *path, bool replace)
{
    if (tool_path_same_file(in, path)) {
        tool_print_error("%s: %s: is the input file, which is never modified", verb, path);
        return TOOL_EXIT_USAGE;
    }
    if (!tool_path_ordinary(path)) {
        tool_print_error("%s: %s: not a regular file; not replaced", verb, path);
        return TOOL_EXIT_OUTPUT;
    }
    if (replace || !tool_path_exists(path))
        return TOOL_EXIT_CONFORMING;
    tool_print_error("%s: %s: already exists; --force replaces it", verb, path);
    return TOOL_EXIT_OUTPUT;
}

static bool fail(tool_new_file *file)
{
    const int reason = errno;
    tool_print_error("cannot write %s: %s", file->path, strerror(reason != 0 ? reason : EIO));
    tool_new_file_drop(file);
    return false;
}

#if TOOL_POSIX

/* Temporary files to remove when a signal ends the process. */
#define FILES_MOST 2
static const char *volatile names[FILES_MOST];

/* The signals that end a process unless it handles them; the command ignores SIGPIPE and SIGXFSZ. */
static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,    SIGUSR1, SIGSEGV,
                              SIGUSR2, SIGALRM, SIGTERM, SIGSYS,  SIGXCPU, SIGVTALRM, SIGPROF};

void tool_new_file_drop_all(void)
{
    for (size_t i = 0; i < FILES_MOST; i++)
        if (names[i] != NULL && names[i][0] != '\0')
            (void)unlink(names[i]);
}

static void on_signal(int number)
{
    tool_new_file_drop_all();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void watch_signal(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        (void)signal(number, on_signal);
}

static void watch(const char *name)
{
    size_t i = 0;
    while (i < FILES_MOST - 1 && names[i] != NULL && names[i] != name)
        i++;
    names[i] = name;
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        watch_signal(signals[k]);
}

static bool write_to_disk(FILE *file)
{
    return fsync(fileno(file)) == 0 || errno == EINVAL; /* EINVAL: nothing to wait for, as for a pipe */
}

/* Creates the file and registers its name, with signals blocked in between. */
static FILE *create(const char *name)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    FILE *file = fopen(name, "wbx");
    if (file != NULL)
        watch(name);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return file;
}

#elif defined(_WIN32)

void tool_new_file_drop_all(void)
{
}

static bool write_to_disk(FILE *file)
{
    return _commit(_fileno(file)) == 0;
}

/* A killed process leaves its temporary file, which no later run reuses. */
static FILE *create(const char *name)
{
    const int number = _open(name, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
    return number >= 0 ? _fdopen(number, "wb") : NULL;
}

#else

void tool_new_file_drop_all(void)
{
}

static bool write_to_disk(FILE *file)
{
    (void)file;
    return true;
}

static FILE *create(const char *name)
{
    return fopen(name, "wbx");
}

#endif

/* Forms a temporary name. False if it is too long. */
static bool name(tool_new_file *file, unsigned number, const char *ending)
{
    const int printed = snprintf(file->beside, sizeof file->beside, "%s.unfinished-%u%s", file->path, number, ending);
    if (printed >= 0 && printed < TOOL_NEW_FILE_PATH)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Tries names until one is free: another process may write here at the same time. */
bool tool_new_file_open(tool_new_file *file, const char *path, const char *ending)
{
    *file = (tool_new_file){.path = path};
    errno = EEXIST;
    for (unsigned i = 1; i <= NAMES_MOST && errno == EEXIST && name(file, i, ending); i++)
        if ((file->file = create(file->beside)) != NULL)
            return true;
    file->beside[0] = '\0';
    return fail(file);
}

bool tool_new_file_write(tool_new_file *file, const void *bytes, size_t size)
{
    errno = 0;
    return size == 0 || fwrite(bytes, 1, size, file->file) == size || fail(file);
}

bool tool_new_file_patch(tool_new_file *file, uint64_t at, etl_span bytes)
{
    errno = 0;
    return (tool_seek(file->file, at, SEEK_SET) && tool_new_file_write(file, bytes.at, bytes.size) &&
            tool_seek(file->file, 0, SEEK_END)) ||
           fail(file);
}

bool tool_new_file_sync(tool_new_file *file)
{
    errno = 0;
    return (fflush(file->file) == 0 && write_to_disk(file->file)) || fail(file);
}

bool tool_new_file_close(tool_new_file *file)
{
    FILE *open = file->file;
    file->file = NULL;
    errno = 0;
    return fclose(open) == 0 || fail(file);
}

bool tool_new_file_keep(tool_new_file *file, bool replace)
{
    errno = 0;
    if (!tool_path_move(file->beside, file->path, replace))
        return fail(file);
    file->beside[0] = '\0';
    return true;
}

void tool_new_file_drop(tool_new_file *file)
{
    if (file->file != NULL)
        (void)fclose(file->file);
    if (file->beside[0] != '\0')
        (void)remove(file->beside);
    file->file = NULL;
    file->beside[0] = '\0';
}
