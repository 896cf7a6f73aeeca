/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about paths, and the rename that completes a new file, for POSIX, Windows and plain C.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include "io/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

#define PATH_SIZE 4096

#if defined(_WIN32)
const char tool_path_slashes[] = "/\\";
#else
const char tool_path_slashes[] = "/";
#endif

bool tool_path_number(char *numbered, size_t size, const char *path, size_t number)
{
    const char *name = path, *dot = NULL;
    for (const char *at = path; *at != '\0'; at++) {
        if (strchr(tool_path_slashes, *at) != NULL)
            name = at + 1;
        else if (*at == '.' && at > name)
            dot = at;
    }
    const char *end = dot != NULL && dot > name ? dot : path + strlen(path);
    const int printed = snprintf(numbered, size, "%.*s-%zu%s", (int)(end - path), path, number, end);
    return printed >= 0 && (size_t)printed < size;
}

#if TOOL_POSIX

bool tool_path_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

bool tool_path_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Copies the folder of a path to `folder`. Returns the rest of the path. */
static const char *split(const char *path, char folder[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash + 1 - path) : 1;
    (void)snprintf(folder, PATH_SIZE, "%.*s", length, slash != NULL ? path : ".");
    return slash != NULL ? slash + 1 : path;
}

bool tool_path_same_place(const char *a, const char *b)
{
    char one[PATH_SIZE], other[PATH_SIZE];
    return strcmp(split(a, one), split(b, other)) == 0 && tool_path_same_file(one, other);
}

bool tool_path_ordinary(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode); /* opening reports a stat error */
}

/* link fails if `to` exists, so nothing is replaced. On a file system without links, rename may replace a file that
   appeared since the caller looked. */
bool tool_path_move(const char *path, const char *to, bool replace)
{
    if (!replace && link(path, to) == 0)
        return unlink(path) == 0;
    return (replace || errno != EEXIST) && rename(path, to) == 0;
}

void tool_path_sync_name(const char *path)
{
    char folder[PATH_SIZE];
    (void)split(path, folder);
    const int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    (void)fsync(descriptor);
    (void)close(descriptor);
}

#elif defined(_WIN32)

bool tool_path_exists(const char *path)
{
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

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

bool tool_path_same_file(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION one, other;
    return look_up(a, &one) && look_up(b, &other) && one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
           one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

bool tool_path_same_place(const char *a, const char *b)
{
    char one[PATH_SIZE], other[PATH_SIZE];
    return _fullpath(one, a, sizeof one) != NULL && _fullpath(other, b, sizeof other) != NULL && _stricmp(one, other) == 0;
}

bool tool_path_ordinary(const char *path)
{
    BY_HANDLE_FILE_INFORMATION about = {0};
    const HANDLE file = look_at(path);
    if (file == INVALID_HANDLE_VALUE)
        return true; /* opening reports the error */
    const bool ordinary = GetFileInformationByHandle(file, &about) != 0 && /* fails for a device */
                          (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
    (void)CloseHandle(file);
    return ordinary;
}

static int errno_of(DWORD reason)
{
    switch (reason) {
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS: return EEXIST;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: return EACCES;
    default: return EIO;
    }
}

bool tool_path_move(const char *path, const char *to, bool replace)
{
    if (MoveFileExA(path, to, replace ? MOVEFILE_REPLACE_EXISTING : 0))
        return true;
    errno = errno_of(GetLastError());
    return false;
}

#else

bool tool_path_exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

bool tool_path_same_file(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool tool_path_same_place(const char *a, const char *b)
{
    return tool_path_same_file(a, b);
}

bool tool_path_ordinary(const char *path)
{
    (void)path;
    return true;
}

/* Plain C leaves it to the system whether rename replaces a file. */
bool tool_path_move(const char *path, const char *to, bool replace)
{
    if (!replace && tool_path_exists(to)) {
        errno = EEXIST;
        return false;
    }
    return rename(path, to) == 0;
}

#endif

#if !TOOL_POSIX

/* NTFS keeps a journal of names. */
void tool_path_sync_name(const char *path)
{
    (void)path;
}

#endif
