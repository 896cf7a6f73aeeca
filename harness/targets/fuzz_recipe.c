/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the input as a recipe. A rejected recipe must have a place and a message. An accepted one is built; the decoder
 * reads the file under its oracles, or checks it as a structure in memory; and its expected decode must be JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broken_promise.h"
#include "entry_points.h"
#include "exact_copy.h"
#include "expect/expected_decode.h"
#include "recipe/recipe.h"
#include "target_run.h"
#include "json_reader.h"
#include "target.h"

/* More vectors of a recipe are read and laid out, but not built, which would take too long. */
#define VECTORS_MAX 4u
#define IMAGE_MAX ((uint64_t)1 << 18)
/* The limit of a recipe: larger ones take seconds, in which thousands of others run. Few recipes of the suite make more
   than this. */
#define WORK_MAX ((uint64_t)1 << 23)

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "oracle recipe broken: %s: \"%s\"\n", what, text);
    abort();
}

/* "size/fuzz.recipe": the folder is that of the first rule in the text, as the reader requires. */
static void name_recipe(const char *text, size_t size, char name[64])
{
    const char *group = "size";
    for (size_t i = 0; i + 7 <= size; i++) {
        char id[8] = "";
        memcpy(id, text + i, 7);
        const etl_rule rule = id[3] == '-' ? etl_rule_find(id) : ETL_RULE_COUNT;
        if (rule != ETL_RULE_COUNT) {
            group = etl_rule_get(rule)->group;
            break;
        }
    }
    snprintf(name, 64, "%s/fuzz.recipe", group);
}

static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

/* The message of a fault: one line that is safe for a terminal. */
static void hold_message(const char *text)
{
    if (*text == '\0' || !is_printable(text))
        fail("a message is one line of ASCII", text);
}

/* Checks that the place is in the text, or right after one of its lines. */
static void hold_place(const char *text, size_t size, uint32_t line, uint32_t column)
{
    size_t at = 0, end;
    for (uint32_t n = 1; n < line; n++) {
        const char *next = at < size ? memchr(text + at, '\n', size - at) : NULL;
        if (!next)
            fail("a fault is on a line of the recipe", "");
        at = (size_t)(next - text) + 1;
    }
    for (end = at; end < size && text[end] != '\n'; end++)
        continue;
    if (line == 0 || column == 0 || column > end - at + 1)
        fail("a fault is in a column of its line", "");
}

static void no_hash(const build_chunk *image, char hex[65])
{
    (void)image;
    memset(hex, '0', 64);
    hex[64] = '\0';
}

static bool any_value(void *context, const oracle_json_value *value)
{
    (void)context;
    return value->depth > 0;
}

static void hold_json(const build_chunk *json)
{
    const char *why = NULL;
    size_t at;
    if (!oracle_json_object((oracle_slice){(const char *)json->at, json->size}, any_value, NULL, &why, &at))
        fail("the expected decode is JSON", why);
}

static void decode(const build_chunk *image)
{
    static target_run run;
    const etl_span file = target_copy((etl_span){image->at, image->size});
    target_run_begin(&run, file, false);
    while (target_run_advance(&run))
        continue;
    target_run_finish(&run);
    target_copy_free(file);
}

static void check(const build_chunk *image, etl_memory_layout layout)
{
    static const char *const layers[] = {"memory", NULL};
    static etl_findings findings;
    oracle_watch oracle;
    const etl_span structure = target_copy((etl_span){image->at, image->size});
    oracle_init(&oracle, structure.size, ETL_LIMITS_DEFAULT, false);
    findings.count = 0;
    etl_memory_check(layout, structure, 0, &findings);
    oracle_call(&oracle, &findings, layers, 0, structure.size);
    target_hold(&oracle, "memory");
    target_copy_free(structure);
}

/* The text, and how many of its vectors were read. */
typedef struct recipe {
    const char *text;
    size_t size;
    unsigned vectors;
} recipe;

static void hold_vector(const build_vector *vector)
{
    if (!vector->id || !vector->title || !vector->source || !vector->recipe ||
        !vector->model == !vector->memory || vector->rule >= ETL_RULE_COUNT)
        fail("a vector is whole", vector->id ? vector->id : "");
}

static bool build(void *context, const build_vector *vector)
{
    recipe *r = context;
    build_chunk image = {0}, json = {0};
    const char *why = "";
    build_position where = {0, 0};
    hold_vector(vector);
    if (vector->memory || vector->model->size <= IMAGE_MAX) {
        if (build_expected_decode(vector, no_hash, &image, &json, &why, &where)) {
            hold_json(&json);
            if (vector->memory)
                check(&image, vector->memory->layout);
            else
                decode(&image);
        } else {
            hold_message(why);
            if (where.line != 0)
                hold_place(r->text, r->size, where.line, where.column);
        }
        build_chunk_free(&image);
        build_chunk_free(&json);
    }
    return ++r->vectors < VECTORS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const etl_span copy = target_copy((etl_span){data, size});
    recipe r = {.text = size ? (const char *)copy.at : "", .size = size};
    build_recipe_error error = {0, 0, ""};
    char name[64];
    name_recipe(r.text, size, name);
    const bool read = build_recipe_read(r.text, size, name, WORK_MAX, build, &r, &error);
    const bool stopped = !read && error.line == 0;
    if (stopped && r.vectors != VECTORS_MAX)
        fail("the reader continues until the sink stops it", "");
    if (!read && !stopped) {
        hold_message(error.text);
        hold_place(r.text, size, error.line, error.column);
    }
    target_copy_free(copy);
    return 0;
}
