/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of a recipe, made up by the phrases of phrases.def.
 */
#ifndef ETLPROOF_PHRASES_H
#define ETLPROOF_PHRASES_H

#include "lexer.h"
#include "random.h"

/* What a phrase is one of, or stands among. */
typedef enum etl_phrase_kind {
    ETL_PHRASE_START, /* of the text: a whole recipe */
    ETL_PHRASE_RECIPE,
    ETL_PHRASE_STREAM, /* a vector with a damaged stream */
    ETL_PHRASE_TRACE,
    ETL_PHRASE_LOGFILE,
    ETL_PHRASE_BUFFER,
    ETL_PHRASE_EVENT,
    ETL_PHRASE_ITEM,
    ETL_PHRASE_VECTOR,
    ETL_PHRASE_PATCH,
    ETL_PHRASE_SPAN, /* where something is in the file */
    ETL_PHRASE_BYTES,
    ETL_PHRASE_GUID,
    ETL_PHRASE_ASSIGNMENT,
    ETL_PHRASE_KINDS
} etl_phrase_kind;

/* Text that is made; what is too long for it is cut off. */
typedef struct etl_wording {
    char at[1024];
    size_t size;
} etl_wording;

/*
 * A phrase by chance, with a space before it and behind. It may name what has a name in `recipe`, the words of the text
 * that it is for.
 */
void etl_phrase_make(etl_random *random, etl_phrase_kind kind, const etl_tokens *recipe, etl_wording *out);

/* Another number, type of event or item, or member, in place of a token that is one; false of others. */
bool etl_phrase_instead(etl_random *random, const etl_token *token, etl_wording *out);

#endif
