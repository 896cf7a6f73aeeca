/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in files of any size: fseek takes a long, which has 32 bits on Windows.
 */
#ifndef ETLPROOF_SEEK_H
#define ETLPROOF_SEEK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* As fseek, bytes and `whence` too. False if the file has no such place, or none at all. */
bool tool_seek(FILE *file, uint64_t at, int whence);

#endif
