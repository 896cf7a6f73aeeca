/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exit codes and messages on standard error, for every command of the project.
 */
#ifndef ETLPROOF_IO_COMMAND_H
#define ETLPROOF_IO_COMMAND_H

#if defined(__unix__) || defined(__APPLE__)
#define TOOL_POSIX 1
#else
#define TOOL_POSIX 0
#endif

/* Exit codes. Scripts rely on them. */
typedef enum tool_exit {
    TOOL_EXIT_CONFORMING = 0,
    TOOL_EXIT_DONE = 0,     /* a command without a verdict succeeded */
    TOOL_EXIT_DAMAGED = 1,  /* a finding of severity error */
    TOOL_EXIT_NOT_ETL = 2,  /* not an ETL file, or nothing to recover */
    TOOL_EXIT_LIMIT = 3,    /* a limit was reached */
    TOOL_EXIT_USAGE = 64,
    TOOL_EXIT_INPUT = 66,   /* cannot read */
    TOOL_EXIT_INTERNAL = 70, /* a bug in this program */
    TOOL_EXIT_OUTPUT = 74   /* cannot write */
} tool_exit;

/* The exit codes as a paragraph of help texts. */
#define TOOL_EXIT_HELP \
    "Exit status: 0 conforming, 1 damaged, 2 not an ETL file or nothing to recover, 3 limit reached, 64 usage error,\n" \
    "66 cannot read, 70 internal error, 74 cannot write.\n"

/* The more severe of two exit codes, for a command over several files. */
tool_exit tool_exit_worse(tool_exit a, tool_exit b);

/* Prints one line on standard error. Control characters, which file names may hold, are escaped as utf.h does it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void tool_print_message(const char *format, ...);
/* Prints "etlproof: ...". */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void tool_print_error(const char *format, ...);

#endif
