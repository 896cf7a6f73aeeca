/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the smallest input on which a command still exits with the same status. Called by `etlproof mutate --trim`.
 */
#include "exit_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_process.h"
#include "io/files.h"
#include "checked_alloc.h"
#include "minimise.h"
#include "io/new_file.h"
#include "structural_trim.h"

typedef struct exit_status_job {
    const minimise_exit_status *request;
    minimise_job job;
    tool_file_bytes whole;
    unsigned long wanted; /* exit status */
    size_t steps, runs;
    bool shows_progress;
} exit_status_job;

/* The texts one after the other, in memory that the caller frees. */
static char *join(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = mutator_realloc(NULL, size);
    (void)snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

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
    char **command = mutator_calloc(count + 1, sizeof *command);
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

/* Runs the command on a candidate, in a file beside the output. */
static tool_exit run_command(exit_status_job *t, const uint8_t *at, size_t size, unsigned long *status)
{
    static tool_new_file candidate;
    if (!tool_new_file_open(&candidate, t->request->out, ".etl") || !tool_new_file_write(&candidate, at, size) ||
        !tool_new_file_close(&candidate))
        return TOOL_EXIT_OUTPUT;
    char **command = make_command(t->request->command, candidate.beside);
    const bool ran = minimise_command_run(command, t->request->seconds, status);
    tool_new_file_drop(&candidate);
    free_command(command);
    t->runs++;
    return ran ? TOOL_EXIT_DONE : TOOL_EXIT_INPUT;
}

static void show_progress(void *self, size_t kept_size)
{
    const exit_status_job *t = self;
    if (t->shows_progress)
        (void)fprintf(stderr, "\r%zu -> %zu bytes, run %zu of %zu at most\033[K", t->whole.size, kept_size, t->runs,
                      t->steps);
}

static tool_exit has_exit_status(void *self, const uint8_t *at, size_t size, bool is_gain, bool *holds)
{
    exit_status_job *t = self;
    unsigned long status = 0;
    const tool_exit code = run_command(t, at, size, &status);
    (void)is_gain;
    *holds = code == TOOL_EXIT_DONE && status == t->wanted;
    return code;
}

static size_t next(void *self, const uint8_t **candidate)
{
    return minimise_trim_next(self, candidate);
}

static void tell(void *self, bool holds)
{
    minimise_trim_tell(self, holds);
}

/* Runs the command on the whole input, where it must exit with the wanted status. */
static tool_exit run_on_whole(exit_status_job *t)
{
    unsigned long status = 0;
    const tool_exit code = run_command(t, t->whole.at, t->whole.size, &status);
    if (code != TOOL_EXIT_DONE)
        return code;
    t->wanted = t->request->has_wanted ? t->request->wanted : status;
    if (status == t->wanted)
        return minimise_keep(&t->job, t->whole.at, t->whole.size) ? TOOL_EXIT_DONE : TOOL_EXIT_OUTPUT;
    tool_print_error("%s: the command exits with %lu; expected %lu", t->request->in, status, t->wanted);
    return TOOL_EXIT_DAMAGED;
}

static tool_exit minimise(exit_status_job *t)
{
    minimise_trim *trim = minimise_trim_new(t->request->input);
    t->steps = minimise_trim_begin(trim, t->whole.at, t->whole.size);
    t->job.source = (minimise_source){trim, next, NULL, tell};
    t->job.judge = (minimise_judge){t, has_exit_status, NULL, show_progress};
    const tool_exit code = minimise_run(&t->job);
    minimise_trim_free(trim);
    return code;
}

tool_exit minimise_by_exit_status(const minimise_exit_status *request)
{
    exit_status_job t = {.request = request, .job = {.out = request->out}, .shows_progress = tool_stderr_is_terminal()};
    if (!tool_files_read(request->in, &t.whole))
        return TOOL_EXIT_INPUT;
    tool_exit code = run_on_whole(&t);
    if (code == TOOL_EXIT_DONE)
        code = minimise(&t);
    if (t.shows_progress)
        (void)fputs("\r\033[K", stderr);
    if (code == TOOL_EXIT_DONE)
        tool_print_error("%" PRIuMAX " -> %" PRIuMAX " bytes in %" PRIuMAX " runs that exit with %lu: %s",
                      (uintmax_t)t.whole.size, (uintmax_t)t.job.size, (uintmax_t)t.runs, t.wanted, request->out);
    free(t.whole.at);
    return code;
}
