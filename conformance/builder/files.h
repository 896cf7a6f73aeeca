/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the command, read and written whole. Each returns false after it has said on standard error what went wrong.
 */
#ifndef ETLPROOF_FILES_H
#define ETLPROOF_FILES_H

#include "model.h"

/* "-" is standard input. The caller frees the chunk. */
bool etl_files_read(const char *path, etl_chunk *content);

/* Under a name of its own until it is all there, so that no file is ever half written. "-" is standard output; what is no
   file, as a device, is written to as it is. */
bool etl_files_write(const char *path, const etl_chunk *content);

/* Whether both paths lead to one file; "-" is none. */
bool etl_files_same(const char *a, const char *b);

/* Makes the folder, and those that it is in, where they are not there. */
bool etl_files_make_folder(const char *path);

/* The name of the folder that a file is in, at most `size` - 1 bytes; "" if it cannot be told. */
void etl_files_folder_name(const char *path, char *name, size_t size);
/* What follows the last slash. */
const char *etl_files_base_name(const char *path);

#endif
