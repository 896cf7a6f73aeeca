/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs of the command have in common.
 */
#ifndef ETLPROOF_TOOL_H
#define ETLPROOF_TOOL_H

#if defined(__unix__) || defined(__APPLE__)
#define TOOL_POSIX 1
#else
#define TOOL_POSIX 0
#endif

/* Exit codes, part of the contract with scripts. */
typedef enum tool_exit {
    TOOL_EXIT_CONFORMING = 0,
    TOOL_EXIT_DONE = 0,     /* of a command that judges no file */
    TOOL_EXIT_DAMAGED = 1,  /* a finding of severity error */
    TOOL_EXIT_NOT_ETL = 2,  /* not an ETL file, or nothing recoverable */
    TOOL_EXIT_LIMIT = 3,    /* a limit was reached */
    TOOL_EXIT_USAGE = 64,
    TOOL_EXIT_INPUT = 66,   /* cannot read */
    TOOL_EXIT_INTERNAL = 70, /* a bug of ours */
    TOOL_EXIT_OUTPUT = 74   /* cannot write */
} tool_exit;

/* The same for help texts. */
#define TOOL_EXIT_HELP \
    "Exit status: 0 conforming, 1 damaged, 2 not an ETL file or nothing recoverable, 3 a limit was reached,\n" \
    "64 wrong usage, 66 cannot read, 70 internal error, 74 cannot write.\n"

/* The worse of two exit codes, for a command over several files. */
tool_exit tool_exit_worse(tool_exit a, tool_exit b);

/* A line on standard error, with what no terminal should be sent, as names may hold it, shown by utf.h. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void tool_print_message(const char *format, ...);
/* The same: "etlproof: ..." */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void tool_print_error(const char *format, ...);

#endif
