/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the smallest input on which a target still fails in the same way. Called by engine/standalone.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "target_command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attempt.h"
#include "candidate_process.h"
#include "io/files.h"
#include "fuzz_input.h"
#include "minimise.h"
#include "io/paths.h"

/* Exit statuses besides those of the command etlproof. */
enum { NOT_SHOWN = TOOL_EXIT_DAMAGED, INTERRUPTED = 130 };

/* Defaults: seconds of processor time and MiB of memory of one run, and frames that must agree. */
enum { TIMEOUT = 2, MEMORY = 2048, FRAMES = 1 };
/* Default number of random candidates: a few seconds, as most runs need no fork. Fewer for a hang, as each candidate
   that holds takes the whole time limit. */
enum { SEARCHES = 16384, SEARCHES_OF_HANG = 1024 };
/* Seconds between two updates of the progress line. */
#define GLANCE 0.1

static const char help[] =
    "usage: %s --trim IN -o OUT [OPTION...]\n"
    "\n"
    "Minimises IN, an input on which the target fails. OUT is the smallest input that still fails in the same way: the\n"
    "same kind of failure, in the same function of our code. Works by structure, then byte by byte, then at random.\n"
    "\n"
    "  -o OUT        the result; at any time, the smallest input so far\n"
    "  --seconds N   time limit\n"
    "  --tries N     limit on runs of the target\n"
    "  --searches N  random candidates without gain before it ends (default: %d, for a hang %d)\n"
    "  --timeout N   seconds of processor time of a run (default: %d); a longer run fails with the kind timeout\n"
    "  --memory N    MiB of memory of a run (default: %d); a larger run fails with the kind memory\n"
    "  --frames N    innermost functions of our code that must agree, 1 to %d (default: %d)\n"
    "  --strict      compare addresses instead of functions\n"
    "  --kind KIND   what IN is (default: what the target takes), one of:\n"
    "                %s\n"
    "  --minimiser PROGRAM   makes the candidates (default: etlproof-minimiser beside the target)\n"
    "\n"
    "Exit status: 0 done, 1 the target does not fail on IN, 64 wrong usage, 66 cannot read or start, 74 cannot write,\n"
    "130 interrupted; OUT is complete.\n";

typedef struct options {
    const char *in, *out, *kind, *minimiser; /* minimiser: NULL is the one beside the target */
    double seconds, timeout, memory, tries, frames, searches; /* 0: no limit */
    bool strict;
} options;

typedef struct target_job {
    options options;
    minimise_job job;
    minimise_attempt_child attempts;
    minimise_candidate_process candidates;
    minimise_failure wanted;
    tool_file_bytes in;
    unsigned long tries, others; /* others: failed in another way */
    double begun, shown;
    bool has_reader;
} target_job;

static const char *program; /* for messages */

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "%s: ", program);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Options. */

static int show_help(void)
{
    (void)fprintf(stderr, help, program, SEARCHES, SEARCHES_OF_HANG, TIMEOUT, MEMORY, MINIMISE_FAILURE_FRAMES, FRAMES,
                  input_names());
    return TOOL_EXIT_USAGE;
}

static int usage(const char *message, const char *about)
{
    complain("%s%s%s", message, about ? ": " : "", about ? about : "");
    return show_help();
}

/* Where the value of the option goes; NULL if the option is unknown. */
static const char **text_of(options *o, const char *name)
{
    return strcmp(name, "--trim") == 0        ? &o->in
           : strcmp(name, "-o") == 0          ? &o->out
           : strcmp(name, "--kind") == 0      ? &o->kind
           : strcmp(name, "--minimiser") == 0 ? &o->minimiser
                                              : NULL;
}

static double *number_of(options *o, const char *name)
{
    return strcmp(name, "--seconds") == 0   ? &o->seconds
           : strcmp(name, "--tries") == 0   ? &o->tries
           : strcmp(name, "--searches") == 0 ? &o->searches
           : strcmp(name, "--timeout") == 0 ? &o->timeout
           : strcmp(name, "--memory") == 0  ? &o->memory
           : strcmp(name, "--frames") == 0  ? &o->frames
                                            : NULL;
}

