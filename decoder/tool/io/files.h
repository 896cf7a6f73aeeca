/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files and folders. Each function that returns false has printed the reason on standard error.
 */
#ifndef ETLPROOF_IO_FILES_H
#define ETLPROOF_IO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tool_file_bytes {
    uint8_t *at; /* freed with free(); never NULL after success, and exactly `size` bytes (1 if 0) */
    size_t size;
} tool_file_bytes;

/* "-" is standard input. After a failure there is nothing to free. */
bool tool_files_read(const char *path, tool_file_bytes *bytes);

/* "-" is standard output. A regular file is replaced as a whole or not at all; a device is written to directly. */
bool tool_files_write(const char *path, const void *bytes, size_t size);

/* True for "-", which stands for a standard stream. */
bool tool_files_is_dash(const char *path);

/* True if both are paths to the same file. */
bool tool_files_same(const char *a, const char *b);

/* Creates the folder and its parents where they are missing. */
bool tool_files_make_folder(const char *path);

/* The part of the path behind its last slash. */
const char *tool_files_base_name(const char *path);

/* True if standard error is a terminal. */
bool tool_stderr_is_terminal(void);

#endif
