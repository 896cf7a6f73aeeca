/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes random text of a kind of statement, from recipe_phrases.def. Called by recipe_statements.c.
 */
#include "recipe_phrases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "etlproof/format.h"

/* Depth limit of phrases in phrases. */
enum { DEPTH_MOST = 6 };
#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct phrase {
    mutator_phrase_kind kind;
    const char *text;
} phrase;

static const phrase phrases[] = {
#define MUTATOR_PHRASE(kind, text) {MUTATOR_PHRASE_##kind, text},
#include "recipe_phrases.def"
};

static const char *const types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) #name,
#include "format/header_types.def"
};

static const char *const item_types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) #name,
#include "format/item_types.def"
};

static const char *const members[] = {
#define ETL_MEMBER(structure, member, offset, kind) #member,
#include "format/structures.def"
};

static const char *const structures[] = {
#define ETL_MEMORY_STRUCTURE(name, mode, what, source) #name,
#include "format/layouts/structures.def"
};

static const char *const windows[] = {
#define ETL_WINDOWS(name, text, major, minor, first_build, last_build, title) text,
#include "format/windows.def"
};

/* Making text. */

typedef struct maker {
    mutator_random *random;
    const build_tokens *recipe;
    mutator_wording *out;
    unsigned depth;
} maker;

static void put(mutator_wording *out, const char *text, size_t size)
{
    const size_t capacity = sizeof out->at - out->size;
    if (size > capacity)
        size = capacity;
    memcpy(out->at + out->size, text, size);
    out->size += size;
}

static void put_any(maker *m, const char *const *table, size_t count)
{
    const char *text = table[mutator_random_below(m->random, count)];
    put(m->out, text, strlen(text));
}

/* A random number of up to 64 bits. In one expression, the compiler may choose the order of the two draws. */
static uint64_t any_bits(mutator_random *random)
{
    const uint64_t bits = mutator_random_next(random);
    return bits >> mutator_random_below(random, 64);
}

/* Mostly a plausible small size; otherwise an extreme or any number. */
static uint64_t any_number(mutator_random *random)
{
    static const uint64_t edges[] = {0, 1, 7, 8, 0x18, 0x48, 0x50, 0x1000, 0x7FFF, 0xFFFF, 0x10000, INT32_MAX, UINT32_MAX,
                                     INT64_MAX, UINT64_MAX};
    switch (mutator_random_below(random, 8)) {
    case 0: return any_bits(random);
    case 1:
    case 2: return edges[mutator_random_below(random, COUNT(edges))];
    default: return mutator_random_small(random, 256);
    }
}

static void put_number(maker *m)
{
    char text[24];
    const uint64_t number = any_number(m->random);
    const int size = snprintf(text, sizeof text, number > UINT16_MAX ? "0x%" PRIx64 : "%" PRIu64, number);
    put(m->out, text, (size_t)size);
}

static void put_new(maker *m)
{
    const char letter = (char)('a' + mutator_random_below(m->random, 26));
    put(m->out, &letter, 1);
}

