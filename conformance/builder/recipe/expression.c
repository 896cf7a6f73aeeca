/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions. From the loosest to the tightest: ++, |, ^, &, << >>, + -, * / %, then the signs before a value.
 */
#include <string.h>

#include "reading.h"

enum { TIGHTEST = 6 };

static const struct {
    const char *sign;
    unsigned level;
} operators[] = {{"++", 0}, {"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                 {"+", 5},  {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}};

static etl_value binary(etl_reading *r, unsigned level);

static etl_value number_value(uint64_t number)
{
    const etl_value value = {.kind = ETL_VALUE_NUMBER, .number = number};
    return value;
}

/* A name: a variable, a table, a function, a node of the trace or a member of one, a member of the structure in memory. */
static etl_value named(etl_reading *r)
{
    const etl_token *name = r->at++;
    etl_value value;
    if (etl_reading_is(r, "(")) {
        if (etl_bytes_function(r, name, &value) || etl_places_function(r, name, &value))
            return value;
        etl_reading_expected_at(r, name, "a function");
    }
    const etl_variable *variable = etl_text_variable(r, name->text, name->size);
    if (variable && !etl_recipe_memory_names(r, &variable->value))
        return variable->value;
    if (!variable && etl_tables_has(name) && etl_reading_take(r, "."))
        return number_value(etl_tables_value(r, name, etl_reading_word(r, "a name of the table")));
    if (r->dump != NULL) {
        r->at = name;
        return number_value(etl_recipe_memory_path(r, r->dump).offset);
    }
    const etl_model_node node = etl_places_node(r, name);
    if (!etl_reading_is(r, "."))
        return etl_places_start(r, &node);
    const char *member;
    (void)etl_places_member(r, &node, &member, &value);
    return value;
}

static etl_value primary(etl_reading *r)
{
    const etl_token *at = r->at;
    etl_value value;
    if (at->kind == ETL_TOKEN_NUMBER) {
        r->at++;
        return number_value(at->number);
    }
    if (at->kind == ETL_TOKEN_STRING) {
        r->at++;
        return etl_text_string(r, at);
    }
    if (at->kind == ETL_TOKEN_WORD)
        return named(r);
    if (!etl_reading_take(r, "("))
        etl_reading_expected(r, "a value");
    etl_reading_enter(r, at);
    value = binary(r, 0);
    etl_reading_leave(r);
    etl_reading_need(r, ")");
    return value;
}

const char *etl_expression_kind(const etl_value *value)
{
    return value->kind == ETL_VALUE_NUMBER ? "a number" : value->kind == ETL_VALUE_TEXT ? "a text" : "bytes";
}

void etl_expression_need_number(etl_reading *r, const etl_token *at, const etl_value *value)
{
    if (value->kind != ETL_VALUE_NUMBER)
        etl_reading_fail(r, at, "expected a number, found %s", etl_expression_kind(value));
}

void etl_expression_need_fit(etl_reading *r, const etl_token *at, uint64_t number, size_t size)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * size);
    if (number > most && number < ~(most >> 1) && !r->skipping)
        etl_reading_fail(r, at, "expected a number of %zu byte%s, found a larger one", size, size == 1 ? "" : "s");
}

static etl_value unary(etl_reading *r)
{
    const etl_token *at = r->at;
    if (!etl_reading_is(r, "-") && !etl_reading_is(r, "~"))
        return primary(r);
    r->at++;
    etl_reading_enter(r, at);
    etl_value value = unary(r);
    etl_reading_leave(r);
    etl_expression_need_number(r, at + 1, &value);
    return number_value(etl_token_is(at, "-") ? 0 - value.number : ~value.number);
}

static uint64_t divide(etl_reading *r, const etl_token *at, uint64_t a, uint64_t b)
{
    if (b == 0 && !r->skipping)
        etl_reading_fail(r, at, "expected a divisor, found 0");
    if (b == 0)
        return 0;
    return etl_token_is(at, "/") ? a / b : a % b;
}

