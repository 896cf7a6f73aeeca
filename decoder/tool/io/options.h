/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options on the command line: --long, --long VALUE, --long=VALUE and single letters; `--` ends them.
 */
#ifndef ETLPROOF_OPTIONS_H
#define ETLPROOF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/command.h"

typedef struct tool_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* one-letter form, or 0 */
    bool has_value;
    int id;
} tool_option;

/* What tool_options_next returns besides the id of an option. */
enum { TOOL_OPTION_END = -1, TOOL_OPTION_STOP = -2 };

typedef struct tool_options {
    const char *verb, *help;
    const tool_option *table;
    char **arguments; /* NULL-terminated */
    const char *value; /* of the option just read */
    int at;
    int files;        /* operands so far; they are moved to the front of `arguments` */
    int files_before; /* operands before `--`; -1 as long as there is none */
    tool_exit exit;    /* after STOP */
} tool_options;

/* `arguments` are what follows the verb. Every verb has --help and -h, which print `help` and are in no table. */
void tool_options_open(tool_options *options, const char *verb, char **arguments, const tool_option *table,
                       const char *help);

/*
 * The next option; STOP after help, or a complaint on standard error: the command ends with `exit`. At the END,
 * arguments[0 .. files - 1] are the operands.
 */
int tool_options_next(tool_options *options);

/* "etlproof decode: MESSAGE", and where help is. */
tool_exit tool_usage(const char *verb, const char *message, const char *about);

/* Prints help on standard output. */
tool_exit tool_help(const char *text);

#endif
