/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a command, read and written whole, and folders. Each function that returns false has said on standard error why.
 */
#ifndef ETLPROOF_FILES_H
#define ETLPROOF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tool_file_bytes {
    uint8_t *at; /* free() gives them back; never NULL after success, and the memory ends with them */
    size_t size;
} tool_file_bytes;

/* "-" is standard input. There are no bytes to give back if it fails. */
bool tool_files_read(const char *path, tool_file_bytes *bytes);

/* "-" is standard output. An ordinary file is there whole, or what was there before is; what is none, as a device, is
   written to as it is. */
bool tool_files_write(const char *path, const void *bytes, size_t size);

/* Whether it is one of the standard streams, and no path. */
bool tool_files_is_dash(const char *path);

/* Whether both are paths, and lead to one file. */
bool tool_files_same(const char *a, const char *b);

/* Makes the folder, and those that it is in, where there are none. */
bool tool_files_make_folder(const char *path);

/* What follows the last slash. */
const char *tool_files_base_name(const char *path);

/* Whether standard error is read by a person. */
bool tool_stderr_is_terminal(void);

#endif
