/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe_damage_test TIMES SEED RECIPE...
 *
 * Real recipes, damaged at random: each is parsed, or rejected with a position and a message of printable characters.
 * Sanitizers and the time limit catch crashes, leaks and endless loops.
 *
 * A whole recipe takes too long for many runs, so that each run parses the statements for all vectors and one block.
 */
#include <stdlib.h>

#include "recipe/recipe.h"
#include "test.h"

enum { BLOCKS_MAX = 512, VECTORS_MAX = 3 };

typedef struct text {
    char *at;
    size_t size;
} text;

typedef struct recipe {
    const char *name; /* "GROUP/FAMILY.recipe" */
    text whole;
    size_t starts[BLOCKS_MAX + 1]; /* of the outermost statements, and the end */
    size_t count;
} recipe;

static uint64_t state;

/* xorshift64* */
static size_t next(size_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)(state * UINT64_C(2685821657736338717) >> 32) % below;
}

static void *take(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        abort();
    return memory;
}

static text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    text t = {take(1 << 20), 0};
    if (file == NULL) {
        (void)fprintf(stderr, "%s: cannot read\n", path);
        exit(66);
    }
    t.size = fread(t.at, 1, 1 << 20, file);
    (void)fclose(file);
    return t;
}

/* The last two parts of a path. */
static const char *name_of(const char *path)
{
    const char *name = path + strlen(path);
    for (int slashes = 0; name > path; name--)
        if (name[-1] == '/' && ++slashes == 2)
            break;
    return name;
}

/* Statements start in the first column; everything else is indented. */
static recipe open_recipe(const char *path)
{
    recipe r = {.name = name_of(path), .whole = read_file(path)};
    for (size_t i = 0; i < r.whole.size && r.count < BLOCKS_MAX; i++)
        if ((i == 0 || r.whole.at[i - 1] == '\n') && r.whole.at[i] >= 'a' && r.whole.at[i] <= 'z')
            r.starts[r.count++] = i;
    r.starts[r.count] = r.whole.size;
    return r;
}

static bool is_block(const recipe *r, size_t i)
{
    const char *at = r->whole.at + r->starts[i];
    return strncmp(at, "vector", 6) == 0 || strncmp(at, "repeat", 6) == 0;
}

static void append(text *t, const char *from, size_t size)
{
    memcpy(t->at + t->size, from, size);
    t->size += size;
}

/* One block, and all earlier statements that apply to it. */
static text pick(const recipe *r)
{
    text t = {take(2 * r->whole.size + 256), 0};
    size_t chosen = next(r->count);
    while (chosen + 1 < r->count && !is_block(r, chosen))
        chosen++;
    for (size_t i = 0; i <= chosen; i++)
        if (i == chosen || !is_block(r, i))
            append(&t, r->whole.at + r->starts[i], r->starts[i + 1] - r->starts[i]);
    return t;
}

static void replace(text *t, size_t at, size_t size, const char *with, size_t with_size)
{
    memmove(t->at + at + with_size, t->at + at + size, t->size - at - size);
    memmove(t->at + at, with, with_size);
    t->size += with_size - size;
}

/* Where a word or number starts, so that damage often leaves whole words. */
static size_t word_at(const text *t, size_t *size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t at = next(t->size);
    while (at > 0 && memchr(letters, t->at[at - 1], sizeof letters - 1) != NULL)
        at--;
    for (*size = 0; at + *size < t->size && memchr(letters, t->at[at + *size], sizeof letters - 1) != NULL;)
        ++*size;
    return at;
}

static void put_word(text *t)
{
    static const char *const words[] = {
        "0", "-1", "0xFFFFFFFFFFFFFFFF", "0x8000000000000000", "65536", "0x1000000", "{", "}", "(", ")", "..", "++", "=",
        ",", "-", "~", "\"", "\\x00", "{x", "trace", "repeat over x in 0 .. 3 {", "vector y {", "lost", "remove", "move",
        "cut at", "size(", "end(", "value(", "hex(\"00\")", "zeros(70000)", "no logfile", "compress = \"lazy\"",
        "compress = count(9)", "set",
        "patch", "from", "as", "absent", "level should", "pointer_size 4", "logfile { }", "MajorVersion = 5", "step 0",
        "Size", "data", "\x80"};
    const char *word = words[next(sizeof words / sizeof words[0])];
    size_t size;
    const size_t at = word_at(t, &size);
    replace(t, at, next(2) != 0 ? size : 0, word, strlen(word));
}

