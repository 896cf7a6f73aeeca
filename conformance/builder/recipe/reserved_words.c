/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a word is reserved. Called where names of the trace are introduced and listed.
 */
#include "recipe/reserved_words.h"

#include "recipe/format_names.h"

bool build_is_vector_statement(const build_token *word)
{
    static const char *const words[] = {
#define BUILD_VECTOR_STATEMENT(word, parse, of_trace) word,
#include "recipe/vector_statements.def"
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (build_token_is(word, words[i]))
            return true;
    return false;
}

bool build_is_reserved_word(const build_token *name)
{
    static const char *const words[] = {"as", "at", "by", "copies", "does", "end", "from", "in", "trace", "vector"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (build_token_is(name, words[i]))
            return true;
    return build_is_vector_statement(name) || build_format_name_is_table(name);
}
