/* SPDX-License-Identifier: Apache-2.0 */
#include "decode_comparison.h"

#include <string.h>

bool oracle_limits(oracle_watch *oracle, const oracle_yield *less, const oracle_yield *more)
{
    if (less->offset != more->offset || less->size != more->size)
        return true;
    if (more->events < less->events || more->bytes < less->bytes)
        return oracle_break(oracle, ORACLE_PROMISE_LIMITS, more->offset);
    return true;
}

/* A strict reader can only turn what is no damage into damage. */
bool oracle_strict(oracle_watch *oracle, const char *lenient, const char *strict)
{
    const bool same = strcmp(lenient, strict) == 0;
    const bool worse = strcmp(strict, "damaged") == 0 && strcmp(lenient, "not-etl") != 0;
    return same || worse || oracle_break(oracle, ORACLE_PROMISE_STRICT, 0);
}