static void copy_span(text *t)
{
    char copy[64];
    const size_t size = 1 + next(t->size < sizeof copy ? t->size : sizeof copy);
    const size_t from = next(t->size - size + 1);
    memcpy(copy, t->at + from, size);
    replace(t, next(t->size), 0, copy, size);
}

static void swap_words(text *t)
{
    char copy[64];
    size_t size, other_size;
    const size_t at = word_at(t, &size);
    size = size < sizeof copy ? size : sizeof copy;
    memcpy(copy, t->at + at, size);
    const size_t other = word_at(t, &other_size);
    replace(t, other, other_size, copy, size);
}

static void damage(text *t)
{
    const size_t at = next(t->size);
    switch (next(7)) {
    case 0: t->at[at] = (char)next(256); break;
    case 1: t->size = at; break;
    case 2: replace(t, at, 1 + next(t->size - at), "", 0); break;
    case 3: copy_span(t); break;
    case 4: swap_words(t); break;
    default: put_word(t); break;
    }
}

static bool take_some(void *context, const build_vector *vector)
{
    unsigned *count = context;
    CHECK((vector->model != NULL) != (vector->memory != NULL) && vector->title != NULL && vector->rule < ETL_RULE_COUNT);
    return ++*count < VECTORS_MAX;
}

static void check_place(const text *t, const build_recipe_error *error)
{
    uint32_t line = 1;
    size_t at = 0;
    for (; at < t->size && line < error->line; at++)
        line += t->at[at] == '\n';
    CHECK_UINT(error->line, line);
    size_t end = at;
    while (end < t->size && t->at[end] != '\n')
        end++;
    CHECK(error->column >= 1 && error->column <= end - at + 1);
    CHECK(strncmp(error->text, "expected ", 9) == 0 && strstr(error->text, "found") != NULL);
    for (const char *c = error->text; *c != '\0'; c++)
        CHECK(*c >= ' ' && *c <= '~');
}

static void run(const recipe *r, unsigned long counts[2])
{
    text t = pick(r);
    unsigned taken = 0;
    build_recipe_error error = {0};
    for (uint64_t times = 1 + next(2); times != 0 && t.size > 1; times--)
        damage(&t);
    char *exact = take(t.size + 1); /* no byte after the text may be read */
    memcpy(exact, t.at, t.size);
    exact = realloc(exact, t.size != 0 ? t.size : 1);
    const bool read = build_recipe_read(exact, t.size, r->name, BUILD_RECIPE_WORK_MAX, take_some, &taken, &error);
    const bool stopped = !read && error.line == 0;
    counts[read || stopped]++;
    CHECK(!stopped || taken == VECTORS_MAX);
    const unsigned long failures = test_failures;
    if (!read && !stopped)
        check_place(&t, &error);
    if (failures != test_failures)
        printf("%.*s\n", (int)t.size, t.at);
    free(exact);
    free(t.at);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        (void)fprintf(stderr, "usage: recipe_damage_test TIMES SEED RECIPE...\n");
        return 64;
    }
    const size_t recipe_count = (size_t)count - 3;
    recipe *recipes = take(recipe_count * sizeof *recipes);
    unsigned long counts[2] = {0, 0};
    const unsigned long times = strtoul(arguments[1], NULL, 10);
    state = strtoull(arguments[2], NULL, 10) * 2 + 1;
    for (size_t i = 0; i < recipe_count; i++)
        recipes[i] = open_recipe(arguments[3 + i]);
    for (unsigned long i = 0; i < times; i++)
        run(&recipes[i % recipe_count], counts);
    for (size_t i = 0; i < recipe_count; i++)
        free(recipes[i].whole.at);
    free(recipes);
    printf("%lu rejected, %lu accepted\n", counts[0], counts[1]);
    CHECK(counts[0] > times / 4 && counts[1] > times / 20);
    return test_result();
}
