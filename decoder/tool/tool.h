/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs of the command have in common.
 */
#ifndef ETLPROOF_TOOL_H
#define ETLPROOF_TOOL_H

#if defined(__unix__) || defined(__APPLE__)
#define ETL_POSIX 1
#else
#define ETL_POSIX 0
#endif

/* Exit codes, part of the contract with scripts. */
typedef enum etl_exit {
    ETL_EXIT_CONFORMING = 0,
    ETL_EXIT_DONE = 0,     /* of a command that judges no file */
    ETL_EXIT_DAMAGED = 1,  /* a finding of severity error */
    ETL_EXIT_NOT_ETL = 2,  /* not an ETL file, or nothing recoverable */
    ETL_EXIT_LIMIT = 3,    /* a limit was reached */
    ETL_EXIT_USAGE = 64,
    ETL_EXIT_INPUT = 66,   /* cannot read */
    ETL_EXIT_INTERNAL = 70, /* a bug of ours */
    ETL_EXIT_OUTPUT = 74   /* cannot write */
} etl_exit;

/* The same for help texts. */
#define ETL_EXIT_HELP \
    "Exit status: 0 conforming, 1 damaged, 2 not an ETL file or nothing recoverable, 3 a limit was reached,\n" \
    "64 wrong usage, 66 cannot read, 70 internal error, 74 cannot write.\n"

/* The worse of two exit codes, for a command over several files. */
etl_exit etl_exit_worse(etl_exit a, etl_exit b);

/* A line on standard error, with what no terminal should be sent, as names may hold it, shown by utf.h. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void etl_say(const char *format, ...);
/* The same: "etlproof: ..." */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void etl_complain(const char *format, ...);

#endif
