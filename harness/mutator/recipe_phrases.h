/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random statements of recipes, from the phrases of recipe_phrases.def.
 */
#ifndef ETLPROOF_MUTATOR_RECIPE_PHRASES_H
#define ETLPROOF_MUTATOR_RECIPE_PHRASES_H

#include "recipe/lexer.h"
#include "random.h"

/* The kind of a phrase: what it is, or where it may be inserted. */
typedef enum mutator_phrase_kind {
    MUTATOR_PHRASE_START, /* a whole recipe */
    MUTATOR_PHRASE_RECIPE,
    MUTATOR_PHRASE_STREAM, /* a vector with a damaged stream */
    MUTATOR_PHRASE_TRACE,
    MUTATOR_PHRASE_LOGFILE,
    MUTATOR_PHRASE_BUFFER,
    MUTATOR_PHRASE_EVENT,
    MUTATOR_PHRASE_ITEM,
    MUTATOR_PHRASE_VECTOR,
    MUTATOR_PHRASE_PATCH,
    MUTATOR_PHRASE_SPAN, /* where something is in the file */
    MUTATOR_PHRASE_BYTES,
    MUTATOR_PHRASE_GUID,
    MUTATOR_PHRASE_ASSIGNMENT,
    MUTATOR_PHRASE_KINDS
} mutator_phrase_kind;

/* Generated text; cut off where it gets too long. */
typedef struct mutator_wording {
    char at[1024];
    size_t size;
} mutator_wording;

/*
 * A random phrase, with a space before and after it. It may use names of `recipe`, the tokens of the text that it is
 * inserted into.
 */
void mutator_phrase_make(mutator_random *random, mutator_phrase_kind kind, const build_tokens *recipe,
                         mutator_wording *out);

/* Replaces a number, a type of event or item, or a member by another; false for other tokens. */
bool mutator_phrase_instead(mutator_random *random, const build_token *token, mutator_wording *out);

#endif