static bool read_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && *number > 0 && *number < 1e9;
}

/* 0, or TOOL_EXIT_USAGE after a message. */
static int read_options(options *o, char **argv)
{
    for (char **at = argv + 1; *at; at += 2) {
        if (strcmp(*at, "--strict") == 0) {
            o->strict = true;
            at--; /* it has no value */
            continue;
        }
        const char **text = text_of(o, *at);
        double *number = number_of(o, *at);
        if (!text && !number)
            return usage("unknown argument", *at);
        if (!at[1])
            return usage("the option needs a value", *at);
        if (text)
            *text = at[1];
        else if (!read_number(at[1], number))
            return usage("the option needs a number above 0", *at);
    }
    if (!o->in || !o->out)
        return usage(o->in ? "-o OUT is missing" : "--trim IN is missing", NULL);
    input_kind kind;
    if (!input_find(o->kind, &kind))
        return usage("--kind must be one of", input_names());
    if (o->frames >= 1 && o->frames <= (double)MINIMISE_FAILURE_FRAMES)
        return 0;
    complain("--frames needs a number from 1 to %d", MINIMISE_FAILURE_FRAMES);
    return show_help();
}

/* Files. */

/* 0, or TOOL_EXIT_USAGE after a message: IN must not be overwritten, nor a device or folder replaced. */
static int check_output(const options *o)
{
    if (!tool_path_ordinary(o->out))
        return usage("-o is not an ordinary file", o->out);
    if (tool_path_same_file(o->in, o->out))
        return usage("-o is IN, which must not be overwritten", o->out);
    return 0;
}

/* The two texts joined, for free(). */
static char *join(const char *one, const char *other)
{
    const size_t size = strlen(one) + strlen(other) + 1;
    char *text = malloc(size);
    if (!text) {
        complain("out of memory");
        exit(EXIT_FAILURE);
    }
    (void)snprintf(text, size, "%s%s", one, other);
    return text;
}

/* etlproof-minimiser in the folder of this program. */
static char *find_minimiser(void)
{
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        slash[1] = '\0';
    return join(path, "etlproof-minimiser");
}

/* The run. */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* A closed pipe shows when it is read from, so SIGPIPE is ignored. */
static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void show_progress(void *self, size_t kept_size)
{
    target_job *t = self;
    const double time = now();
    if (!t->has_reader || time - t->shown < GLANCE)
        return;
    t->shown = time;
    (void)fprintf(stderr, "\r%zu -> %zu bytes, %lu tries, %.1f s\033[K", t->in.size, kept_size, t->tries,
                  time - t->begun);
}

/* False, after a message, if nothing can be run. */
static bool attempt(target_job *t, const uint8_t *at, size_t size, bool alone, minimise_failure *failure)
{
    if (!(alone ? minimise_attempt_alone : minimise_attempt)(&t->attempts, at, size, failure)) {
        complain("cannot start a run: %s", strerror(errno));
        return false;
    }
    t->tries++;
    return true;
}

static bool has_budget(const void *self)
{
    const target_job *t = self;
    return !interrupted && (t->options.seconds == 0 || now() - t->begun < t->options.seconds) &&
           (t->options.tries == 0 || (double)t->tries < t->options.tries);
}

/* Runs the target on a candidate. A gain must also fail in a process of its own: the inputs that a shared process ran
   before may have contributed to the failure. */
static tool_exit is_same_failure(void *self, const uint8_t *at, size_t size, bool is_gain, bool *holds)
{
    target_job *t = self;
    minimise_failure failure = {0};
    *holds = true;
    for (int alone = 0; alone < 2 && *holds && (is_gain || !alone); alone++) {
        if (alone && t->attempts.runs == 1)
            continue;
        if (!attempt(t, at, size, alone != 0, &failure))
            return TOOL_EXIT_INPUT;
        if (interrupted)
            return (tool_exit)INTERRUPTED;
        *holds = minimise_failure_same(&failure, &t->wanted, (size_t)t->options.frames, t->options.strict);
    }
    t->others += failure.failed && !*holds;
    return TOOL_EXIT_DONE;
}

