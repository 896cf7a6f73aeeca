/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits the statements of a recipe. Called by mutator.c for inputs of RECIPE.
 */
#include "recipe_statements.h"

#include <stdlib.h>
#include <string.h>

#include "checked_alloc.h"
#include "recipe_phrases.h"

enum { RUN_MOST = 8, TRIES = 4 };
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* A recipe as its words. Words after the first fault are unknown. */
typedef struct text {
    char *at;
    size_t size;
    build_tokens tokens;
    size_t words; /* tokens without the last, which marks the end */
} text;

static void read_words(text *t)
{
    build_recipe_error error;
    if (t->size == 0)
        return;
    const bool whole = build_lex(t->at, t->size, &t->tokens, &error);
    t->words = t->tokens.count - whole;
}

/* A run of bytes. */
typedef struct run {
    size_t at, size;
} run;

static size_t offset_of(const text *t, size_t word)
{
    return word < t->words ? (size_t)(t->tokens.at[word].text - t->at) : t->size;
}

/* From one word to the end of another. */
static run run_of(const text *t, size_t first, size_t last)
{
    const size_t at = offset_of(t, first);
    return (run){at, offset_of(t, last) + t->tokens.at[last].size - at};
}

/* Replaces a run by bytes that are not in the text. False, and nothing is changed, without space for them. */
static bool replace(text *t, size_t most, run old, const char *bytes, size_t size)
{
    if (size > old.size && size - old.size > most - t->size)
        return false;
    memmove(t->at + old.at + size, t->at + old.at + old.size, t->size - old.at - old.size);
    if (size > 0)
        memcpy(t->at + old.at, bytes, size);
    t->size += size - old.size;
    return true;
}

static bool is_sign(const text *t, size_t word, char sign)
{
    const build_token *token = &t->tokens.at[word];
    return token->kind == BUILD_TOKEN_SIGN && *token->text == sign && token->size == 1;
}

static bool is_brace(const text *t, size_t word)
{
    return is_sign(t, word, '{') || is_sign(t, word, '}');
}

/* A random word of the wanted kinds; SIZE_MAX if there is none. */
static size_t pick(mutator_random *random, const text *t, bool (*wanted)(const text *t, size_t word))
{
    size_t found = SIZE_MAX, seen = 0;
    for (size_t i = 0; i < t->words; i++)
        if (wanted(t, i) && mutator_random_once_in(random, ++seen))
            found = i;
    return found;
}

static bool is_opening(const text *t, size_t word)
{
    return is_sign(t, word, '{');
}

/* A statement with a block, from its first word to the brace that closes it: words `first` to `last`. */
typedef struct block {
    size_t first, open, last;
} block;

static block block_at(const text *t, size_t open)
{
    size_t first = open, last = open, depth = 0;
    while (first > 0 && !is_brace(t, first - 1))
        first--;
    for (;; last++) {
        depth += is_sign(t, last, '{');
        depth -= is_sign(t, last, '}');
        if (depth == 0 || last + 1 == t->words)
            return (block){first, open, last};
    }
}

/* The kind of statements in a block: the nearest word before its brace that opens blocks decides. */
static mutator_phrase_kind kind_in(const text *t, size_t open)
{
    static const struct {
        const char *word;
        mutator_phrase_kind kind;
    } openers[] = {
        {"trace", MUTATOR_PHRASE_TRACE},       {"header", MUTATOR_PHRASE_BUFFER}, {"buffer", MUTATOR_PHRASE_BUFFER},
        {"logfile", MUTATOR_PHRASE_LOGFILE},   {"event", MUTATOR_PHRASE_EVENT},   {"item", MUTATOR_PHRASE_ASSIGNMENT},
        {"bytes", MUTATOR_PHRASE_ASSIGNMENT},  {"vector", MUTATOR_PHRASE_VECTOR}, {"repeat", MUTATOR_PHRASE_RECIPE},
        {"memory", MUTATOR_PHRASE_ASSIGNMENT},
    };
    for (size_t word = open; word > 0 && !is_brace(t, word - 1); word--)
        for (size_t i = 0; i < COUNT(openers); i++)
            if (t->tokens.at[word - 1].size == strlen(openers[i].word) &&
                memcmp(t->tokens.at[word - 1].text, openers[i].word, strlen(openers[i].word)) == 0)
                return openers[i].kind;
    return MUTATOR_PHRASE_RECIPE;
}

/* Where a statement may be inserted, after a brace or at the end, and of what kind. */
typedef struct gap {
    size_t at;
    mutator_phrase_kind kind;
} gap;

static gap pick_gap(mutator_random *random, const text *t)
{
    const size_t brace = mutator_random_once_in(random, 8) ? SIZE_MAX : pick(random, t, is_brace);
    if (brace == SIZE_MAX)
        return (gap){t->size, t->words == 0 ? MUTATOR_PHRASE_START : MUTATOR_PHRASE_RECIPE};
    const size_t at = offset_of(t, brace) + 1;
    size_t depth = 1;
    for (size_t word = brace + 1; word-- > 0;) {
        depth += is_sign(t, word, '}');
        depth -= is_sign(t, word, '{');
        if (depth == 0)
            return (gap){at, kind_in(t, word)};
    }
    return (gap){at, MUTATOR_PHRASE_RECIPE};
}

