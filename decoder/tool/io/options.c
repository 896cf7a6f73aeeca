/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a command line into options and operands, by the option table of a verb. Every command calls this.
 */
#include "io/options.h"

#include <string.h>

#include "io/output.h"

enum { OPTION_HELP = -3 };

static const tool_option help_option[] = {{"help", 'h', false, OPTION_HELP}, {NULL, 0, false, 0}};

void tool_options_open(tool_options *options, const char *verb, char **arguments, const tool_option *table,
                       const char *help)
{
    *options = (tool_options){.verb = verb, .help = help, .table = table, .arguments = arguments, .files_before = -1};
}

tool_exit tool_usage(const char *verb, const char *message, const char *about)
{
    tool_print_error("%s: %s%s%s", verb, message, about != NULL ? ": " : "", about != NULL ? about : "");
    tool_print_error("see 'etlproof %s --help'", verb);
    return TOOL_EXIT_USAGE;
}

tool_exit tool_help(const char *text)
{
    tool_output out;
    tool_output_open(&out);
    tool_put_text(&out, text);
    return tool_output_close(&out);
}

/* The row named by the first `length` characters of `text`, or by its first letter. */
static const tool_option *find(const tool_option *table, const char *text, size_t length, bool is_letter)
{
    for (; table->name != NULL; table++) {
        if (is_letter && table->letter == text[0])
            return table;
        if (!is_letter && strlen(table->name) == length && strncmp(table->name, text, length) == 0)
            return table;
    }
    return NULL;
}

static int bad(tool_options *options, const char *message, const char *argument)
{
    options->exit = tool_usage(options->verb, message, argument);
    return TOOL_OPTION_STOP;
}

/* Reads an argument that starts with a dash and is not "-". */
static int read_option(tool_options *options, const char *argument)
{
    bool is_letter = argument[1] != '-';
    const char *name = argument + (is_letter ? 1 : 2);
    const char *equals = is_letter ? NULL : strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    if (is_letter && length != 1)
        return bad(options, "single-letter options cannot be combined", argument);
    const tool_option *row = find(options->table, name, length, is_letter);
    if (row == NULL)
        row = find(help_option, name, length, is_letter);
    if (row == NULL)
        return bad(options, "unknown option", argument);
    if (!row->has_value && equals != NULL)
        return bad(options, "the option takes no value", argument);
    options->value = equals != NULL ? equals + 1 : NULL;
    if (!row->has_value || equals != NULL)
        return row->id;
    options->value = options->arguments[options->at];
    if (options->value == NULL)
        return bad(options, "the option wants a value", argument);
    options->at++;
    return row->id;
}

int tool_options_next(tool_options *options)
{
    for (;;) {
        char *argument = options->arguments[options->at];
        if (argument == NULL)
            return TOOL_OPTION_END;
        options->at++;
        if (options->files_before < 0 && strcmp(argument, "--") == 0) {
            options->files_before = options->files;
        } else if (options->files_before >= 0 || argument[0] != '-' || argument[1] == '\0') {
            options->arguments[options->files++] = argument;
        } else {
            int id = read_option(options, argument);
            if (id != OPTION_HELP)
                return id;
            options->exit = tool_help(options->help);
            return TOOL_OPTION_STOP;
        }
    }
}
