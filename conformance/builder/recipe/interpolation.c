/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces {name} and {name:02x} in ids and strings. Called for each string and id of a recipe.
 */
#include "recipe/interpolation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH_MAX = 64 };

const build_loop_variable *build_loop_variable_find(const build_parser *p, const char *name, size_t size)
{
    for (size_t i = p->variable_count; i-- > 0;) {
        const build_loop_variable *v = &p->variables[i];
        if (v->name->size == size && memcmp(v->name->text, name, size) == 0)
            return v;
    }
    return NULL;
}

/* Forms are "d", "x", "04d", "02x", "#x", "#06x"; # adds 0x, which counts for the width. False for other forms. */
static bool print_number(build_chunk *out, uint64_t number, const char *form, size_t size)
{
    char text[WIDTH_MAX + 24];
    const bool prefix = size != 0 && form[0] == '#';
    unsigned width = 0;
    size_t i = prefix;
    if (i < size && form[i] == '0')
        while (++i < size && form[i] >= '0' && form[i] <= '9' && width <= WIDTH_MAX)
            width = width * 10 + (unsigned)(form[i] - '0');
    if (i + 1 != size || width > WIDTH_MAX || (form[i] != 'x' && (form[i] != 'd' || prefix)))
        return false;
    if (form[i] == 'd')
        (void)snprintf(text, sizeof text, "%0*" PRId64, (int)width, (int64_t)number);
    else
        (void)snprintf(text, sizeof text, "%s%0*" PRIx64, prefix ? "0x" : "",
                       (int)(prefix && width >= 2 ? width - 2 : width), number);
    build_chunk_add(out, text, strlen(text));
    return true;
}

/* `form` is NULL for {name}. */
static bool print_value(build_chunk *out, const build_value *value, const char *form, size_t size)
{
    if (value->kind == BUILD_VALUE_NUMBER)
        return form != NULL ? print_number(out, value->number, form, size) : print_number(out, value->number, "d", 1);
    if (value->kind != BUILD_VALUE_TEXT || form != NULL)
        return false;
    build_chunk_add(out, value->bytes, value->size);
    return true;
}

/* Fills in {name} or {name:form} at its brace; returns the number of its characters. */
static size_t fill_in(build_parser *p, const build_token *at, const char *text, size_t size)
{
    const char *close = memchr(text, '}', size);
    if (close == NULL)
        build_parser_fail(p, at, "expected a closing brace, found none (a plain opening brace is \\x7b)");
    const char *name = text + 1;
    const char *colon = memchr(name, ':', (size_t)(close - name));
    const size_t name_size = (size_t)((colon != NULL ? colon : close) - name);
    const char *form = colon != NULL ? colon + 1 : NULL;
    const build_loop_variable *v = build_loop_variable_find(p, name, name_size);
    if (v == NULL)
        build_parser_fail(p, at, "expected a loop variable in braces, found \"%.*s\"", (int)name_size, name);
    if (!print_value(&p->text, &v->value, form, form != NULL ? (size_t)(close - form) : 0))
        build_parser_fail(p, at,
                          "expected {name} of a number or text, or a form such as {name:#06x} of a number, found %.*s",
                          (int)(close - text) + 1, text);
    return (size_t)(close - text) + 1;
}

/* Resolves an escape at its backslash; returns the number of its characters. */
static size_t unescape(build_parser *p, const build_token *at, const char *text, size_t size)
{
    static const char letters[] = "\"\\nt", meant[] = "\"\\\n\t";
    const char *letter = size > 1 ? memchr(letters, text[1], sizeof letters - 1) : NULL;
    if (letter != NULL) {
        build_chunk_add(&p->text, meant + (letter - letters), 1);
        return 2;
    }
    const unsigned high = size > 3 && text[1] == 'x' ? build_lex_digit(text[2]) : BUILD_NO_DIGIT;
    const unsigned low = high != BUILD_NO_DIGIT ? build_lex_digit(text[3]) : BUILD_NO_DIGIT;
    if (low == BUILD_NO_DIGIT)
        build_parser_fail(p, at, "expected one of the escapes \\\" \\\\ \\n \\t \\xNN, found another");
    build_chunk_number(&p->text, high << 4 | low, 1);
    return 4;
}

/* The value of a variable is not searched for escapes: they were resolved where it got its value. */
static char *read_text(build_parser *p, const build_token *at, const char *text, size_t size, bool escapes)
{
    p->text.size = 0;
    for (size_t i = 0; i < size;) {
        if (text[i] == '{')
            i += fill_in(p, at, text + i, size - i);
        else if (text[i] == '\\' && escapes)
            i += unescape(p, at, text + i, size - i);
        else
            build_chunk_add(&p->text, text + i++, 1);
    }
    if (p->text.size > BUILD_RECIPE_BYTES_MAX)
        build_parser_fail(p, at, "expected at most 16 MiB, found more");
    return build_parser_copy(p, p->text.size != 0 ? (const char *)p->text.at : "", p->text.size);
}

/* Variables may hold names of the format, such as "6.0-early" or "WMI_LOGGER_CONTEXT", which are no ids. */
char *build_interpolate_id(build_parser *p, const build_token *word)
{
    char *id = read_text(p, word, word->text, word->size, false);
    if (memchr(word->text, '{', word->size) == NULL)
        return id;
    for (char *c = id; *c != '\0'; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c == '.' || *c == '_' ? '-' : *c;
    return id;
}

build_value build_interpolate_string(build_parser *p, const build_token *string)
{
    char *text = read_text(p, string, string->text + 1, string->size - 2, true);
    const build_value value = {.kind = BUILD_VALUE_TEXT, .bytes = (uint8_t *)text, .size = p->text.size};
    return value;
}
