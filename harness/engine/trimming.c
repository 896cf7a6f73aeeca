/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "trimming.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attempt.h"
#include "candidates.h"
#include "input.h"
#include "io/new_file.h"
#include "io/paths.h"

/* Exit statuses, those of the command etlproof too. */
enum { DONE = 0, NOT_SHOWN = 1, USAGE = 64, INPUT = 66, OUTPUT = 74, INTERRUPTED = 130 };

/* Where nothing is said: seconds of processor time and MiB of memory of one try, and frames that have to agree. */
enum { TIMEOUT = 2, MEMORY = 2048, FRAMES = 1 };
/* Candidates by chance, where nothing is said: a few seconds, as most runs take no fork. One that hangs as it has to takes
   all of its time, so that there are fewer. */
enum { SEARCHES = 16384, SEARCHES_OF_HANG = 1024 };
/* Seconds between two looks at the progress. */
#define GLANCE 0.1

static const char help[] =
    "usage: %s --trim IN -o OUT [OPTION...]\n"
    "\n"
    "Makes IN, on which the target fails, as small as it can: the target has to go on failing in the same way, which is\n"
    "the same kind of failure in the same place of our code. First by structure, then byte by byte, then by chance.\n"
    "\n"
    "  -o OUT        what is left; at any time the smallest so far, whole\n"
    "  --seconds N   ends after so many seconds\n"
    "  --tries N     ends after so many runs of the target\n"
    "  --searches N  tries by chance that may bring nothing, before it ends; %d if not given, %d of what hangs\n"
    "  --timeout N   seconds of processor time that a run may take; %d if not given. Longer is a failure, of the kind\n"
    "                timeout\n"
    "  --memory N    MiB that a run may take; %d if not given. More is a failure, of the kind memory\n"
    "  --frames N    in how many of the innermost functions of our code it has to fail, 1 to %d; %d if not given\n"
    "  --strict      at the same addresses, and not only in the same functions\n"
    "  --kind KIND   what IN is, if not what the target takes, one of:\n"
    "                %s\n"
    "  --minimiser PROGRAM   what makes the candidates; etlproof-minimiser beside the target if not given\n"
    "\n"
    "Exit status: 0 done, 1 the target does not fail on IN, 64 wrong usage, 66 cannot read or start, 74 cannot write,\n"
    "130 interrupted; OUT is whole then too.\n";

typedef struct options {
    const char *in, *out, *kind, *minimiser; /* minimiser: NULL is the one beside the target */
    double seconds, timeout, memory, tries, frames, searches; /* 0: without end */
    bool strict;
} options;

typedef struct trimming {
    options options;
    minimise_attempts attempts;
    minimise_candidates candidates;
    minimise_failure wanted;
    uint8_t *in;
    size_t in_size, size;   /* size: of what is in OUT */
    unsigned long tries, others; /* others: that failed in another way */
    double begun, shown;
    bool has_reader;
} trimming;

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
    return USAGE;
}

static int usage(const char *message, const char *about)
{
    complain("%s%s%s", message, about ? ": " : "", about ? about : "");
    return show_help();
}

/* Where the option's text goes; NULL if it is none of these. */
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

/* 0, or USAGE after a message. */
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
            return usage("the option wants a value", *at);
        if (text)
            *text = at[1];
        else if (!read_number(at[1], number))
            return usage("the option wants a number above 0", *at);
    }
    if (!o->in || !o->out)
        return usage(o->in ? "-o OUT is missing" : "--trim IN is missing", NULL);
    input_kind kind;
    if (!input_find(o->kind, &kind))
        return usage("--kind has to be one of", input_names());
    if (o->frames >= 1 && o->frames <= (double)MINIMISE_FAILURE_FRAMES)
        return 0;
    complain("--frames wants a number from 1 to %d", MINIMISE_FAILURE_FRAMES);
    return show_help();
}

/* Files. */

/* 0, or USAGE after a message: IN is not written over, and no device or folder is replaced. */
static int check_output(const options *o)
{
    if (!tool_path_ordinary(o->out))
        return usage("-o is no ordinary file", o->out);
    if (tool_path_same_file(o->in, o->out))
        return usage("-o is IN, which is not touched", o->out);
    return 0;
}

static bool read_input(trimming *t)
{
    FILE *file = fopen(t->options.in, "rb");
    size_t room = 0, got;
    while (file) {
        room = room ? 2 * room : 65536;
        uint8_t *more = realloc(t->in, room);
        if (!more)
            break;
        t->in = more;
        got = fread(t->in + t->in_size, 1, room - t->in_size, file);
        t->in_size += got;
        if (t->in_size < room)
            break;
    }
    const bool done = file && t->in && !ferror(file) && t->in_size < room;
    if (!done)
        complain("cannot read %s: %s", t->options.in, strerror(errno));
    if (file)
        fclose(file);
    return done;
}

/* In place of what is there, whole or not at all. */
static bool write_output(trimming *t, const uint8_t *at, size_t size)
{
    static tool_new_file file;
    if (!tool_new_file_open(&file, t->options.out, "") || !tool_new_file_write(&file, at, size) ||
        !tool_new_file_close(&file) || !tool_new_file_keep(&file, true))
        return false;
    t->size = size;
    return true;
}

