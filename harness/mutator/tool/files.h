/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the command, read and written whole. Each function that returns false has said on standard error why.
 */
#ifndef ETLPROOF_MUTATE_FILES_H
#define ETLPROOF_MUTATE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct file_bytes {
    uint8_t *at;
    size_t size;
} file_bytes;

/* The texts one after the other, in memory that the caller frees. */
char *join(const char *a, const char *b, const char *c);

/* "-" is standard input. The caller frees the bytes. */
bool files_read(const char *path, file_bytes *bytes);

/* "-" is standard output. An ordinary file is there whole, or what was there before is. */
bool files_write(const char *path, const uint8_t *at, size_t size);

/* Whether it is one of the standard streams, and no path. */
bool files_is_dash(const char *path);

/* Makes the folder, if there is none. */
bool files_make_folder(const char *path);

/* What follows the last slash. */
const char *files_base_name(const char *path);

/* Whether standard error is read by a person. */
bool files_has_reader(void);

#endif