static uint64_t calculate(etl_reading *r, const etl_token *at, uint64_t a, uint64_t b)
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
    default: return divide(r, at, a, b);
    }
}

static etl_value join(etl_reading *r, const etl_token *at, const etl_value *a, const etl_value *b)
{
    if (a->kind == ETL_VALUE_NUMBER || b->kind == ETL_VALUE_NUMBER)
        etl_reading_fail(r, at, "expected bytes or texts on both sides of ++, found a number");
    const etl_value joined = etl_bytes_room(r, at, a->size + b->size);
    memcpy(joined.bytes, a->bytes, a->size);
    memcpy(joined.bytes + a->size, b->bytes, b->size);
    return joined;
}

/* A place and a number make a place; the distance of two places, and all else, is a number. */
static etl_value combine(etl_reading *r, const etl_token *at, const etl_value *a, const etl_value *b)
{
    if (etl_token_is(at, "++"))
        return join(r, at, a, b);
    etl_expression_need_number(r, at, a);
    etl_expression_need_number(r, at + 1, b);
    etl_value value = number_value(calculate(r, at, a->number, b->number));
    if (at->text[0] == '+' || (at->text[0] == '-' && b->inflated == NULL))
        value.inflated = a->inflated != NULL ? a->inflated : b->inflated;
    return value;
}

static bool has_operator(const etl_reading *r, unsigned level)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].level == level && etl_reading_is(r, operators[i].sign))
            return true;
    return false;
}

static etl_value binary(etl_reading *r, unsigned level)
{
    if (level > TIGHTEST)
        return unary(r);
    etl_value value = binary(r, level + 1);
    while (has_operator(r, level)) {
        const etl_token *at = r->at++;
        const etl_value right = binary(r, level + 1);
        value = combine(r, at, &value, &right);
    }
    return value;
}

etl_value etl_expression(etl_reading *r)
{
    return binary(r, 0);
}

uint64_t etl_expression_number(etl_reading *r)
{
    return etl_expression_place(r).offset;
}

uint64_t etl_expression_number_of(etl_reading *r, size_t size)
{
    const etl_token *at = r->at;
    const uint64_t number = etl_expression_number(r);
    etl_expression_need_fit(r, at, number, size);
    return number;
}

etl_place etl_expression_place(etl_reading *r)
{
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    etl_expression_need_number(r, at, &value);
    return (etl_place){value.inflated, value.number, etl_token_spot(at)};
}

/* A loop variable may hold a place of another copy of the trace, which has the buffer under the same name. */
static bool in_same_bytes(const etl_place *a, const etl_place *b)
{
    if (a->inflated == NULL || b->inflated == NULL)
        return a->inflated == b->inflated;
    return strcmp(a->inflated->name, b->inflated->name) == 0;
}

void etl_expression_places(etl_reading *r, etl_place *from, etl_place *to)
{
    *from = etl_expression_place(r);
    etl_reading_need(r, "..");
    const etl_token *at = r->at;
    *to = etl_expression_place(r);
    if (!r->skipping && (!in_same_bytes(from, to) || to->offset < from->offset))
        etl_reading_fail(r, at, "expected a place that is not before the first one, found another");
}

etl_value etl_expression_bytes(etl_reading *r)
{
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    if (value.kind != ETL_VALUE_BYTES)
        etl_reading_fail(r, at, "expected bytes, such as hex(\"01 02\"), found %s", etl_expression_kind(&value));
    return value;
}

char *etl_expression_text(etl_reading *r)
{
    const etl_token *at = r->at;
    if (at->kind != ETL_TOKEN_STRING)
        etl_reading_expected(r, "a string");
    const etl_value text = etl_text_string(r, r->at++);
    if (memchr(text.bytes, '\0', text.size) != NULL)
        etl_reading_fail(r, at, "expected a string without \\x00, found one in it");
    return (char *)text.bytes;
}