/* The edits. Each returns false, and changes nothing, where there is no place for it. */

typedef bool editor(mutator_edit *edit, text *t);

static bool insert_phrase(mutator_edit *edit, text *t)
{
    mutator_wording made;
    const gap to = pick_gap(&edit->random, t);
    mutator_phrase_make(&edit->random, to.kind, &t->tokens, &made);
    if (!replace(t, edit->most, (run){to.at, 0}, made.at, made.size))
        return false;
    mutator_edit_say(edit, "a phrase of %zu bytes inserted", made.size);
    return true;
}

static bool replace_word(mutator_edit *edit, text *t)
{
    mutator_wording made;
    if (t->words == 0)
        return false;
    const size_t word = mutator_random_below(&edit->random, t->words);
    if (!mutator_phrase_instead(&edit->random, &t->tokens.at[word], &made) ||
        !replace(t, edit->most, run_of(t, word, word), made.at, made.size))
        return false;
    mutator_edit_say(edit, "word %zu replaced", word);
    return true;
}

static bool remove_words(mutator_edit *edit, text *t)
{
    if (t->words < 2)
        return false;
    const size_t first = mutator_random_below(&edit->random, t->words);
    const size_t left = t->words - first, words = mutator_random_small(&edit->random, left < RUN_MOST ? left : RUN_MOST);
    replace(t, edit->most, run_of(t, first, first + words - 1), NULL, 0);
    mutator_edit_say(edit, "%zu words from %zu on removed", words, first);
    return true;
}

static bool remove_block(mutator_edit *edit, text *t)
{
    const size_t open = pick(&edit->random, t, is_opening);
    if (open == SIZE_MAX)
        return false;
    const block b = block_at(t, open);
    const bool inside = mutator_random_once_in(&edit->random, 4); /* the braces stay */
    if (inside && b.last < b.open + 2)
        return false;
    replace(t, edit->most, inside ? run_of(t, b.open + 1, b.last - 1) : run_of(t, b.first, b.last), NULL, 0);
    mutator_edit_say(edit, "block at word %zu %s", b.first, inside ? "emptied" : "removed");
    return true;
}

/* A copy of any block of `from`, which may be `t`; a name of one letter mostly gets another letter. */
static bool insert_block(mutator_edit *edit, text *t, const text *from)
{
    const size_t open = pick(&edit->random, from, is_opening);
    if (open == SIZE_MAX)
        return false;
    const block b = block_at(from, open);
    const run copied = run_of(from, b.first, b.last);
    char *copy = mutator_realloc(NULL, copied.size);
    memcpy(copy, from->at + copied.at, copied.size);
    const build_token *name = &from->tokens.at[b.first + 1];
    if (name < &from->tokens.at[b.open] && name->size == 1 && !mutator_random_once_in(&edit->random, 4))
        copy[name->text - from->at - (ptrdiff_t)copied.at] = (char)('a' + mutator_random_below(&edit->random, 26));
    const bool done = replace(t, edit->most, (run){pick_gap(&edit->random, t).at, 0}, copy, copied.size);
    free(copy);
    if (done)
        mutator_edit_say(edit, "a block of %zu bytes inserted", copied.size);
    return done;
}

static bool copy_block(mutator_edit *edit, text *t)
{
    return insert_block(edit, t, t);
}

/* Words that are wrong in their place. */
static bool copy_word(mutator_edit *edit, text *t)
{
    if (t->words < 2)
        return false;
    const size_t from = mutator_random_below(&edit->random, t->words), to = mutator_random_below(&edit->random, t->words);
    const run copied = run_of(t, from, from);
    char *copy = mutator_realloc(NULL, copied.size);
    memcpy(copy, t->at + copied.at, copied.size);
    const bool done = replace(t, edit->most, run_of(t, to, to), copy, copied.size);
    free(copy);
    if (done)
        mutator_edit_say(edit, "word %zu as word %zu", from, to);
    return done;
}

static bool change_bytes(mutator_edit *edit, text *t)
{
    t->size = mutator_bytes_change(&edit->random, (uint8_t *)t->at, t->size, edit->most);
    mutator_edit_say(edit, "bytes changed");
    return true;
}

static void edit_one(mutator_edit *edit, text *t)
{
    static editor *const editors[] = {
        insert_phrase, insert_phrase, insert_phrase, insert_phrase, replace_word, replace_word, replace_word, replace_word,
        remove_words,  remove_block,  copy_block,    copy_word,     change_bytes,
    };
    for (unsigned tries = 0; tries < TRIES; tries++)
        if (editors[mutator_random_below(&edit->random, COUNT(editors))](edit, t))
            return;
}

size_t mutator_statements_change(mutator_edit *edit, uint8_t *bytes, size_t size)
{
    text t = {.at = (char *)bytes, .size = size};
    read_words(&t);
    edit_one(edit, &t);
    free(t.tokens.at);
    return t.size;
}

size_t mutator_statements_cross(mutator_edit *edit, uint8_t *bytes, size_t size, const uint8_t *other, size_t other_size)
{
    text t = {.at = (char *)bytes, .size = size}, from = {.at = (char *)(uintptr_t)other, .size = other_size};
    read_words(&t);
    read_words(&from);
    insert_block(edit, &t, &from);
    free(t.tokens.at);
    free(from.tokens.at);
    return t.size;
}
