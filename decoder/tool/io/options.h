/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options on the command line: --name, --name VALUE, --name=VALUE, -n, -n VALUE and -nVALUE. `--` ends them.
 */
#ifndef ETLPROOF_IO_OPTIONS_H
#define ETLPROOF_IO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/command.h"

#define TOOL_ANY_VALUE ""

typedef struct tool_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* one-letter form, or 0 */
    const char *value; /* NULL: takes none; the values to choose from, as in "jsonl|text"; or TOOL_ANY_VALUE */
    int id;
} tool_option;

/* tool_options_next returns these or the id of an option. */
enum { TOOL_OPTION_END = -1, TOOL_OPTION_STOP = -2 };

typedef struct tool_options {
    const char *verb, *help;
    const tool_option *table;
    char **arguments; /* NULL-terminated */
    const char *value; /* of the last option read */
    unsigned choice;   /* which of the values to choose from that is, from 0 on */
    int at;
    int files;        /* operands so far, moved to the front of `arguments` */
    int files_before; /* operands before `--`; -1 before it is read */
    tool_exit exit;    /* after STOP */
} tool_options;

/* `arguments` follow the verb. --help and -h print `help` and need no row in `table`. */
void tool_options_open(tool_options *options, const char *verb, char **arguments, const tool_option *table,
                       const char *help);

/*
 * Returns the next option, or STOP after help or an error message: the command then ends with `exit`. After END,
 * arguments[0 .. files - 1] are the operands.
 */
int tool_options_next(tool_options *options);

/* Prints "etlproof: VERB: MESSAGE: ABOUT" and where help is; `about` may be NULL. Returns TOOL_EXIT_USAGE. */
tool_exit tool_usage(const char *verb, const char *message, const char *about);

/*
 * The one of `count` names that `given` may be a misspelling of, or NULL: the closest within two wrong, missing or
 * surplus letters, or within one for a short word.
 */
const char *tool_closest(const char *given, const char *const *names, size_t count);

/* Prints help on standard output. Returns the exit code. */
tool_exit tool_help(const char *text);

#endif
