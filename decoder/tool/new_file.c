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
#include <windows.h>
#endif

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

/* Without --force, a file that came to be there meanwhile stays too; a file system without links can only be trusted. */
static bool put(const char *beside, const char *path, bool replace)
{
    if (!replace && link(beside, path) == 0)
        return unlink(beside) == 0;
    return (replace || errno != EEXIST) && rename(beside, path) == 0;
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

bool etl_file_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

bool etl_file_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The folder of a path, and what follows it. */
static const char *split(const char *path, char folder[ETL_NEW_FILE_PATH])
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash + 1 - path) : 1;
    (void)snprintf(folder, ETL_NEW_FILE_PATH, "%.*s", length, slash != NULL ? path : ".");
    return slash != NULL ? slash + 1 : path;
}

bool etl_file_same_place(const char *a, const char *b)
{
    char one[ETL_NEW_FILE_PATH], other[ETL_NEW_FILE_PATH];
    return strcmp(split(a, one), split(b, other)) == 0 && etl_file_same(one, other);
}

bool etl_file_ordinary(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode); /* what cannot be looked at is said when it is opened */
}

#else

static bool put(const char *beside, const char *path, bool replace)
{
    if (replace)
        (void)remove(path);
    return rename(beside, path) == 0;
}

static FILE *create(etl_new_file *file)
{
#if defined(_WIN32)
    (void)_mktemp(file->beside); /* one that was killed leaves its file, which is no other's way */
#endif
    return fopen(file->beside, "wb");
}

bool etl_file_exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

#if defined(_WIN32)

static HANDLE look_at(const char *path)
{
    return CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static bool look_up(const char *path, BY_HANDLE_FILE_INFORMATION *about)
{
    const HANDLE file = look_at(path);
    const bool found = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, about) != 0;
    if (file != INVALID_HANDLE_VALUE)
        (void)CloseHandle(file);
    return found;
}

bool etl_file_same(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION one, other;
    return look_up(a, &one) && look_up(b, &other) && one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
           one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

bool etl_file_same_place(const char *a, const char *b)
{
    char one[ETL_NEW_FILE_PATH], other[ETL_NEW_FILE_PATH];
    return _fullpath(one, a, sizeof one) != NULL && _fullpath(other, b, sizeof other) != NULL && _stricmp(one, other) == 0;
}

bool etl_file_ordinary(const char *path)
{
    BY_HANDLE_FILE_INFORMATION about = {0};
    const HANDLE file = look_at(path);
    if (file == INVALID_HANDLE_VALUE)
        return true; /* what cannot be looked at is said when it is opened */
    const bool ordinary = GetFileInformationByHandle(file, &about) != 0 && /* not of a device */
                          (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
    (void)CloseHandle(file);
    return ordinary;
}

#else

bool etl_file_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool etl_file_same_place(const char *a, const char *b)
{
    return etl_file_same(a, b);
}

bool etl_file_ordinary(const char *path)
{
    (void)path;
    return true;
}

#endif

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
    if (!put(file->beside, file->path, replace))
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
