/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>

void etl_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("etlproof: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
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