/* A text of the two, for free(). */
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

/* The end of what is written to shows when it is read from. */
static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void show_progress(trimming *t)
{
    const double time = now();
    if (!t->has_reader || time - t->shown < GLANCE)
        return;
    t->shown = time;
    (void)fprintf(stderr, "\r%zu -> %zu bytes, %lu tries, %.1f s\033[K", t->in_size, t->size, t->tries, time - t->begun);
}

/* False, after a message, if nothing can be run. */
static bool attempt(trimming *t, const uint8_t *at, size_t size, bool alone, minimise_failure *failure)
{
    if (!(alone ? minimise_attempt_alone : minimise_attempt)(&t->attempts, at, size, failure)) {
        complain("cannot start a run: %s", strerror(errno));
        return false;
    }
    t->tries++;
    return true;
}

static bool has_budget(const trimming *t)
{
    return !interrupted && (t->options.seconds == 0 || now() - t->begun < t->options.seconds) &&
           (t->options.tries == 0 || (double)t->tries < t->options.tries);
}

/* Tries the candidate, and keeps it if it is better. What is kept has failed alone: what the child ran before it may have
   had its part in how it failed there. */
static int try_candidate(trimming *t, bool *holds)
{
    const minimise_candidates *c = &t->candidates;
    const bool better = minimise_candidates_is_better(c);
    minimise_failure failure;
    *holds = true;
    for (int alone = 0; alone < 2 && *holds && (better || !alone); alone++) {
        if (alone && t->attempts.runs == 1)
            continue;
        if (!attempt(t, c->at, c->size, alone != 0, &failure))
            return INPUT;
        if (interrupted)
            return INTERRUPTED;
        *holds = minimise_failure_same(&failure, &t->wanted, (size_t)t->options.frames, t->options.strict);
    }
    t->others += failure.failed && !*holds;
    return *holds && better && !write_output(t, c->at, c->size) ? OUTPUT : DONE;
}

static int trim(trimming *t)
{
    while (has_budget(t) && minimise_candidates_next(&t->candidates)) {
        bool holds;
        const int status = try_candidate(t, &holds);
        if (status != DONE)
            return status;
        minimise_candidates_tell(&t->candidates, holds);
        show_progress(t);
    }
    return interrupted ? INTERRUPTED : DONE;
}

/* How the target fails on the whole. Leaks take time to find: they are looked for if there is nothing else. */
static int see(trimming *t)
{
    for (int leaks = 0; leaks < 2 && !t->wanted.failed; leaks++) {
        t->attempts.leaks = leaks != 0;
        if (!attempt(t, t->in, t->in_size, true, &t->wanted))
            return INPUT;
    }
    if (t->wanted.failed)
        return write_output(t, t->in, t->in_size) ? DONE : OUTPUT;
    complain("%s: the target does not fail on it", t->options.in);
    return NOT_SHOWN;
}

static void report(const trimming *t)
{
    char text[256];
    minimise_failure_text(&t->wanted, text, sizeof text);
    if (t->has_reader)
        (void)fputs("\r\033[K", stderr);
    if (t->candidates.is_plain)
        complain("%s ended or hung on it: the rest was done without structure", t->options.minimiser);
    printf("%zu -> %zu bytes, %lu tries, %.2f s, %lu failed otherwise: %s: %s\n", t->in_size, t->size, t->tries,
           now() - t->begun, t->others, text, t->options.out);
}

static unsigned long searches_of(const trimming *t)
{
    if (t->options.searches > 0)
        return (unsigned long)t->options.searches;
    return t->wanted.timed_out ? SEARCHES_OF_HANG : SEARCHES;
}

static int run(trimming *t)
{
    const options *o = &t->options;
    if (!read_input(t))
        return INPUT;
    if (!minimise_attempts_open(&t->attempts, o->timeout, (size_t)o->memory << 20)) {
        complain("cannot start: %s", strerror(errno));
        return INPUT;
    }
    int status = see(t);
    if (status != DONE)
        return status;
    if (!minimise_candidates_open(&t->candidates, o->minimiser, o->kind, searches_of(t), t->in, t->in_size)) {
        complain("cannot start %s: %s", o->minimiser, strerror(errno));
        minimise_candidates_close(&t->candidates);
        return INPUT;
    }
    status = trim(t);
    report(t);
    minimise_candidates_close(&t->candidates);
    if (status != DONE || fflush(stdout) == 0)
        return status;
    complain("cannot write to standard output: %s", strerror(errno));
    return OUTPUT;
}

int minimise_trimming(const char *kind, char **argv)
{
    trimming t = {.options = {.kind = kind, .timeout = TIMEOUT, .memory = MEMORY, .frames = FRAMES}};
    program = argv[0];
    int wrong = read_options(&t.options, argv);
    if (!wrong)
        wrong = check_output(&t.options);
    if (wrong)
        return wrong;
    minimise_attempts_prepare(argv);
    char *minimiser = find_minimiser();
    if (!t.options.minimiser)
        t.options.minimiser = minimiser;
    t.begun = now();
    t.has_reader = isatty(STDERR_FILENO);
    watch_signals();
    const int status = run(&t);
    minimise_attempts_close(&t.attempts);
    free(t.in);
    free(minimiser);
    return status;
}
