/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `source`, `rule` and `level` to the defaults of the parser. Called for blocks of a recipe and for the body of a vector.
 */
#include "recipe/vector_defaults.h"

#include "recipe/expression.h"
#include "recipe/format_names.h"

bool build_vector_default(build_parser *r)
{
    if (build_parser_take(r, "source")) {
        r->defaults.source = build_expression_text(r);
    } else if (build_parser_take(r, "rule")) {
        r->defaults.rule = build_format_name_rule(r);
    } else if (build_parser_take(r, "level")) {
        r->defaults.must = build_parser_is(r, "must");
        if (!build_parser_take(r, "must") && !build_parser_take(r, "should"))
            build_parser_expected(r, "\"must\" or \"should\"");
    } else {
        return false;
    }
    return true;
}
