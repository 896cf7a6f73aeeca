/* SPDX-License-Identifier: Apache-2.0 */
#include "limits.h"

#include <string.h>

bool etl_oracle_limits(etl_oracle *oracle, const etl_yield *less, const etl_yield *more)
{
    if (less->offset != more->offset || less->size != more->size)
        return true;
    if (more->events < less->events || more->bytes < less->bytes)
        return etl_oracle_break(oracle, ETL_PROMISE_LIMITS, more->offset);
    return true;
}

/* A strict reader can only turn what is no damage into damage. */
bool etl_oracle_strict(etl_oracle *oracle, const char *lenient, const char *strict)
{
    const bool same = strcmp(lenient, strict) == 0;
    const bool worse = strcmp(strict, "damaged") == 0 && strcmp(lenient, "not-etl") != 0;
    return same || worse || etl_oracle_break(oracle, ETL_PROMISE_STRICT, 0);
}
