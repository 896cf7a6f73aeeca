/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof mutate --trim: makes an input smaller as long as a command exits as it does with the whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files.h"
#include "heap.h"
#include "mutate.h"
#include "mutator.h"
#include "io/new_file.h"
#include "process.h"
#include "io/command.h"

typedef struct trimming {
    const options *options;
    mutator_session *mutator;
    tool_file_bytes whole;
    unsigned long wanted; /* exit status */
    size_t size;          /* of what holds, and was written */
    size_t steps, runs;
    bool shows_progress;
} trimming;

/* The argument with each @@ replaced by the path. */
static char *put_path(const char *argument, const char *path)
{
    char *text = join(argument, "", "");
    for (char *at = text; (at = strstr(at, "@@")) != NULL;) {
        const size_t before = (size_t)(at - text);
        *at = '\0';
        char *replaced = join(text, path, at + 2);
        free(text);
        text = replaced;
        at = text + before + strlen(path);
    }
    return text;
}

static char **make_command(char **arguments, const char *path)
{
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    char **command = mutator_heap_zeros(count + 1, sizeof *command);
    for (size_t i = 0; i < count; i++)
        command[i] = put_path(arguments[i], path);
    return command;
}

static void free_command(char **command)
{
    for (size_t i = 0; command[i] != NULL; i++)
        free(command[i]);
    free(command);
}

static void release(trimming *t)
{
    free(t->whole.at);
    mutator_free(t->mutator);
}

/* Runs the command on a candidate, which is beside the output meanwhile. */
static tool_exit try(trimming *t, const uint8_t *at, size_t size, unsigned long *status)
{
    static tool_new_file candidate;
    if (!tool_new_file_open(&candidate, t->options->output, ".etl") || !tool_new_file_write(&candidate, at, size) ||
        !tool_new_file_close(&candidate))
        return TOOL_EXIT_OUTPUT;
    char **command = make_command(t->options->command, candidate.beside);
    const bool ran = process_run(command, (unsigned)t->options->timeout, status);
    tool_new_file_drop(&candidate);
    free_command(command);
    t->runs++;
    return ran ? TOOL_EXIT_DONE : TOOL_EXIT_INPUT;
}

/* Written anew: the command may have changed what it was given. */
static tool_exit keep(trimming *t, const uint8_t *at, size_t size)
{
    if (!tool_files_write(t->options->output, at, size))
        return TOOL_EXIT_OUTPUT;
    t->size = size;
    return TOOL_EXIT_DONE;
}

static void show_progress(const trimming *t)
{
    if (t->shows_progress)
        (void)fprintf(stderr, "\r%zu -> %zu bytes, run %zu of %zu at most\033[K", t->whole.size, t->size, t->runs,
                      t->steps);
}

static tool_exit trim(trimming *t)
{
    const uint8_t *candidate = NULL;
    size_t size;
    t->steps = mutator_trim_begin(t->mutator, t->whole.at, t->whole.size);
    while ((size = mutator_trim_next(t->mutator, &candidate)) != 0) {
        unsigned long status = 0;
        tool_exit code = try(t, candidate, size, &status);
        const bool holds = code == TOOL_EXIT_DONE && status == t->wanted;
        if (holds)
            code = keep(t, candidate, size);
        if (code != TOOL_EXIT_DONE)
            return code;
        mutator_trim_tell(t->mutator, holds);
        show_progress(t);
    }
    return TOOL_EXIT_DONE;
}

/* With the whole input the command has to show what is to be kept. */
static tool_exit start(trimming *t)
{
    unsigned long status = 0;
    const tool_exit code = try(t, t->whole.at, t->whole.size, &status);
    if (code != TOOL_EXIT_DONE)
        return code;
    t->wanted = t->options->has_exit ? (unsigned long)t->options->exit : status;
    if (status == t->wanted)
        return keep(t, t->whole.at, t->whole.size);
    tool_print_error("with %s the command exits with %lu, and not with %lu: there is nothing to keep",
                     t->options->inputs[0], status, t->wanted);
    return EXIT_NOT_SHOWN;
}

tool_exit run_trim(const options *o)
{
    trimming t = {.options = o, .shows_progress = tool_stderr_is_terminal()};
    if (!tool_files_read(o->inputs[0], &t.whole))
        return TOOL_EXIT_INPUT;
    t.mutator = mutator_new(o->input);
    t.size = t.whole.size;
    tool_exit code = start(&t);
    if (code == TOOL_EXIT_DONE)
        code = trim(&t);
    if (t.shows_progress)
        (void)fputs("\r\033[K", stderr);
    if (code == TOOL_EXIT_DONE)
        tool_print_error("%" PRIuMAX " -> %" PRIuMAX " bytes in %" PRIuMAX " runs that exit with %lu: %s",
                         (uintmax_t)t.whole.size, (uintmax_t)t.size, (uintmax_t)t.runs, t.wanted, o->output);
    release(&t);
    return code;
}
