/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates calls that give bytes, such as hex("01 02"). All arguments are evaluated before any is checked. Called by
 * expression.c.
 */
#include "recipe/byte_functions.h"

#include <string.h>

#include "recipe/expression.h"
#include "recipe/metadata_functions.h"

static void read_arguments(build_call *c)
{
    build_parser_need(c->parser, "(");
    build_parser_enter(c->parser, c->name);
    bool more = !build_parser_is(c->parser, ")");
    while (more) {
        if (c->count == BUILD_CALL_ARGUMENTS_MAX)
            build_parser_fail(c->parser, c->parser->at, "expected at most %d arguments, found more",
                              BUILD_CALL_ARGUMENTS_MAX);
        c->tokens = build_parser_grow(c->parser, c->tokens, c->count, sizeof *c->tokens);
        c->arguments = build_parser_grow(c->parser, c->arguments, c->count, sizeof *c->arguments);
        c->tokens[c->count] = c->parser->at;
        c->arguments[c->count++] = build_expression(c->parser);
        more = !build_parser_is(c->parser, ")");
        if (more)
            build_parser_need(c->parser, ",");
    }
    build_parser_leave(c->parser);
    build_parser_need(c->parser, ")");
}

void build_call_need_count(const build_call *c, size_t least, size_t most)
{
    const int size = (int)c->name->size;
    if ((c->count < least || c->count > most) && least == most)
        build_parser_fail(c->parser, c->name, "expected %zu argument%s of %.*s, found %zu", least, least == 1 ? "" : "s",
                          size, c->name->text, c->count);
    if (c->count < least || c->count > most)
        build_parser_fail(c->parser, c->name, "expected %zu to %zu arguments of %.*s, found %zu", least, most, size,
                          c->name->text, c->count);
}

static uint64_t number(const build_call *c, size_t i)
{
    build_expression_need_number(c->parser, c->tokens[i], &c->arguments[i]);
    return c->arguments[i].number;
}

uint64_t build_call_number(const build_call *c, size_t i, size_t size)
{
    const uint64_t value = number(c, i);
    build_expression_need_fit(c->parser, c->tokens[i], value, size);
    return value;
}

static size_t length(const build_call *c, size_t i)
{
    const uint64_t value = number(c, i);
    if (value <= BUILD_RECIPE_BYTES_MAX)
        return (size_t)value;
    if (!c->parser->skipping)
        build_parser_fail(c->parser, c->tokens[i], "expected a number of bytes, at most 16 MiB, found a larger one");
    return 0;
}

const build_value *build_call_text(const build_call *c, size_t i)
{
    const build_value *argument = &c->arguments[i];
    if (argument->kind != BUILD_VALUE_TEXT)
        build_parser_fail(c->parser, c->tokens[i], "expected a string, found %s", build_expression_kind(argument));
    return argument;
}

const build_value *build_call_bytes(const build_call *c, size_t i, const char *expected)
{
    const build_value *argument = &c->arguments[i];
    if (argument->kind != BUILD_VALUE_BYTES)
        build_parser_fail(c->parser, c->tokens[i], "expected %s, found %s", expected, build_expression_kind(argument));
    return argument;
}

void build_call_put(uint8_t *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

build_value build_byte_value_make(build_parser *p, const build_token *at, size_t size)
{
    if (size > BUILD_RECIPE_BYTES_MAX)
        build_parser_fail(p, at, "expected at most 16 MiB, found more");
    const build_value value = {.kind = BUILD_VALUE_BYTES, .bytes = build_parser_allocate(p, size), .size = size};
    return value;
}

uint8_t *build_call_reserve(const build_call *c, build_value *value, size_t size)
{
    *value = build_byte_value_make(c->parser, c->name, size);
    return value->bytes;
}

/* The value of two hex digits; -1 if they are not. `text` ends with NUL. */
static int pair_of(const char *text)
{
    const unsigned high = build_lex_digit(text[0]);
    const unsigned low = high != BUILD_NO_DIGIT ? build_lex_digit(text[1]) : BUILD_NO_DIGIT;
    return low != BUILD_NO_DIGIT ? (int)(high << 4 | low) : -1;
}

static void make_hex(build_call *c, build_value *value)
{
    build_call_need_count(c, 1, 1);
    const build_value *source = build_call_text(c, 0);
    uint8_t *to = build_call_reserve(c, value, source->size / 2);
    value->size = 0;
    for (size_t i = 0; i < source->size;) {
        const char *s = (const char *)source->bytes + i;
        const int pair = pair_of(s);
        if (*s != ' ' && pair < 0)
            build_parser_fail(c->parser, c->tokens[0], "expected pairs of hex digits, found \"%.20s\"", s);
        if (*s != ' ')
            to[value->size++] = (uint8_t)pair;
        i += *s == ' ' ? 1 : 2;
    }
}

static void make_numbers(build_call *c, build_value *value, size_t size)
{
    build_call_need_count(c, 1, BUILD_CALL_ARGUMENTS_MAX);
    uint8_t *to = build_call_reserve(c, value, c->count * size);
    for (size_t i = 0; i < c->count; i++)
        build_call_put(to + i * size, build_call_number(c, i, size), size);
}

static void make_fill(build_call *c, build_value *value)
{
    build_call_need_count(c, 2, 2);
    const size_t size = length(c, 0);
    uint8_t *to = build_call_reserve(c, value, size);
    if (size)
        memset(to, (int)(build_call_number(c, 1, 1) & 0xFF), size);
}

static void make_zeros(build_call *c, build_value *value)
{
    build_call_need_count(c, 1, 1);
    (void)build_call_reserve(c, value, length(c, 0));
}

static void make_count(build_call *c, build_value *value)
{
    build_call_need_count(c, 1, 1);
    uint8_t *to = build_call_reserve(c, value, length(c, 0));
    for (size_t i = 0; i < value->size; i++)
        to[i] = (uint8_t)(i + 1);
}

/* xorshift64*; a seed of 0 would stay 0. */
static void make_noise(build_call *c, build_value *value)
{
    build_call_need_count(c, 2, 2);
    uint64_t state = number(c, 1) * UINT64_C(2) + 1;
    uint8_t *to = build_call_reserve(c, value, length(c, 0));
    for (size_t i = 0; i < value->size; i++) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        to[i] = (uint8_t)(state * UINT64_C(2685821657736338717) >> 56);
    }
}

