/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof-mutate`, which `etlproof mutate` runs: changes ETL files by their structure, for parsers of any
 * kind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "io/files.h"
#include "checked_alloc.h"
#include "fuzz_input.h"
#include "mutator.h"
#include "io/options.h"
#include "io/paths.h"
#include "io/command.h"

/* Most bytes of a mutant, unless its input is large already. */
#define MOST_DEFAULT 1048576u
#define MOST_MAX UINT64_C(0x40000000)
#define TIMEOUT_DEFAULT 10u
#define TIMEOUT_MAX 86400u
#define HELP_SIZE 4096

typedef struct options {
    const char *output, *cross;
    input_kind input;
    uint64_t seed, count, most; /* most: 0 leaves it to the size of the input */
    uint64_t exit, timeout;     /* of the command; timeout in seconds */
    bool has_seed, has_count, has_most, has_exit, has_timeout;
    bool describe, trim;
    char **inputs;
    size_t input_count;
    char **command;             /* what --trim runs; NULL if there is none */
} options;

static const char help_format[] =
    "usage: etlproof mutate [--seed N] [--cross FILE] IN -o OUT\n"
    "       etlproof mutate --count N [--seed N] [--cross FILE] IN... -o FOLDER\n"
    "       etlproof mutate --trim [--exit N] IN -o OUT -- COMMAND @@\n"
    "\n"
    "Mutates ETL files by their structure: sets sizes, offsets, flags, types and times to edge values; removes,\n"
    "duplicates, swaps and resizes buffers, events and items, inside compressed buffers too. The same IN, options and\n"
    "seed give the same mutant on every machine. A file that is not ETL is changed byte by byte.\n"
    "\n"
    "  -o OUT         where the mutant goes\n"
    "  --seed N       which mutant (default: 1)\n"
    "  --count N      N mutants of each IN, with seeds from --seed on. OUT is then a folder, as it is for several IN, and\n"
    "                 the mutants are FOLDER/NAME-SEED.etl\n"
    "  --cross FILE   inserts buffers, events or items of FILE among those of IN\n"
    "  --most BYTES   largest size of a mutant (default: %u, or twice the size of IN if that is more)\n"
    "  --describe     prints a line for each mutant with its edits, on standard output; on standard error if OUT is\n"
    "                 standard output\n"
    "  --input KIND   what IN is (default: file), one of the inputs of the fuzz targets:\n"
    "                 %s\n"
    "  --trim         removes from IN what it can while COMMAND exits as it does on the whole IN; @@ stands for the\n"
    "                 file. At any time, OUT is the smallest input so far\n"
    "  --exit N       the exit status that COMMAND must have; 128 and the number for a signal, 124 for a timeout\n"
    "  --timeout N    seconds that COMMAND may take (default: %u)\n"
    "  --help\n"
    "\n"
    "IN, FILE and OUT may be - for standard input and output: only one of IN and FILE, and not OUT of --trim.\n"
    "\n"
    "Exit status: 0 done, 1 COMMAND does not exit with the status of --exit, 64 wrong usage, 66 cannot read or run\n"
    "COMMAND, 70 no memory, 74 cannot write.\n";

/* The texts one after the other, in memory that the caller frees. */
static char *join(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = mutator_realloc(NULL, size);
    (void)snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

static tool_exit usage(const char *message, const char *about)
{
    return tool_usage("mutate", message, about);
}

/* An input is never written over. */
static tool_exit check_output(const options *o, const char *path)
{
    for (size_t i = 0; i <= o->input_count; i++) {
        const char *input = i < o->input_count ? o->inputs[i] : o->cross;
        if (input != NULL && tool_files_same(path, input))
            return usage("OUT is an input, which must not be overwritten", path);
    }
    return TOOL_EXIT_DONE;
}

/* Mutants. */

typedef struct run {
    const options *options;
    mutator_core *mutator;
    tool_file_bytes whole, other;
    uint8_t *out;
    size_t capacity;
} run;

static size_t most_of(const run *r)
{
    if (r->options->has_most)
        return (size_t)r->options->most;
    return r->whole.size > MOST_DEFAULT / 2 ? 2 * r->whole.size : MOST_DEFAULT;
}

static tool_exit make(run *r, const char *path, uint64_t seed)
{
    const options *o = r->options;
    const size_t most = most_of(r);
    size_t size;
    const tool_exit code = check_output(o, path);
    if (code != TOOL_EXIT_DONE)
        return code;
    if (most > r->capacity || r->out == NULL) {
        r->out = mutator_realloc(r->out, most);
        r->capacity = most;
    }
    if (o->cross != NULL)
        size = mutator_cross(r->mutator, r->whole.at, r->whole.size, r->other.at, r->other.size, r->out, most, seed);
    else
        size = mutator_mutate(r->mutator, r->whole.at, r->whole.size, r->out, most, seed);
    if (!tool_files_write(path, r->out, size))
        return TOOL_EXIT_OUTPUT;
    if (o->describe)
        (void)fprintf(tool_files_is_dash(path) ? stderr : stdout, "%s\t%s\n", path, mutator_description(r->mutator));
    return TOOL_EXIT_DONE;
}

/* The path of an input's mutant without its seed: FOLDER/NAME-. */
static char *path_of(const options *o, const char *input)
{
    const char *name = tool_files_is_dash(input) ? "stdin" : tool_files_base_name(input);
    char *path = join(o->output, "/", name);
    const size_t length = strlen(path), ending = strlen(".etl");
    if (strlen(name) > ending && strcmp(path + length - ending, ".etl") == 0)
        path[length - ending] = '\0';
    char *stem = join(path, "-", "");
    free(path);
    return stem;
}

static tool_exit make_several(run *r, const char *input)
{
    char *stem = path_of(r->options, input);
    tool_exit code = TOOL_EXIT_DONE;
    for (uint64_t i = 0; i < r->options->count && code == TOOL_EXIT_DONE; i++) {
        char number[32];
        const uint64_t seed = r->options->seed + i;
        (void)snprintf(number, sizeof number, "%" PRIu64, seed);
        char *path = join(stem, number, ".etl");
        code = make(r, path, seed);
        free(path);
    }
    free(stem);
    return code;
}

static bool wants_folder(const options *o)
{
    return o->has_count || o->input_count > 1;
}

static tool_exit mutate_input(run *r, const char *input)
{
    if (!tool_files_read(input, &r->whole))
        return TOOL_EXIT_INPUT;
    const tool_exit code = wants_folder(r->options) ? make_several(r, input)
                                                   : make(r, r->options->output, r->options->seed);
    free(r->whole.at);
    return code;
}

static tool_exit run_mutate(const options *o)
{
    run r = {.options = o, .mutator = mutator_new(o->input)};
    tool_exit code = TOOL_EXIT_DONE;
    if (o->cross != NULL && !tool_files_read(o->cross, &r.other))
        code = TOOL_EXIT_INPUT;
    else if (wants_folder(o) && !tool_files_make_folder(o->output))
        code = TOOL_EXIT_OUTPUT;
    for (size_t i = 0; i < o->input_count && code == TOOL_EXIT_DONE; i++)
        code = mutate_input(&r, o->inputs[i]);
    if (code == TOOL_EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
        tool_print_error("cannot write to standard output");
        code = TOOL_EXIT_OUTPUT;
    }
    free(r.other.at);
    free(r.out);
    mutator_free(r.mutator);
    return code;
}

/* Options. */

enum {
    OPTION_OUTPUT,
    OPTION_CROSS,
    OPTION_INPUT,
    OPTION_DESCRIBE,
    OPTION_TRIM,
    OPTION_SEED, /* numbers, from here on */
    OPTION_COUNT,
    OPTION_MOST,
    OPTION_EXIT,
    OPTION_TIMEOUT
};

static const tool_option options_table[] = {
    {"output", 'o', TOOL_ANY_VALUE, OPTION_OUTPUT},
    {"cross", 0, TOOL_ANY_VALUE, OPTION_CROSS},
    {"input", 0, TOOL_ANY_VALUE, OPTION_INPUT},
    {"describe", 0, NULL, OPTION_DESCRIBE},
    {"trim", 0, NULL, OPTION_TRIM},
    {"seed", 0, TOOL_ANY_VALUE, OPTION_SEED},
    {"count", 0, TOOL_ANY_VALUE, OPTION_COUNT},
    {"most", 0, TOOL_ANY_VALUE, OPTION_MOST},
    {"exit", 0, TOOL_ANY_VALUE, OPTION_EXIT},
    {"timeout", 0, TOOL_ANY_VALUE, OPTION_TIMEOUT},
    {NULL, 0, NULL, 0},
};

typedef struct number_option {
    const char *name;
    uint64_t *value;
    bool *given;
    uint64_t least, most;
} number_option;

static bool is_number(const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    const bool is_hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0; /* no number is octal here */
    *number = strtoull(text, &end, is_hex ? 16 : 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static tool_exit read_number(options *o, int id, const char *text)
{
    const number_option rows[] = {
        [OPTION_SEED] = {"--seed", &o->seed, &o->has_seed, 0, UINT64_MAX},
        [OPTION_COUNT] = {"--count", &o->count, &o->has_count, 1, UINT32_MAX},
        [OPTION_MOST] = {"--most", &o->most, &o->has_most, 1, MOST_MAX},
        [OPTION_EXIT] = {"--exit", &o->exit, &o->has_exit, 0, UINT32_MAX},
        [OPTION_TIMEOUT] = {"--timeout", &o->timeout, &o->has_timeout, 1, TIMEOUT_MAX},
    };
    const number_option *row = &rows[id];
    char why[96];
    if (is_number(text, row->value) && *row->value >= row->least && *row->value <= row->most) {
        *row->given = true;
        return TOOL_EXIT_DONE;
    }
    (void)snprintf(why, sizeof why, "%s needs a number from %" PRIu64 " to %" PRIu64, row->name, row->least, row->most);
    return usage(why, text);
}

static tool_exit read_input_kind(options *o, const char *name)
{
    char why[256];
    if (input_find(name, &o->input))
        return TOOL_EXIT_DONE;
    (void)snprintf(why, sizeof why, "--input must be one of %s", input_names());
    return usage(why, name);
}

static tool_exit read_option(options *o, int id, const char *value)
{
    switch (id) {
    case OPTION_OUTPUT: o->output = value; break;
    case OPTION_CROSS: o->cross = value; break;
    case OPTION_INPUT: return read_input_kind(o, value);
    case OPTION_DESCRIBE: o->describe = true; break;
    case OPTION_TRIM: o->trim = true; break;
    default: return read_number(o, id, value);
    }
    return TOOL_EXIT_DONE;
}

/* With --trim, what follows `--` is the command. */
static void read_operands(options *o, const tool_options *read)
{
    const bool has_command = o->trim && read->files_before >= 0;
    o->inputs = read->arguments;
    o->input_count = (size_t)(has_command ? read->files_before : read->files);
    o->command = has_command ? read->arguments + read->files_before : NULL;
    read->arguments[read->files] = NULL; /* which ends the command */
}

static bool has_place(char **command)
{
    for (; *command != NULL; command++)
        if (strstr(*command, "@@") != NULL)
            return true;
    return false;
}

static tool_exit check_trim(const options *o)
{
    if (o->input_count > 1)
        return usage("--trim takes one IN", o->inputs[1]);
    if (o->has_seed || o->has_count || o->has_most || o->cross != NULL || o->describe)
        return usage("--trim allows only --input, --exit and --timeout", NULL);
    if (tool_files_is_dash(o->output) || !tool_path_ordinary(o->output))
        return usage("OUT of --trim must be an ordinary file", o->output);
    if (o->command == NULL || o->command[0] == NULL)
        return usage("--trim needs -- COMMAND at the end", NULL);
    if (!has_place(o->command))
        return usage("COMMAND has no @@ for the file", o->command[0]);
    return check_output(o, o->output);
}

/* Two inputs of one name would have their mutants written over one another. */
static tool_exit check_names(const options *o)
{
    tool_exit code = TOOL_EXIT_DONE;
    for (size_t i = 0; i < o->input_count && code == TOOL_EXIT_DONE; i++) {
        char *one = path_of(o, o->inputs[i]);
        for (size_t j = 0; j < i && code == TOOL_EXIT_DONE; j++) {
            char *other = path_of(o, o->inputs[j]);
            if (strcmp(one, other) == 0)
                code = usage("two inputs have the same name, and so would their mutants", o->inputs[i]);
            free(other);
        }
        free(one);
    }
    return code;
}

static tool_exit check_standard_input(const options *o)
{
    size_t readers = o->cross != NULL && tool_files_is_dash(o->cross);
    for (size_t i = 0; i < o->input_count; i++)
        readers += tool_files_is_dash(o->inputs[i]);
    return readers > 1 ? usage("standard input can be read only once", "-") : TOOL_EXIT_DONE;
}

static tool_exit check_options(const options *o)
{
    if (o->input_count == 0)
        return usage("IN is missing", NULL);
    if (o->output == NULL)
        return usage("-o OUT is missing", NULL);
    if (o->trim)
        return check_trim(o);
    if (o->has_exit || o->has_timeout)
        return usage("--exit and --timeout need --trim", NULL);
    const tool_exit code = check_standard_input(o);
    if (code != TOOL_EXIT_DONE || !wants_folder(o))
        return code;
    if (tool_files_is_dash(o->output))
        return usage("with --count, or more than one IN, OUT must be a folder", "-o -");
    return check_names(o);
}

static tool_exit run_trim(const options *o)
{
    return minimise_by_exit_status(&(minimise_exit_status){
        .in = o->inputs[0], .out = o->output, .input = o->input, .command = o->command, .seconds = (unsigned)o->timeout,
        .has_wanted = o->has_exit, .wanted = (unsigned long)o->exit});
}

static tool_exit mutate_or_trim(const options *o)
{
    const tool_exit code = check_options(o);
    return code != TOOL_EXIT_DONE ? code : o->trim ? run_trim(o) : run_mutate(o);
}

int main(int argc, char **argv)
{
    static char help[HELP_SIZE];
    options o = {.input = INPUT_FILE, .seed = 1, .count = 1, .timeout = TIMEOUT_DEFAULT};
    tool_options read;
    tool_exit code = TOOL_EXIT_DONE;
    (void)snprintf(help, sizeof help, help_format, MOST_DEFAULT, input_names(), TIMEOUT_DEFAULT);
    if (argc < 2) {
        (void)fputs(help, stderr);
        return TOOL_EXIT_USAGE;
    }
    tool_options_open(&read, "mutate", argv + 1, options_table, help);
    for (int id; code == TOOL_EXIT_DONE && (id = tool_options_next(&read)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return (int)read.exit;
        code = read_option(&o, id, read.value);
    }
    if (code != TOOL_EXIT_DONE)
        return (int)code;
    read_operands(&o, &read);
    return (int)mutate_or_trim(&o);
}
