/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fseek with 64-bit offsets, on every system.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include "io/seek.h"

#include <limits.h>

bool tool_seek(FILE *file, uint64_t at, int whence)
{
#if TOOL_POSIX
    return fseeko(file, (off_t)at, whence) == 0;
#elif defined(_WIN32)
    return _fseeki64(file, (int64_t)at, whence) == 0;
#else
    return at <= LONG_MAX && fseek(file, (long)at, whence) == 0;
#endif
}
