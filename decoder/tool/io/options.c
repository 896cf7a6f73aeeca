/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a command line into options and operands, by the option table of a verb. Every command calls this.
 */
#include "io/options.h"

#include <stdio.h>
#include <string.h>

#include "io/output.h"

enum { OPTION_HELP = -3 };

static const tool_option help_option[] = {{"help", 'h', NULL, OPTION_HELP}, {NULL, 0, NULL, 0}};

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

enum { NAME_MOST = 32 }; /* longer words are not compared */

/* How many letters must be changed, added or removed to turn one word into the other. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_MOST + 1];
    const size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t corner = row[0]++;
        for (size_t j = 0; j < width; j++) {
            const size_t changed = corner + (a[i] != b[j]), added = row[j] + 1, removed = row[j + 1] + 1;
            corner = row[j + 1];
            row[j + 1] = changed < added ? changed : added;
            row[j + 1] = removed < row[j + 1] ? removed : row[j + 1];
        }
    }
    return row[width];
}

const char *tool_closest(const char *given, const char *const *names, size_t count)
{
    const char *closest = NULL;
    size_t least = strlen(given) < 4 ? 2 : 3;
    for (size_t i = 0; i < count && strlen(given) <= NAME_MOST; i++) {
        const size_t found = distance(given, names[i]);
        if (found < least && found < strlen(names[i])) {
            least = found;
            closest = names[i];
        }
    }
    return closest;
}

/* Prints the options of the verb, and the one that `name` may be a misspelling of. */
static int unknown(tool_options *options, const char *argument, const char *name)
{
    enum { TEXT_SIZE = 512, OPTIONS_MOST = 16 };
    const char *names[OPTIONS_MOST];
    char text[TEXT_SIZE] = "";
    size_t count = 0, used = 0;
    for (const tool_option *row = options->table; row->name != NULL && count < OPTIONS_MOST; row++) {
        names[count++] = row->name;
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "--%s, ", row->name);
    }
    const char *close = tool_closest(name, names, count);
    tool_print_error("%s: unknown option: %s%s%s", options->verb, argument, close != NULL ? "; did you mean --" : "",
                     close != NULL ? close : "");
    tool_print_error("expected %s--help; see 'etlproof %s --help'", text, options->verb);
    options->exit = TOOL_EXIT_USAGE;
    return TOOL_OPTION_STOP;
}

/* Sets `choice`, if the option has values to choose from. */
static int choose(tool_options *options, const tool_option *row)
{
    options->choice = 0;
    if (*row->value == '\0')
        return row->id;
    for (const char *at = row->value; *at != '\0'; options->choice++) {
        const size_t length = strcspn(at, "|");
        if (strlen(options->value) == length && strncmp(at, options->value, length) == 0)
            return row->id;
        at += length + (at[length] == '|');
    }
    char text[128];
    size_t used = (size_t)snprintf(text, sizeof text, "--%s: expected ", row->name);
    for (const char *at = row->value; *at != '\0' && used + 4 < sizeof text; at++)
        used += (size_t)snprintf(text + used, sizeof text - used, *at == '|' ? " or " : "%c", *at);
    (void)snprintf(text + used, sizeof text - used, ", found");
    return bad(options, text, options->value);
}

/* Reads an argument that starts with a dash and is not "-". */
static int read_option(tool_options *options, const char *argument)
{
    const bool is_letter = argument[1] != '-';
    const char *name = argument + (is_letter ? 1 : 2);
    const size_t length = is_letter ? 1 : strcspn(name, "=");
    const char *attached = name[length] == '\0' ? NULL : name + length + !is_letter; /* a value: --name=VALUE, -nVALUE */
    const tool_option *row = find(options->table, name, length, is_letter);
    if (row == NULL)
        row = find(help_option, name, length, is_letter);
    if (row == NULL)
        return unknown(options, argument, name);
    if (row->value == NULL && attached != NULL)
        return bad(options, is_letter ? "single-letter options cannot be combined" : "the option takes no value", argument);
    if (row->value == NULL)
        return row->id;
    options->value = attached != NULL ? attached : options->arguments[options->at];
    if (options->value == NULL)
        return bad(options, "the option requires a value", argument);
    options->at += attached == NULL;
    return choose(options, row);
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