static void make_text(build_call *c, build_value *value, size_t width, bool terminated)
{
    build_call_need_count(c, 1, 1);
    const build_value *source = build_call_text(c, 0);
    uint8_t *to = build_call_reserve(c, value, (source->size + terminated) * width);
    for (size_t i = 0; i < source->size; i++)
        to[i * width] = source->bytes[i];
}

static bool parse_guid(const char *text, uint8_t guid[BUILD_GUID_BYTES])
{
    /* The stored byte of each pair of digits: the first three fields are little-endian. */
    static const uint8_t places[BUILD_GUID_BYTES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (strlen(text) != sizeof form - 1)
        return false;
    for (size_t i = 0, n = 0; i < sizeof form - 1; i += form[i] == '-' ? 1 : 2) {
        const int pair = pair_of(text + i);
        if (form[i] == '-' ? text[i] != '-' : pair < 0)
            return false;
        if (form[i] != '-')
            guid[places[n++]] = (uint8_t)pair;
    }
    return true;
}

void build_value_to_guid(build_parser *p, const build_token *at, const build_value *value, uint8_t guid[BUILD_GUID_BYTES])
{
    if (value->kind == BUILD_VALUE_BYTES && value->size == BUILD_GUID_BYTES)
        memcpy(guid, value->bytes, BUILD_GUID_BYTES);
    else if (value->kind != BUILD_VALUE_TEXT || !parse_guid((const char *)value->bytes, guid))
        build_parser_fail(p, at, "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value");
}

void build_call_guid(const build_call *c, size_t i, uint8_t guid[BUILD_GUID_BYTES])
{
    build_value_to_guid(c->parser, c->tokens[i], &c->arguments[i], guid);
}

static void make_guid(build_call *c, build_value *value)
{
    build_call_need_count(c, 1, 1);
    build_call_guid(c, 0, build_call_reserve(c, value, BUILD_GUID_BYTES));
}

/* Revision, count, six bytes of authority, the high one first; sub-authorities. */
static void make_sid(build_call *c, build_value *value)
{
    enum { SUB_AUTHORITIES_MAX = 15 };
    build_call_need_count(c, 2, 2 + SUB_AUTHORITIES_MAX);
    const size_t count = c->count - 2;
    uint8_t *to = build_call_reserve(c, value, 8 + 4 * count);
    const uint64_t authority = build_call_number(c, 1, 6);
    to[0] = (uint8_t)build_call_number(c, 0, 1);
    to[1] = (uint8_t)count;
    for (size_t i = 0; i < 6; i++)
        to[2 + i] = (uint8_t)(authority >> 8 * (5 - i));
    for (size_t i = 0; i < count; i++)
        build_call_put(to + 8 + 4 * i, build_call_number(c, 2 + i, 4), 4);
}

typedef struct function {
    const char *name;
    void (*make)(build_call *c, build_value *value);
} function;

static void make_u8(build_call *c, build_value *value)
{
    make_numbers(c, value, 1);
}

static void make_u16(build_call *c, build_value *value)
{
    make_numbers(c, value, 2);
}

static void make_u32(build_call *c, build_value *value)
{
    make_numbers(c, value, 4);
}

static void make_u64(build_call *c, build_value *value)
{
    make_numbers(c, value, 8);
}

static void make_ascii(build_call *c, build_value *value)
{
    make_text(c, value, 1, false);
}

static void make_asciiz(build_call *c, build_value *value)
{
    make_text(c, value, 1, true);
}

static void make_utf16(build_call *c, build_value *value)
{
    make_text(c, value, 2, false);
}

static void make_utf16z(build_call *c, build_value *value)
{
    make_text(c, value, 2, true);
}

bool build_byte_function(build_parser *p, const build_token *name, build_value *value)
{
    static const function functions[] = {
        {"hex", make_hex},
        {"u8", make_u8},
        {"u16", make_u16},
        {"u32", make_u32},
        {"u64", make_u64},
        {"zeros", make_zeros},
        {"fill", make_fill},
        {"count", make_count},
        {"noise", make_noise},
        {"ascii", make_ascii},
        {"asciiz", make_asciiz},
        {"utf16", make_utf16},
        {"utf16z", make_utf16z},
        {"guid", make_guid},
        {"sid", make_sid},
        {"schema", build_make_schema},
        {"field", build_make_field},
        {"traits", build_make_traits},
        {"event_info", build_make_event_info},
        {"property", build_make_property},
        {"map_info", build_make_map_info},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!build_token_is(name, functions[i].name))
            continue;
        build_call c = {.parser = p, .name = name};
        read_arguments(&c);
        functions[i].make(&c, value);
        return true;
    }
    return false;
}
