/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof-mutate`, which `etlproof mutate` runs: changes ETL files by their structure, for parsers of any
 * kind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "heap.h"
#include "input.h"
#include "mutate.h"
#include "mutator.h"
#include "paths.h"
#include "tool.h"

/* Most bytes of a mutant, unless its input is large already. */
#define MOST_DEFAULT 1048576u
#define MOST_MAX UINT64_C(0x40000000)
#define TIMEOUT_DEFAULT 10u
#define TIMEOUT_MAX 86400u

static const char help[] =
    "usage: etlproof mutate [--seed N] [--cross FILE] IN -o OUT\n"
    "       etlproof mutate --count N [--seed N] [--cross FILE] IN... -o FOLDER\n"
    "       etlproof mutate --trim [--exit N] IN -o OUT -- COMMAND @@\n"
    "\n"
    "Changes ETL files by their structure: sizes, offsets, flags, types and times to values on the edge, and buffers,\n"
    "events and items cut out, doubled, swapped and resized, compressed buffers inside their compression. The same IN,\n"
    "options and seed give the same mutant on every machine. What is no ETL file is changed byte by byte.\n"
    "\n"
    "  -o OUT         where the mutant goes\n"
    "  --seed N       which mutant; 1 if not given\n"
    "  --count N      that many of each IN, of seeds N, N + 1 and so on; OUT is then a folder, and so it is for more\n"
    "                 than one IN: the mutants are FOLDER/NAME-SEED.etl\n"
    "  --cross FILE   takes buffers, events or items of FILE among those of IN\n"
    "  --most BYTES   the size that no mutant goes beyond; %u if not given, or twice that of IN if that is more\n"
    "  --describe     prints what was done, a line for each mutant, on standard output, or on standard error if\n"
    "                 that is OUT\n"
    "  --input KIND   what IN is; file, if not given, or what else a fuzz target takes, of:\n"
    "                 %s\n"
    "  --trim         takes out of IN what it can as long as COMMAND exits as it does with the whole; @@ stands for the\n"
    "                 file. OUT holds the smallest so far at any time\n"
    "  --exit N       what COMMAND has to exit with; 128 and its number for a signal, 124 for a timeout\n"
    "  --timeout N    seconds that COMMAND may take; %u if not given\n"
    "  --help\n"
    "\n"
    "IN, FILE and OUT may be -, standard input and output: one of IN and FILE, and not OUT of --trim.\n"
    "\n"
    "Exit status: 0 done, 1 COMMAND does not exit with what --exit says, 64 wrong usage, 66 cannot read or run COMMAND,\n"
    "70 no memory, 74 cannot write.\n";

static bool print_help(FILE *stream)
{
    return fprintf(stream, help, MOST_DEFAULT, etl_input_names(), TIMEOUT_DEFAULT) >= 0 && fflush(stream) == 0;
}

static exit_code point_to_help(void)
{
    etl_complain("'etlproof mutate --help' lists what there is");
    return USAGE;
}

static exit_code usage(const char *message, const char *about)
{
    etl_complain("%s%s%s", message, about != NULL ? ": " : "", about != NULL ? about : "");
    return point_to_help();
}

static bool is_same_file(const char *a, const char *b)
{
    return !files_is_dash(a) && !files_is_dash(b) && etl_path_same_file(a, b);
}

/* An input is never written over. */
static exit_code check_output(const options *o, const char *path)
{
    for (size_t i = 0; i <= o->input_count; i++) {
        const char *input = i < o->input_count ? o->inputs[i] : o->cross;
        if (input != NULL && is_same_file(path, input))
            return usage("OUT is an input, which is not touched", path);
    }
    return DONE;
}

/* Mutants. */

typedef struct run {
    const options *options;
    etl_mutator *mutator;
    file_bytes whole, other;
    uint8_t *out;
    size_t room;
} run;

static size_t most_of(const run *r)
{
    if (r->options->has_most)
        return (size_t)r->options->most;
    return r->whole.size > MOST_DEFAULT / 2 ? 2 * r->whole.size : MOST_DEFAULT;
}

static exit_code make(run *r, const char *path, uint64_t seed)
{
    const options *o = r->options;
    const size_t most = most_of(r);
    size_t size;
    const exit_code code = check_output(o, path);
    if (code != DONE)
        return code;
    if (most > r->room || r->out == NULL) {
        r->out = etl_heap_get(r->out, most);
        r->room = most;
    }
    if (o->cross != NULL)
        size = etl_mutator_cross(r->mutator, r->whole.at, r->whole.size, r->other.at, r->other.size, r->out, most, seed);
    else
        size = etl_mutator_mutate(r->mutator, r->whole.at, r->whole.size, r->out, most, seed);
    if (!files_write(path, r->out, size))
        return OUTPUT;
    if (o->describe)
        (void)fprintf(strcmp(path, "-") == 0 ? stderr : stdout, "%s\t%s\n", path, etl_mutator_description(r->mutator));
    return DONE;
}

/* The path of an input's mutant without its seed: FOLDER/NAME-. */
static char *path_of(const options *o, const char *input)
{
    const char *name = strcmp(input, "-") == 0 ? "stdin" : files_base_name(input);
    char *path = join(o->output, "/", name);
    const size_t length = strlen(path), ending = strlen(".etl");
    if (strlen(name) > ending && strcmp(path + length - ending, ".etl") == 0)
        path[length - ending] = '\0';
    char *stem = join(path, "-", "");
    free(path);
    return stem;
}

static exit_code make_several(run *r, const char *input)
{
    char *stem = path_of(r->options, input);
    exit_code code = DONE;
    for (uint64_t i = 0; i < r->options->count && code == DONE; i++) {
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

static exit_code mutate_input(run *r, const char *input)
{
    exit_code code = INPUT;
    if (files_read(input, &r->whole))
        code = wants_folder(r->options) ? make_several(r, input) : make(r, r->options->output, r->options->seed);
    free(r->whole.at);
    return code;
}

static exit_code run_mutate(const options *o)
{
    run r = {.options = o, .mutator = etl_mutator_new(o->input)};
    exit_code code = DONE;
    if (o->cross != NULL && !files_read(o->cross, &r.other))
        code = INPUT;
    else if (wants_folder(o) && !files_make_folder(o->output))
        code = OUTPUT;
    for (size_t i = 0; i < o->input_count && code == DONE; i++)
        code = mutate_input(&r, o->inputs[i]);
    if (code == DONE && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
        etl_complain("cannot write to standard output");
        code = OUTPUT;
    }
    free(r.other.at);
    free(r.out);
    etl_mutator_free(r.mutator);
    return code;
}

/* Options. */

typedef struct number_option {
    const char *name;
    uint64_t *value;
    bool *given;
    uint64_t least, most;
} number_option;

static exit_code read_number(const number_option *row, const char *text)
{
    char *end = NULL;
    errno = 0;
    const bool is_hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0; /* no number is octal here */
    const unsigned long long value = strtoull(text, &end, is_hex ? 16 : 10);
    const bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    if (is_number && value >= row->least && value <= row->most) {
        *row->value = value;
        *row->given = true;
        return DONE;
    }
    etl_complain("%s %s: it has to be a number of %" PRIu64 " to %" PRIu64, row->name, text, row->least, row->most);
    return point_to_help();
}

static exit_code read_input_kind(options *o, const char *name)
{
    if (etl_input_find(name, &o->input))
        return DONE;
    etl_complain("--input %s: it has to be one of: %s", name, etl_input_names());
    return point_to_help();
}

/* An option with a value; false if it is none. */
static bool read_valued(options *o, const char *name, const char *value, exit_code *code)
{
    const number_option numbers[] = {{"--seed", &o->seed, &o->has_seed, 0, UINT64_MAX},
                                     {"--count", &o->count, &o->has_count, 1, UINT32_MAX},
                                     {"--most", &o->most, &o->has_most, 1, MOST_MAX},
                                     {"--exit", &o->exit, &o->has_exit, 0, UINT32_MAX},
                                     {"--timeout", &o->timeout, &o->has_timeout, 1, TIMEOUT_MAX}};
    const number_option *number = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(numbers[i].name, name) == 0)
            number = &numbers[i];
    const char **text = strcmp(name, "-o") == 0 || strcmp(name, "--output") == 0 ? &o->output
                        : strcmp(name, "--cross") == 0                           ? &o->cross
                                                                                 : NULL;
    const bool is_kind = strcmp(name, "--input") == 0;
    if (number == NULL && text == NULL && !is_kind)
        return false;
    *code = DONE;
    if (value == NULL)
        *code = usage("the option wants a value", name);
    else if (number != NULL)
        *code = read_number(number, value);
    else if (is_kind)
        *code = read_input_kind(o, value);
    else
        *text = value;
    return true;
}

static bool *switch_of(options *o, const char *name)
{
    return strcmp(name, "--describe") == 0                          ? &o->describe
           : strcmp(name, "--trim") == 0                            ? &o->trim
           : strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ? &o->help
                                                                    : NULL;
}

/* Inputs are moved to the front of `argv`. */
static exit_code read_options(options *o, char **argv)
{
    bool ended = false;
    exit_code code;
    o->inputs = argv;
    for (size_t i = 0; argv[i] != NULL; i++) {
        char *argument = argv[i];
        if (ended || argument[0] != '-' || argument[1] == '\0') {
            o->inputs[o->input_count++] = argument;
        } else if (strcmp(argument, "--") == 0 && o->trim) {
            o->command = argv + i + 1;
            return DONE;
        } else if (strcmp(argument, "--") == 0) {
            ended = true;
        } else if (read_valued(o, argument, argv[i + 1], &code)) {
            if (code != DONE)
                return code;
            i++;
        } else if (switch_of(o, argument) != NULL) {
            *switch_of(o, argument) = true;
        } else {
            return usage("unknown option", argument);
        }
    }
    return DONE;
}

static bool has_place(char **command)
{
    for (; *command != NULL; command++)
        if (strstr(*command, "@@") != NULL)
            return true;
    return false;
}

static exit_code check_trim(const options *o)
{
    if (o->input_count > 1)
        return usage("--trim takes one IN", o->inputs[1]);
    if (o->has_seed || o->has_count || o->has_most || o->cross != NULL || o->describe)
        return usage("--trim goes with --input, --exit and --timeout only", NULL);
    if (files_is_dash(o->output) || !etl_path_ordinary(o->output))
        return usage("--trim writes to a file, and not to", o->output);
    if (o->command == NULL || o->command[0] == NULL)
        return usage("--trim wants -- COMMAND at the end", NULL);
    if (!has_place(o->command))
        return usage("the command has no @@, which stands for the file", o->command[0]);
    return check_output(o, o->output);
}

/* Two inputs of one name would have their mutants written over one another. */
static exit_code check_names(const options *o)
{
    exit_code code = DONE;
    for (size_t i = 0; i < o->input_count && code == DONE; i++) {
        char *one = path_of(o, o->inputs[i]);
        for (size_t j = 0; j < i && code == DONE; j++) {
            char *other = path_of(o, o->inputs[j]);
            if (strcmp(one, other) == 0)
                code = usage("two inputs of one name, whose mutants would be too", o->inputs[i]);
            free(other);
        }
        free(one);
    }
    return code;
}

static exit_code check_standard_input(const options *o)
{
    size_t readers = o->cross != NULL && files_is_dash(o->cross);
    for (size_t i = 0; i < o->input_count; i++)
        readers += files_is_dash(o->inputs[i]);
    return readers > 1 ? usage("standard input can be read once", "-") : DONE;
}

static exit_code check_options(const options *o)
{
    if (o->input_count == 0)
        return usage("IN is missing", NULL);
    if (o->output == NULL)
        return usage("-o OUT is missing", NULL);
    if (o->trim)
        return check_trim(o);
    if (o->has_exit || o->has_timeout)
        return usage("--exit and --timeout go with --trim", NULL);
    const exit_code code = check_standard_input(o);
    if (code != DONE || !wants_folder(o))
        return code;
    if (strcmp(o->output, "-") == 0)
        return usage("with --count, or more than one IN, OUT is a folder", "-o -");
    return check_names(o);
}

int main(int argc, char **argv)
{
    options o = {.input = ETL_INPUT_FILE, .seed = 1, .count = 1, .timeout = TIMEOUT_DEFAULT};
    if (argc < 2) {
        (void)print_help(stderr);
        return USAGE;
    }
    exit_code code = read_options(&o, argv + 1);
    if (code != DONE)
        return (int)code;
    if (o.help)
        return print_help(stdout) ? DONE : OUTPUT;
    code = check_options(&o);
    if (code != DONE)
        return (int)code;
    return (int)(o.trim ? run_trim(&o) : run_mutate(&o));
}
