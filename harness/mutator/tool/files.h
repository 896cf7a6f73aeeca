/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the command, read and written whole, with the C library alone where it can, since the command runs on Windows
 * too. Each function that returns false has said on standard error what went wrong.
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

/* A line on standard error: "etlproof-mutate: ..." */
#if defined(__GNUC__) && !defined(_WIN32) /* whose own attribute does not know %zu, which is there all the same */
__attribute__((format(printf, 1, 2)))
#endif
void complain(const char *format, ...);

/* The texts one after the other, in memory that the caller frees. */
char *join(const char *a, const char *b, const char *c);

/* "-" is standard input. The caller frees the bytes. */
bool files_read(const char *path, file_bytes *bytes);

/* "-" is standard output. A file that could not be written whole is taken away again. */
bool files_write(const char *path, const uint8_t *at, size_t size);
/* Puts one file in the place of another, or takes it away. */
bool files_move(const char *from, const char *to);

/* Whether something is there that is no ordinary file: a folder, a device. */
bool files_is_special(const char *path);
/* Whether both paths lead to one file; "-" is none. */
bool files_same(const char *a, const char *b);

/* Makes the folder, if there is none. */
bool files_make_folder(const char *path);

/* What follows the last slash. */
const char *files_base_name(const char *path);

/* Whether standard error is read by a person. */
bool files_has_reader(void);

#endif
