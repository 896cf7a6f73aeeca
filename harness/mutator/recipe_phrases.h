/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of a recipe, made up by the phrases of recipe_phrases.def.
 */
#ifndef ETLPROOF_MUTATOR_RECIPE_PHRASES_H
#define ETLPROOF_MUTATOR_RECIPE_PHRASES_H

#include "lexer.h"
#include "random.h"

/* What a phrase is one of, or stands among. */
typedef enum mutator_phrase_kind {
    MUTATOR_PHRASE_START, /* of the text: a whole recipe */
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

/* Text that is made; what is too long for it is cut off. */
typedef struct mutator_wording {
    char at[1024];
    size_t size;
} mutator_wording;

/*
 * A phrase by chance, with a space before it and behind. It may name what has a name in `recipe`, the words of the text
 * that it is for.
 */
void mutator_phrase_make(mutator_random *random, mutator_phrase_kind kind, const build_tokens *recipe,
                         mutator_wording *out);

/* Another number, type of event or item, or member, in place of a token that is one; false of others. */
bool mutator_phrase_instead(mutator_random *random, const build_token *token, mutator_wording *out);

#endif
