/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about paths, answered by the rules of each system.
 */
#ifndef ETLPROOF_IO_PATHS_H
#define ETLPROOF_IO_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* The characters that separate the names of a path. */
extern const char tool_path_slashes[];

/* True if anything exists under that name. */
bool tool_path_exists(const char *path);
/* True if both lead to the same file, links followed. */
bool tool_path_same_file(const char *a, const char *b);
/* True if both are the same name in the same folder, so that writing one replaces the other. */
bool tool_path_same_place(const char *a, const char *b);
/* True for a regular file, which can be read twice and replaced, and for a path that does not exist. */
bool tool_path_ordinary(const char *path);
/* "FOLDER/NAME-2.etl" for "FOLDER/NAME.etl" and 2: the number comes before the extension. False if `size` is too small. */
bool tool_path_number(char *numbered, size_t size, const char *path, size_t number);
/* Renames a file within its folder, over an existing file only if `replace` is set. On failure returns false, sets errno,
   and leaves both files as they were. */
bool tool_path_move(const char *path, const char *to, bool replace);
/* Waits until the name of a file is on the disk, as far as the file system can. */
void tool_path_sync_name(const char *path);

#endif
