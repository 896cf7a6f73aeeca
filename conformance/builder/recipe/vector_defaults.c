/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `source`, `rule`, `metadata` and `level` into the defaults of the parser. Called for blocks of a recipe and for
 * the body of a vector.
 */
#include "recipe/vector_defaults.h"

#include "recipe/expression.h"
#include "recipe/format_names.h"

bool build_vector_default(build_parser *p)
{
    if (build_parser_take(p, "source")) {
        p->defaults.source = build_expression_text(p);
    } else if (build_parser_take(p, "rule")) {
        p->defaults.rule = build_format_name_rule(p);
    } else if (build_parser_take(p, "metadata")) {
        p->defaults.metadata = build_format_name_metadata(p);
    } else if (build_parser_take(p, "level")) {
        p->defaults.must = build_parser_is(p, "must");
        if (!build_parser_take(p, "must") && !build_parser_take(p, "should"))
            build_parser_expected(p, "\"must\" or \"should\"");
    } else {
        return false;
    }
    return true;
}
