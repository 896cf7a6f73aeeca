/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in the making: written beside the place where it is to be, and put there only when it is whole. A signal that ends
 * the process takes it away, unless the process ignores that signal or sees to it itself.
 */
#ifndef ETLPROOF_NEW_FILE_H
#define ETLPROOF_NEW_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "etlproof/bytes.h"

#define TOOL_NEW_FILE_PATH 4096

/* Lives as long as the process: a signal may come at any time. */
typedef struct tool_new_file {
    const char *path;              /* where it is to be */
    char beside[TOOL_NEW_FILE_PATH]; /* where it is; empty if it is nowhere */
    FILE *file;
} tool_new_file;

/* Those that return false have said on standard error why, and taken away what was begun. */
/* `ending`: of the name it has until it is in its place, for programs that go by that; "" if none does. */
bool tool_new_file_open(tool_new_file *file, const char *path, const char *ending);
bool tool_new_file_write(tool_new_file *file, const void *bytes, size_t size);
/* Over what was written at `at`; writing goes on at the end. */
bool tool_new_file_patch(tool_new_file *file, uint64_t at, etl_span bytes);
/* Nothing more is written; it can be read at `beside`. */
bool tool_new_file_close(tool_new_file *file);
/* Puts it in its place; over what is there only if it is to `replace` it. */
bool tool_new_file_keep(tool_new_file *file, bool replace);
/* Takes it away, unless it was kept. */
void tool_new_file_drop(tool_new_file *file);

#endif
