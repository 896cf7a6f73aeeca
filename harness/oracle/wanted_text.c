/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the texts that the oracles over the command's output compare it with. Called by reported_findings.c and
 * reported_members.c.
 */
#include "wanted_text.h"

#include <stdarg.h>
#include <stdio.h>

void oracle_want(oracle_wanted *wanted, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(wanted->at + wanted->size, sizeof wanted->at - wanted->size, format, arguments);
    va_end(arguments);
    wanted->size += (size_t)size;
    if (wanted->size >= sizeof wanted->at)
        wanted->size = sizeof wanted->at - 1;
}