/* The failure on the whole input. Looking for leaks takes time: done only if nothing else fails. */
static tool_exit find_failure(target_job *t)
{
    for (int leaks = 0; leaks < 2 && !t->wanted.failed; leaks++) {
        t->attempts.leaks = leaks != 0;
        if (!attempt(t, t->in.at, t->in.size, true, &t->wanted))
            return TOOL_EXIT_INPUT;
    }
    if (t->wanted.failed)
        return minimise_keep(&t->job, t->in.at, t->in.size) ? TOOL_EXIT_DONE : TOOL_EXIT_OUTPUT;
    complain("%s: the target does not fail on it", t->options.in);
    return (tool_exit)NOT_SHOWN;
}

static void report(const target_job *t)
{
    char text[256];
    minimise_failure_text(&t->wanted, text, sizeof text);
    if (t->has_reader)
        (void)fputs("\r\033[K", stderr);
    if (t->candidates.is_plain)
        complain("%s ended early or hung: continued without structure", t->options.minimiser);
    printf("%zu -> %zu bytes, %lu tries, %.2f s, %lu failed otherwise: %s: %s\n", t->in.size, t->job.size, t->tries,
           now() - t->begun, t->others, text, t->options.out);
}

static unsigned long searches_of(const target_job *t)
{
    if (t->options.searches > 0)
        return (unsigned long)t->options.searches;
    return t->wanted.timed_out ? SEARCHES_OF_HANG : SEARCHES;
}

static tool_exit minimise(target_job *t)
{
    const options *o = &t->options;
    tool_exit code = find_failure(t);
    if (code != TOOL_EXIT_DONE)
        return code;
    if (!minimise_candidate_process_open(&t->candidates, o->minimiser, o->kind, searches_of(t), t->in.at, t->in.size)) {
        complain("cannot start %s: %s", o->minimiser, strerror(errno));
        minimise_candidate_process_close(&t->candidates);
        return TOOL_EXIT_INPUT;
    }
    t->job.source = minimise_candidate_process_source(&t->candidates);
    t->job.judge = (minimise_judge){t, is_same_failure, has_budget, show_progress};
    code = minimise_run(&t->job);
    if (code == TOOL_EXIT_DONE && interrupted)
        code = (tool_exit)INTERRUPTED;
    report(t);
    minimise_candidate_process_close(&t->candidates);
    if (code != TOOL_EXIT_DONE || fflush(stdout) == 0)
        return code;
    complain("cannot write to standard output: %s", strerror(errno));
    return TOOL_EXIT_OUTPUT;
}

static tool_exit run(target_job *t, minimise_target *target)
{
    const options *o = &t->options;
    if (!tool_files_read(o->in, &t->in))
        return TOOL_EXIT_INPUT;
    if (minimise_attempt_open(&t->attempts, target, o->timeout, (size_t)o->memory << 20))
        return minimise(t);
    complain("cannot start: %s", strerror(errno));
    return TOOL_EXIT_INPUT;
}

int minimise_target_command(const char *kind, minimise_target *target, char **argv)
{
    target_job t = {.options = {.kind = kind, .timeout = TIMEOUT, .memory = MEMORY, .frames = FRAMES}};
    program = argv[0];
    int wrong = read_options(&t.options, argv);
    if (!wrong)
        wrong = check_output(&t.options);
    if (wrong)
        return wrong;
    minimise_attempt_prepare(argv);
    char *minimiser = find_minimiser();
    if (!t.options.minimiser)
        t.options.minimiser = minimiser;
    t.job.out = t.options.out;
    t.begun = now();
    t.has_reader = isatty(STDERR_FILENO);
    watch_signals();
    const tool_exit code = run(&t, target);
    minimise_attempt_close(&t.attempts);
    free(t.in.at);
    free(minimiser);
    return (int)code;
}