/* The names that may follow such a word. */
static bool names_next(const build_token *token)
{
    static const char *const words[] = {"buffer", "event", "item", "bytes"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (token->size == strlen(words[i]) && memcmp(token->text, words[i], token->size) == 0)
            return true;
    return false;
}

/* The predefined names and those of the recipe, each with the same chance. */
static void put_name(maker *m)
{
    static const char *const always[] = {"logfile", "header"};
    const build_token *name = NULL;
    size_t seen = COUNT(always);
    for (size_t i = 1; i < m->recipe->count; i++)
        if (m->recipe->at[i].kind == BUILD_TOKEN_WORD && names_next(&m->recipe->at[i - 1]) &&
            mutator_random_once_in(m->random, ++seen))
            name = &m->recipe->at[i];
    if (name != NULL)
        put(m->out, name->text, name->size);
    else
        put_any(m, always, COUNT(always));
}

static void put_rule(maker *m)
{
    const char *id = etl_rule_get((etl_rule)mutator_random_below(m->random, ETL_RULE_COUNT))->id;
    put(m->out, id, strlen(id));
}

static void put_structure(maker *m)
{
    put_any(m, structures, COUNT(structures));
    put(m->out, " \"", 2);
    put_any(m, windows, COUNT(windows));
    put(m->out, mutator_random_once_in(m->random, 2) ? "\" \"x86\"" : "\" \"x64\"", 7);
}

static void put_type(maker *m)
{
    put_any(m, types, COUNT(types));
}

static void put_item_type(maker *m)
{
    put_any(m, item_types, COUNT(item_types));
}

static void put_member(maker *m)
{
    put_any(m, members, COUNT(members));
}

/* What <> stands for: a generated value, or the kind of a phrase. */

static const struct {
    const char *word;
    void (*put)(maker *m);
} things[] = {
    {"new", put_new},   {"name", put_name},           {"number", put_number}, {"type", put_type},
    {"rule", put_rule}, {"item_type", put_item_type}, {"member", put_member}, {"structure", put_structure},
};

static const char *const kinds[MUTATOR_PHRASE_KINDS] = {
    [MUTATOR_PHRASE_START] = "start",     [MUTATOR_PHRASE_RECIPE] = "recipe",
    [MUTATOR_PHRASE_STREAM] = "stream",   [MUTATOR_PHRASE_TRACE] = "trace",
    [MUTATOR_PHRASE_LOGFILE] = "logfile", [MUTATOR_PHRASE_BUFFER] = "buffer",
    [MUTATOR_PHRASE_EVENT] = "event",     [MUTATOR_PHRASE_ITEM] = "item",
    [MUTATOR_PHRASE_VECTOR] = "vector",   [MUTATOR_PHRASE_PATCH] = "patch",
    [MUTATOR_PHRASE_SPAN] = "span",       [MUTATOR_PHRASE_BYTES] = "bytes",
    [MUTATOR_PHRASE_GUID] = "guid",       [MUTATOR_PHRASE_ASSIGNMENT] = "assignment",
};

static void put_phrase(maker *m, mutator_phrase_kind kind);

static bool is(const char *word, const char *text, size_t size)
{
    return strlen(word) == size && memcmp(word, text, size) == 0;
}

static void put_what(maker *m, const char *word, size_t size)
{
    for (size_t i = 0; i < COUNT(things); i++)
        if (is(things[i].word, word, size))
            things[i].put(m);
    for (int kind = 0; kind < MUTATOR_PHRASE_KINDS; kind++)
        if (is(kinds[kind], word, size))
            put_phrase(m, (mutator_phrase_kind)kind);
}

static void put_text(maker *m, const char *text)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "<");
        put(m->out, text, plain);
        text += plain;
        if (*text == '<') {
            const size_t word = strcspn(text + 1, ">");
            put_what(m, text + 1, word);
            text += word + 2;
        }
    }
}

static void put_phrase(maker *m, mutator_phrase_kind kind)
{
    const phrase *chosen = NULL;
    size_t seen = 0;
    if (m->depth++ < DEPTH_MOST) {
        for (size_t i = 0; i < COUNT(phrases); i++)
            if (phrases[i].kind == kind && mutator_random_once_in(m->random, ++seen))
                chosen = &phrases[i];
        put_text(m, chosen->text);
    }
    m->depth--;
}

void mutator_phrase_make(mutator_random *random, mutator_phrase_kind kind, const build_tokens *recipe, mutator_wording *out)
{
    maker m = {random, recipe, out, 0};
    out->size = 0;
    put(out, " ", 1);
    put_phrase(&m, kind);
    put(out, " ", 1);
}

static bool is_in(const build_token *token, const char *const *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(table[i], token->text, token->size))
            return true;
    return false;
}

bool mutator_phrase_instead(mutator_random *random, const build_token *token, mutator_wording *out)
{
    maker m = {random, NULL, out, 0};
    out->size = 0;
    if (token->kind == BUILD_TOKEN_NUMBER)
        put_number(&m);
    else if (token->kind == BUILD_TOKEN_WORD && is_in(token, types, COUNT(types)))
        put_type(&m);
    else if (token->kind == BUILD_TOKEN_WORD && is_in(token, item_types, COUNT(item_types)))
        put_item_type(&m);
    else if (token->kind == BUILD_TOKEN_WORD && is_in(token, members, COUNT(members)))
        put_member(&m);
    return out->size > 0;
}
