/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages on standard error and the order of exit codes. Every command calls this.
 */
#include "io/command.h"

#include <stdarg.h>
#include <stdio.h>

#include "io/utf.h"

/* Room for two paths of the greatest length that a system allows. */
#define LINE_SIZE ((size_t)16 * 1024)

/* One write for the whole line, so that lines of other processes do not mix with it. */
static void print_line(const char *start, const char *format, va_list arguments)
{
    static char line[LINE_SIZE], shown[4 * LINE_SIZE];
    const int size = vsnprintf(line, sizeof line, format, arguments);
    (void)tool_utf8_show_text(line, shown, sizeof shown);
    (void)fprintf(stderr, "%s%s%s\n", start, shown, size >= 0 && (size_t)size < sizeof line ? "" : "...");
}

void tool_print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

void tool_print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("etlproof: ", format, arguments);
    va_end(arguments);
}

tool_exit tool_exit_worse(tool_exit a, tool_exit b)
{
    static const tool_exit order[] = {TOOL_EXIT_INTERNAL, TOOL_EXIT_OUTPUT,  TOOL_EXIT_INPUT, TOOL_EXIT_USAGE,
                                      TOOL_EXIT_NOT_ETL,  TOOL_EXIT_DAMAGED, TOOL_EXIT_LIMIT};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return TOOL_EXIT_CONFORMING;
}
