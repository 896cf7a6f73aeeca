/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over the files of a folder, for POSIX and Windows. Plain C has no folders. `validate` and etlproof-carve call this.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include "io/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <dirent.h>
#include <sys/stat.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

#define PATH_SIZE 4096

#if TOOL_POSIX || defined(_WIN32)

static bool unreadable(const char *path, const char *reason)
{
    tool_print_error("%s: cannot read: %s", path, reason);
    return false;
}

/* Visits one name of the folder. */
static bool enter(const char *folder, const char *name, bool is_link, tool_folder_visit *visit, void *context)
{
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (name[0] == '.')
        return true;
    if (length < 0 || (size_t)length >= sizeof path)
        return unreadable(folder, "a path in it is too long");
    if (!tool_folder_here(path))
        return visit(context, path);
    return is_link || tool_folder_walk(path, visit, context);
}

#endif

#if TOOL_POSIX

bool tool_folder_here(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_link(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    struct stat about;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

bool tool_folder_walk(const char *path, tool_folder_visit *visit, void *context)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    bool good = count >= 0 || unreadable(path, strerror(errno));
    for (int i = 0; i < count; i++) {
        good = good && enter(path, entries[i]->d_name, is_link(path, entries[i]->d_name), visit, context);
        free(entries[i]);
    }
    free(entries);
    return good;
}

#elif defined(_WIN32)

bool tool_folder_here(const char *path)
{
    const DWORD about = GetFileAttributesA(path);
    return about != INVALID_FILE_ATTRIBUTES && (about & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* NTFS lists names in order. */
bool tool_folder_walk(const char *path, tool_folder_visit *visit, void *context)
{
    char pattern[PATH_SIZE];
    WIN32_FIND_DATAA entry;
    (void)snprintf(pattern, sizeof pattern, "%s/*", path);
    const HANDLE list = FindFirstFileA(pattern, &entry);
    if (list == INVALID_HANDLE_VALUE)
        return unreadable(path, "it cannot be listed");
    bool good = true;
    do
        good = enter(path, entry.cFileName, (entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0, visit, context);
    while (good && FindNextFileA(list, &entry));
    (void)FindClose(list);
    return good;
}

#else

bool tool_folder_here(const char *path)
{
    (void)path;
    return false;
}

bool tool_folder_walk(const char *path, tool_folder_visit *visit, void *context)
{
    (void)path;
    (void)visit;
    (void)context;
    return true;
}

#endif
