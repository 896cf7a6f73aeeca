/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a folder and of its subfolders.
 */
#ifndef ETLPROOF_IO_FOLDERS_H
#define ETLPROOF_IO_FOLDERS_H

#include <stdbool.h>

/* True for a folder, links followed. */
bool tool_folder_here(const char *path);

/* Receives the path of a file. Returns false to end the walk. */
typedef bool tool_folder_visit(void *context, const char *path);

/*
 * Visits each file of the folder and of its subfolders, sorted by name. Skips names that begin with a dot, and does not
 * follow links to folders. False if a visit ended the walk, or if a folder cannot be read, which is reported on standard
 * error and ends the walk too.
 */
bool tool_folder_walk(const char *path, tool_folder_visit *visit, void *context);

#endif
