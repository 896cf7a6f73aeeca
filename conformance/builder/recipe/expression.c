/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and evaluates expressions. From the loosest to the tightest: ++, |, ^, &, << >>, + -, * / %, signs. Called
 * wherever a recipe has a value; calls byte_functions.c, trace_places.c and memory_block.c, which call back for their
 * arguments.
 */
#include "recipe/expression.h"

#include <string.h>

#include "recipe/byte_functions.h"
#include "recipe/format_names.h"
#include "recipe/interpolation.h"
#include "recipe/memory_block.h"
#include "recipe/trace_places.h"

enum { TIGHTEST = 6 };

static const struct {
    const char *sign;
    unsigned level;
} operators[] = {{"++", 0}, {"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                 {"+", 5},  {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}};

static build_value binary(build_parser *p, unsigned level);

/* A name: a variable, a table, a function, a node of the trace or a member of one, a member of the structure in memory. */
static build_value named(build_parser *p)
{
    const build_token *name = p->at++;
    build_value value;
    if (build_parser_is(p, "(")) {
        if (build_byte_function(p, name, &value) || build_place_function(p, name, &value))
            return value;
        build_parser_expected_at(p, name, "a function");
    }
    const build_loop_variable *variable = build_loop_variable_find(p, name->text, name->size);
    if (variable && !build_memory_block_has_member(p, &variable->value))
        return variable->value;
    if (!variable && build_format_name_is_table(name) && build_parser_take(p, "."))
        return build_value_of_number(build_format_name_value(p, name));
    if (p->memory != NULL) {
        p->at = name;
        return build_value_of_number(build_memory_block_path(p, p->memory).offset);
    }
    const build_model_node node = build_place_node(p, name);
    if (!build_parser_is(p, "."))
        return build_place_start(p, &node);
    const char *member;
    (void)build_place_of_member(p, &node, &member, &value);
    return value;
}

static build_value primary(build_parser *p)
{
    const build_token *at = p->at;
    build_value value;
    if (at->kind == BUILD_TOKEN_NUMBER) {
        p->at++;
        return build_value_of_number(at->number);
    }
    if (at->kind == BUILD_TOKEN_STRING) {
        p->at++;
        return build_interpolate_string(p, at);
    }
    if (at->kind == BUILD_TOKEN_WORD)
        return named(p);
    if (!build_parser_take(p, "("))
        build_parser_expected(p, "a value");
    build_parser_enter(p, at);
    value = binary(p, 0);
    build_parser_leave(p);
    build_parser_need(p, ")");
    return value;
}

const char *build_expression_kind(const build_value *value)
{
    return value->kind == BUILD_VALUE_NUMBER ? "a number" : value->kind == BUILD_VALUE_TEXT ? "a text" : "bytes";
}

void build_expression_need_number(build_parser *p, const build_token *at, const build_value *value)
{
    if (value->kind != BUILD_VALUE_NUMBER)
        build_parser_fail(p, at, "expected a number, found %s", build_expression_kind(value));
}

void build_expression_need_fit(build_parser *p, const build_token *at, uint64_t number, size_t size)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * size);
    if (number > most && number < ~(most >> 1) && !p->skipping)
        build_parser_fail(p, at, "expected a number that fits in %zu byte%s, found %lld", size, size == 1 ? "" : "s",
                          (long long)number);
}

static build_value unary(build_parser *p)
{
    const build_token *at = p->at;
    if (!build_parser_is(p, "-") && !build_parser_is(p, "~"))
        return primary(p);
    p->at++;
    build_parser_enter(p, at);
    build_value value = unary(p);
    build_parser_leave(p);
    build_expression_need_number(p, at + 1, &value);
    return build_value_of_number(build_token_is(at, "-") ? 0 - value.number : ~value.number);
}

static uint64_t divide(build_parser *p, const build_token *at, uint64_t a, uint64_t b)
{
    if (b == 0 && !p->skipping)
        build_parser_fail(p, at, "expected a divisor other than 0, found 0");
    if (b == 0)
        return 0;
    return build_token_is(at, "/") ? a / b : a % b;
}

