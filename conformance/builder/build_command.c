/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof-build`, which `etlproof build` runs: turns recipe files into vectors, each a file and its expected
 * decode.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect/expected_decode.h"
#include "io/files.h"
#include "io/options.h"
#include "io/sha256.h"
#include "recipe/recipe.h"
#include "io/command.h"
#include "io/utf.h"

static const char help[] =
    "usage: etlproof build RECIPE [--vector ID] [-o FILE] [--expect FILE]\n"
    "       etlproof build --all DIR RECIPE...\n"
    "       etlproof build --list RECIPE...\n"
    "       etlproof build --rules\n"
    "\n"
    "Builds vectors from recipes: .etl files, or .bin files of structures in memory, and their expected decode as JSON.\n"
    "\n"
    "  -o FILE        write the .etl or .bin file\n"
    "  --expect FILE  write its expected decode\n"
    "  --vector ID    the vector of RECIPE to build; needed if RECIPE has several\n"
    "  --all DIR      write every vector to DIR/GROUP/ID.etl or .bin, and the expected decodes of each recipe to\n"
    "                 DIR/GROUP/RECIPE.jsonl, one line a vector\n"
    "  --list         print id, rule, verdict and title of each vector, one a line\n"
    "  --rules        print id, group and severity of each rule, then each flag of `either` vectors, one a line\n"
    "  --group NAME   the group of RECIPE; default: the name of its folder\n"
    "  --help\n"
    "\n"
    "RECIPE - is standard input and needs --group; FILE - is standard output.\n"
    "\n"
    "Exit status: 0 success, 1 a recipe is broken, 64 wrong usage, 66 cannot read, 74 cannot write.\n";

typedef struct options {
    const char *output, *expect, *vector, *all, *group;
    bool list, rules;
    char **recipes;
    size_t recipe_count;
} options;

/* An id and where it was first used. */
typedef struct known_id {
    char *id, *recipe;
} known_id;

/* The state of the run: the recipe being read, and what has been built. */
typedef struct run {
    const options *options;
    const char *path;
    tool_file_bytes text;
    tool_exit code;
    size_t vectors; /* of this recipe */
    bool built;     /* the vector that --vector asks for, or the only one */
    build_chunk image, json;
    build_chunk lines; /* --all: the expectations of this recipe, one line a vector */
    known_id *ids;     /* of all recipes */
    size_t id_count, id_capacity;
    bool shows_progress;
} run;

#define PROGRESS_WIDTH 1024 /* a line of progress is never longer */

static void hash(const build_chunk *image, char text[TOOL_SHA256_TEXT])
{
    tool_sha256 sum;
    tool_sha256_begin(&sum);
    tool_sha256_take(&sum, image->at, image->size);
    tool_sha256_end(&sum, text);
}

/* Messages about a recipe. */

static void show_progress(const run *r)
{
    char shown[PROGRESS_WIDTH];
    if (!r->shows_progress || r->id_count % 16 != 1)
        return;
    (void)tool_utf8_show_text(r->path, shown, sizeof shown);
    (void)fprintf(stderr, "\r%zu vectors, %s\033[K", r->id_count, shown);
}

static void clear_progress(const run *r)
{
    if (r->shows_progress)
        (void)fputs("\r\033[K", stderr);
}

/* Shows control characters as '?', which keeps the width for the caret: a terminal would obey them. */
static void show_text(const char *text, size_t length)
{
    const etl_span bytes = {(const uint8_t *)text, length};
    (void)fputs("    ", stderr);
    for (size_t at = 0; at < length;) {
        const tool_utf step = tool_utf8_next(bytes, at);
        if (step.valid && (step.point == '\t' || !tool_utf_is_hidden(step.point)))
            (void)fwrite(text + at, 1, step.size, stderr);
        else
            (void)fputc(step.point == '\r' ? ' ' : '?', stderr);
        at += step.size;
    }
    (void)fputc('\n', stderr);
}

/* Shows the line and a caret under the column; no caret for column 0. Columns count characters, not bytes. */
static void show_line(const tool_file_bytes *text, size_t line, size_t column)
{
    const char *at = (const char *)text->at, *end = at + text->size;
    for (; line > 1 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    const size_t length = (size_t)((newline != NULL ? newline : end) - at);
    show_text(at, length);
    if (column == 0)
        return;
    (void)fputs("    ", stderr);
    for (size_t i = 0; i < length && column > 1; i++) {
        if (((unsigned char)at[i] & 0xC0) == 0x80)
            continue;
        (void)fputc(at[i] == '\t' ? '\t' : ' ', stderr);
        column--;
    }
    (void)fputs("^\n", stderr);
}

/* Reports a vector that cannot be built. Line 0 in `where` stands for the vector as a whole. */
static bool broken_vector(run *r, const build_vector *vector, build_position where, const char *why)
{
    const char *colon = strrchr(vector->recipe, ':');
    char column[16] = "";
    if (where.line != 0)
        (void)snprintf(column, sizeof column, ":%u", (unsigned)where.column);
    else if (colon != NULL)
        where.line = (uint32_t)strtoul(colon + 1, NULL, 10);
    clear_progress(r);
    tool_print_message("%s:%u%s: vector %s: %s", r->path, (unsigned)where.line, column, vector->id, why);
    if (where.line != 0)
        show_line(&r->text, where.line, where.column);
    r->code = TOOL_EXIT_DAMAGED;
    return false;
}

/* Vectors. */

static bool remember(run *r, const build_vector *vector)
{
    static char text[512];
    for (size_t i = 0; i < r->id_count; i++) {
        if (strcmp(r->ids[i].id, vector->id) != 0)
            continue;
        (void)snprintf(text, sizeof text, "the id is already used at %s", r->ids[i].recipe);
        return broken_vector(r, vector, (build_position){0}, text);
    }
    if (r->id_count == r->id_capacity) {
        r->id_capacity = r->id_capacity == 0 ? 256 : 2 * r->id_capacity;
        r->ids = realloc(r->ids, r->id_capacity * sizeof *r->ids);
        if (r->ids == NULL)
            abort();
    }
    r->ids[r->id_count++] = (known_id){strdup(vector->id), strdup(vector->recipe)};
    return true;
}

static bool make(run *r, const build_vector *vector)
{
    const char *why = "";
    build_position where = {0};
    build_chunk_free(&r->image);
    build_chunk_free(&r->json);
    return build_expected_decode(vector, hash, &r->image, &r->json, &why, &where) || broken_vector(r, vector, where, why);
}

static bool write_chunk(run *r, const char *path, const build_chunk *chunk)
{
    if (tool_files_write(path, chunk->at, chunk->size))
        return true;
    r->code = TOOL_EXIT_OUTPUT;
    return false;
}

/* A recipe of the same name in another folder would write the same DIR/GROUP/RECIPE.jsonl. */
static bool check_recipe_is_new(run *r, const build_vector *vector)
{
    const size_t length = (size_t)(strrchr(vector->recipe, ':') - vector->recipe) + 1;
    for (size_t i = 0; r->vectors == 1 && i + 1 < r->id_count; i++)
        if (strncmp(r->ids[i].recipe, vector->recipe, length) == 0)
            return broken_vector(r, vector, (build_position){0}, "another recipe of this group has the same file name");
    return true;
}

/* Appends the vector's JSON as one line: a line break and its indentation become a space, or nothing next to a bracket. */
static void add_line(build_chunk *lines, const build_chunk *json)
{
    const uint8_t *at = json->at, *end = json->at + json->size - 1; /* without the last line break */
    while (at < end) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        build_chunk_add(lines, at, (size_t)((newline != NULL ? newline : end) - at));
        for (at = newline != NULL ? newline : end; at < end && (*at == '\n' || *at == ' ');)
            at++;
        if (newline != NULL && newline[-1] == ',')
            build_chunk_add(lines, " ", 1);
    }
    build_chunk_add(lines, "\n", 1);
}

static bool write_beside(run *r, const char *group, const char *name, const char *extension, const build_chunk *chunk)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s/%s.%s", r->options->all, group, name, extension);
    return write_chunk(r, path, chunk);
}

/* The expectations of all vectors of the recipe, under the recipe's name. */
static bool write_lines(run *r, const char *recipe)
{
    char group[256], name[256];
    const char *slash = strchr(recipe, '/'), *dot = strrchr(recipe, '.');
    const size_t length = dot != NULL && strcmp(dot, ".recipe") == 0 ? (size_t)(dot - slash) - 1 : strlen(slash + 1);
    if (r->lines.size == 0)
        return true;
    (void)snprintf(group, sizeof group, "%.*s", (int)(slash - recipe), recipe);
    (void)snprintf(name, sizeof name, "%.*s", (int)length, slash + 1);
    return write_beside(r, group, name, "jsonl", &r->lines);
}

static bool write_vector(run *r, const build_vector *vector)
{
    static char folder[4096];
    const char *group = etl_rule_get(vector->rule)->group;
    (void)snprintf(folder, sizeof folder, "%s/%s", r->options->all, group);
    if (!check_recipe_is_new(r, vector))
        return false;
    if (!tool_files_make_folder(folder)) {
        r->code = TOOL_EXIT_OUTPUT;
        return false;
    }
    show_progress(r);
    if (!make(r, vector) || !write_beside(r, group, vector->id, vector->memory != NULL ? "bin" : "etl", &r->image))
        return false;
    add_line(&r->lines, &r->json);
    return true;
}

static const char *verdict_text(const build_vector *vector)
{
    static const char *const texts[] = {
        [BUILD_VECTOR_ACCEPT] = "accept", [BUILD_VECTOR_REJECT] = "reject", [BUILD_VECTOR_EITHER] = "either"};
    return texts[vector->verdict];
}

static bool take(void *context, const build_vector *vector)
{
    run *r = context;
    r->vectors++;
    if (!remember(r, vector))
        return false;
    if (r->options->list) {
        (void)printf("%s\t%s\t%s\t%s\n", vector->id, etl_rule_get(vector->rule)->id, verdict_text(vector), vector->title);
        return true;
    }
    if (r->options->all != NULL)
        return write_vector(r, vector);
    if (r->built || (r->options->vector != NULL && strcmp(r->options->vector, vector->id) != 0))
        return true;
    r->built = true;
    return make(r, vector);
}

/* Recipes. */

/* The name of the folder that a file is in, at most `size` - 1 bytes; "" if it has no path. */
static void folder_name(const char *path, char *name, size_t size)
{
    char *whole = realpath(path, NULL);
    char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    name[0] = '\0';
    if (slash != NULL) {
        *slash = '\0';
        (void)snprintf(name, size, "%s", tool_files_base_name(whole));
    }
    free(whole);
}

static tool_exit read_text(run *r)
{
    char group[256], name[512];
    build_recipe_error error = {0};
    if (r->options->group != NULL)
        (void)snprintf(group, sizeof group, "%s", r->options->group);
    else
        folder_name(r->path, group, sizeof group);
    (void)snprintf(name, sizeof name, "%s/%s", group, tool_files_base_name(r->path));
    if (build_recipe_read((const char *)r->text.at, r->text.size, name, BUILD_RECIPE_WORK_MAX, take, r, &error))
        return write_lines(r, name) ? TOOL_EXIT_DONE : r->code;
    if (error.line == 0)
        return r->code;
    clear_progress(r);
    tool_print_message("%s:%u:%u: %s", r->path, (unsigned)error.line, (unsigned)error.column, error.text);
    show_line(&r->text, error.line, error.column);
    return TOOL_EXIT_DAMAGED;
}

static tool_exit read_recipe(run *r, const char *path)
{
    r->path = path;
    r->vectors = 0;
    r->lines.size = 0;
    if (!tool_files_read(path, &r->text))
        return TOOL_EXIT_INPUT;
    const tool_exit code = read_text(r);
    free(r->text.at);
    return code;
}

static tool_exit usage(const char *message, const char *about)
{
    return tool_usage("build", message, about);
}

/* Lists the first few ids only: a recipe may have hundreds. */
static tool_exit several(const run *r)
{
    enum { SHOWN = 8 };
    tool_print_error("%s has %zu vectors; choose one with --vector ID:", r->path, r->vectors);
    for (size_t i = 0; i < r->id_count && i < SHOWN; i++)
        tool_print_message("    %s", r->ids[i].id);
    if (r->id_count > SHOWN)
        tool_print_message("    ... ('etlproof build --list %s' lists them all)", r->path);
    return TOOL_EXIT_USAGE;
}

/* Refuses to overwrite the recipe. */
static tool_exit write_one(run *r, const char *path, const build_chunk *chunk)
{
    if (tool_files_same(path, r->path))
        return usage("the output would overwrite the recipe", path);
    return write_chunk(r, path, chunk) ? TOOL_EXIT_DONE : TOOL_EXIT_OUTPUT;
}

static tool_exit finish_one(run *r)
{
    const options *o = r->options;
    if (o->vector == NULL && r->vectors > 1)
        return several(r);
    if (!r->built && o->vector == NULL)
        return usage("the recipe has no vector", r->path);
    if (!r->built)
        return usage("the recipe has no vector with that id", o->vector);
    const tool_exit code = o->output != NULL ? write_one(r, o->output, &r->image) : TOOL_EXIT_DONE;
    if (code != TOOL_EXIT_DONE || o->expect == NULL)
        return code;
    if (o->output != NULL && tool_files_same(o->output, o->expect))
        return usage("-o and --expect must be two files", o->expect);
    return write_one(r, o->expect, &r->json);
}

/* Reports output that could not be written. */
static tool_exit finish_output(void)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return TOOL_EXIT_DONE;
    tool_print_error("cannot write to standard output");
    return TOOL_EXIT_OUTPUT;
}

static tool_exit build(const options *o)
{
    run r = {.options = o, .shows_progress = o->all != NULL && tool_stderr_is_terminal()};
    tool_exit code = TOOL_EXIT_DONE;
    for (size_t i = 0; i < o->recipe_count; i++) {
        code = tool_exit_worse(code, read_recipe(&r, o->recipes[i]));
    }
    clear_progress(&r);
    if (code == TOOL_EXIT_DONE && o->all == NULL && !o->list)
        code = finish_one(&r);
    code = tool_exit_worse(code, finish_output());
    for (size_t i = 0; i < r.id_count; i++) {
        free(r.ids[i].id);
        free(r.ids[i].recipe);
    }
    free(r.ids);
    build_chunk_free(&r.image);
    build_chunk_free(&r.json);
    build_chunk_free(&r.lines);
    return code;
}

static tool_exit print_rules(void)
{
    static const char *const flags[] = {
#define BUILD_FLAG(text, reason) text,
#include "flags.def"
    };
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++) {
        const etl_rule_info *rule = etl_rule_get((etl_rule)i);
        (void)printf("%s\t%s\t%s\n", rule->id, rule->group, etl_severity_text(rule->severity));
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        (void)printf("%s\t\tflag\n", flags[i]);
    return finish_output();
}

/* Options. */

enum { OPTION_OUTPUT, OPTION_EXPECT, OPTION_VECTOR, OPTION_ALL, OPTION_LIST, OPTION_RULES, OPTION_GROUP };

static const tool_option options_table[] = {
    {"output", 'o', TOOL_ANY_VALUE, OPTION_OUTPUT}, {"expect", 0, TOOL_ANY_VALUE, OPTION_EXPECT},
    {"vector", 0, TOOL_ANY_VALUE, OPTION_VECTOR},   {"all", 0, TOOL_ANY_VALUE, OPTION_ALL},
    {"list", 0, NULL, OPTION_LIST},      {"rules", 0, NULL, OPTION_RULES},
    {"group", 0, TOOL_ANY_VALUE, OPTION_GROUP},     {NULL, 0, NULL, 0},
};

static void read_option(options *o, int id, const char *value)
{
    switch (id) {
    case OPTION_OUTPUT: o->output = value; break;
    case OPTION_EXPECT: o->expect = value; break;
    case OPTION_VECTOR: o->vector = value; break;
    case OPTION_ALL: o->all = value; break;
    case OPTION_LIST: o->list = true; break;
    case OPTION_RULES: o->rules = true; break;
    default: o->group = value; break;
    }
}

static tool_exit check_options(const options *o)
{
    const bool one = o->output != NULL || o->expect != NULL || o->vector != NULL;
    if (o->recipe_count == 0)
        return usage("RECIPE is missing", NULL);
    if (one + o->list + (o->all != NULL) > 1)
        return usage("-o and --expect, --all and --list exclude one another", NULL);
    if (!o->list && o->all == NULL && o->output == NULL && o->expect == NULL)
        return usage("nothing to do; expected -o, --expect, --all or --list", NULL);
    if (!o->list && o->all == NULL && o->recipe_count > 1)
        return usage("expected one RECIPE, or --all", o->recipes[1]);
    for (size_t i = 0; i < o->recipe_count; i++)
        if (strcmp(o->recipes[i], "-") == 0 && o->group == NULL)
            return usage("RECIPE - needs --group", NULL);
    return TOOL_EXIT_DONE;
}

int main(int argc, char **argv)
{
    options o = {0};
    tool_options read;
    if (argc < 2) {
        (void)fputs(help, stderr);
        return TOOL_EXIT_USAGE;
    }
    tool_options_open(&read, "build", argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&read)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return (int)read.exit;
        read_option(&o, id, read.value);
    }
    o.recipes = read.arguments;
    o.recipe_count = (size_t)read.files;
    if (o.rules)
        return (int)print_rules();
    const tool_exit code = check_options(&o);
    return (int)(code != TOOL_EXIT_DONE ? code : build(&o));
}
