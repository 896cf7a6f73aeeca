/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether the second of two decodes of the same bytes reports at least as much as it must. Called by
 * limit_comparison.c and fuzz_json.
 */
#include "decode_comparison.h"

#include <string.h>

void oracle_limits(oracle_watch *oracle, const oracle_yield *less, const oracle_yield *more)
{
    const bool same_buffer = less->offset == more->offset && less->size == more->size;
    if (same_buffer && (more->events < less->events || more->bytes < less->bytes))
        oracle_break(oracle, ORACLE_PROMISE_LIMITS, more->offset);
}

/* --strict can change a verdict only to damaged. */
void oracle_strict(oracle_watch *oracle, const char *lenient, const char *strict)
{
    const bool same = strcmp(lenient, strict) == 0;
    const bool worse = strcmp(strict, "damaged") == 0 && strcmp(lenient, "not-etl") != 0;
    if (!same && !worse)
        oracle_break(oracle, ORACLE_PROMISE_STRICT, 0);
}