static uint64_t calculate(build_parser *p, const build_token *at, uint64_t a, uint64_t b)
{
    switch (at->text[0]) {
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return b < 64 ? a << b : 0;
    case '>': return b < 64 ? a >> b : 0;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return divide(p, at, a, b);
    }
}

static build_value join(build_parser *p, const build_token *at, const build_value *a, const build_value *b)
{
    if (a->kind == BUILD_VALUE_NUMBER || b->kind == BUILD_VALUE_NUMBER)
        build_parser_fail(p, at, "expected bytes or texts on both sides of ++, found a number");
    const build_value joined = build_byte_value_make(p, at, a->size + b->size);
    memcpy(joined.bytes, a->bytes, a->size);
    memcpy(joined.bytes + a->size, b->bytes, b->size);
    return joined;
}

/* A place and a number make a place; the distance of two places, and all else, is a number. */
static build_value combine(build_parser *p, const build_token *at, const build_value *a, const build_value *b)
{
    if (build_token_is(at, "++"))
        return join(p, at, a, b);
    build_expression_need_number(p, at, a);
    build_expression_need_number(p, at + 1, b);
    build_value value = build_value_of_number(calculate(p, at, a->number, b->number));
    if (at->text[0] == '+' || (at->text[0] == '-' && b->inflated == NULL))
        value.inflated = a->inflated != NULL ? a->inflated : b->inflated;
    return value;
}

static bool has_operator(const build_parser *p, unsigned level)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].level == level && build_parser_is(p, operators[i].sign))
            return true;
    return false;
}

static build_value binary(build_parser *p, unsigned level)
{
    if (level > TIGHTEST)
        return unary(p);
    build_value value = binary(p, level + 1);
    while (has_operator(p, level)) {
        const build_token *at = p->at++;
        const build_value right = binary(p, level + 1);
        value = combine(p, at, &value, &right);
    }
    return value;
}

build_value build_expression(build_parser *p)
{
    return binary(p, 0);
}

uint64_t build_expression_number(build_parser *p)
{
    return build_expression_place(p).offset;
}

uint64_t build_expression_number_of(build_parser *p, size_t size)
{
    const build_token *at = p->at;
    const uint64_t number = build_expression_number(p);
    build_expression_need_fit(p, at, number, size);
    return number;
}

build_place build_expression_place(build_parser *p)
{
    const build_token *at = p->at;
    const build_value value = build_expression(p);
    build_expression_need_number(p, at, &value);
    return (build_place){value.inflated, value.number, build_token_position(at)};
}

/* A loop variable may hold a place of another copy of the trace, which has the buffer under the same name. */
static bool in_same_bytes(const build_place *a, const build_place *b)
{
    if (a->inflated == NULL || b->inflated == NULL)
        return a->inflated == b->inflated;
    return strcmp(a->inflated->name, b->inflated->name) == 0;
}

void build_expression_places(build_parser *p, build_place *from, build_place *to)
{
    *from = build_expression_place(p);
    build_parser_need(p, "..");
    const build_token *at = p->at;
    *to = build_expression_place(p);
    if (!p->skipping && (!in_same_bytes(from, to) || to->offset < from->offset))
        build_parser_fail(p, at, "expected a place at or after the first one and in the same bytes, found another");
}

build_value build_expression_bytes(build_parser *p)
{
    const build_token *at = p->at;
    const build_value value = build_expression(p);
    if (value.kind != BUILD_VALUE_BYTES)
        build_parser_fail(p, at, "expected bytes, such as hex(\"01 02\"), found %s", build_expression_kind(&value));
    return value;
}

char *build_expression_text(build_parser *p)
{
    const build_token *at = p->at;
    if (at->kind != BUILD_TOKEN_STRING)
        build_parser_expected(p, "a string");
    const build_value text = build_interpolate_string(p, p->at++);
    if (memchr(text.bytes, '\0', text.size) != NULL)
        build_parser_fail(p, at, "expected a string without \\x00, found one in it");
    return (char *)text.bytes;
}
