/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>

#include "utf.h"

/* Enough for two paths of any length that a system takes. */
#define LINE_ROOM ((size_t)16 * 1024)

/* Goes out in one piece, not to be mixed with the lines of others. */
static void say(const char *start, const char *format, va_list arguments)
{
    static char line[LINE_ROOM], shown[4 * LINE_ROOM];
    const int size = vsnprintf(line, sizeof line, format, arguments);
    (void)etl_utf8_show_text(line, shown, sizeof shown);
    (void)fprintf(stderr, "%s%s%s\n", start, shown, size >= 0 && (size_t)size < sizeof line ? "" : "...");
}

void etl_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

void etl_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("etlproof: ", format, arguments);
    va_end(arguments);
}

etl_exit etl_exit_worse(etl_exit a, etl_exit b)
{
    static const etl_exit order[] = {ETL_EXIT_INTERNAL, ETL_EXIT_OUTPUT, ETL_EXIT_INPUT, ETL_EXIT_USAGE, ETL_EXIT_NOT_ETL,
                                     ETL_EXIT_DAMAGED,  ETL_EXIT_LIMIT};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return ETL_EXIT_CONFORMING;
}
