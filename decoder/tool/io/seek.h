/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fseek for files of any size: fseek takes a long, which has 32 bits on Windows.
 */
#ifndef ETLPROOF_IO_SEEK_H
#define ETLPROOF_IO_SEEK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Like fseek. False if the file cannot be positioned there. */
bool tool_seek(FILE *file, uint64_t at, int whence);

#endif
