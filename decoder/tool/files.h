/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a command, read and written whole, and folders. Each function that returns false has said on standard error why.
 */
#ifndef ETLPROOF_FILES_H
#define ETLPROOF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct etl_file_bytes {
    uint8_t *at; /* free() gives them back; never NULL after success, and the memory ends with them */
    size_t size;
} etl_file_bytes;

/* "-" is standard input. There are no bytes to give back if it fails. */
bool etl_files_read(const char *path, etl_file_bytes *bytes);

/* "-" is standard output. An ordinary file is there whole, or what was there before is; what is none, as a device, is
   written to as it is. */
bool etl_files_write(const char *path, const void *bytes, size_t size);

/* Whether it is one of the standard streams, and no path. */
bool etl_files_is_dash(const char *path);

/* Whether both are paths, and lead to one file. */
bool etl_files_same(const char *a, const char *b);

/* Makes the folder, and those that it is in, where there are none. */
bool etl_files_make_folder(const char *path);

/* What follows the last slash. */
const char *etl_files_base_name(const char *path);

/* Whether standard error is read by a person. */
bool etl_files_has_reader(void);

#endif
