/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears under its name only when it is complete: until then it has a temporary name in the same folder. A
 * signal that ends the process removes it, unless the process ignores or handles that signal.
 */
#ifndef ETLPROOF_IO_NEW_FILE_H
#define ETLPROOF_IO_NEW_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "etlproof/bytes.h"

#include "io/command.h"

#define TOOL_NEW_FILE_PATH 4096

/* Must live as long as the process: a signal handler uses it. */
typedef struct tool_new_file {
    const char *path;              /* final name */
    char beside[TOOL_NEW_FILE_PATH]; /* temporary name; empty if there is no such file */
    FILE *file;
} tool_new_file;

/* Refuses, in the name of a verb, to replace an existing file without `replace`, and to replace the input file, a device or
   a folder in any case. Standard error has the reason. */
tool_exit tool_new_file_check(const char *verb, const char *in, const char *path, bool replace);

/* A function that returns false has printed the reason on standard error and removed the temporary file. */
/* `ending` of the temporary name, for programs that go by file extensions; may be "". */
bool tool_new_file_open(tool_new_file *file, const char *path, const char *ending);
bool tool_new_file_write(tool_new_file *file, const void *bytes, size_t size);
/* Overwrites bytes at `at`. Later writes still append. */
bool tool_new_file_patch(tool_new_file *file, uint64_t at, etl_span bytes);
/* Waits until all that was written is on the disk. */
bool tool_new_file_sync(tool_new_file *file);
/* Ends writing. The file can be read at `beside`. */
bool tool_new_file_close(tool_new_file *file);
/* Renames the file to `path`, over an existing file only if `replace` is set. */
bool tool_new_file_keep(tool_new_file *file, bool replace);
/* Removes the file, unless it was kept. */
void tool_new_file_drop(tool_new_file *file);
/* Removes all temporary files. For a signal handler that ends the process. */
void tool_new_file_drop_all(void);

#endif
