/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracles over two decodes of the same bytes: each holds for a small example, and fires when that is spoiled.
 */
#include "limits.h"

#include <stdio.h>

#include "oracle.h"
#include "oracle_test.h"

#define SIZE 100u
#define HOLDS ETL_PROMISE_COUNT

static void judge(const etl_oracle *oracle, const char *what, etl_promise promise, bool fired[ETL_PROMISE_COUNT])
{
    say(oracle->broken == promise, what);
    if (oracle->broken != promise)
        printf("# expected %s, got %s\n", etl_promise_name(promise), etl_promise_name(oracle->broken));
    if (oracle->broken < ETL_PROMISE_COUNT)
        fired[oracle->broken] = true;
}

static void judge_limits(bool fired[ETL_PROMISE_COUNT])
{
    static const struct {
        const char *what;
        etl_promise promise;
        etl_yield less, more;
    } pairs[] = {
        {"the same of a buffer", HOLDS, {0, 80, 3, 60}, {0, 80, 3, 60}},
        {"more of a buffer by larger limits", HOLDS, {0, 80, 0, 0}, {0, 80, 3, 60}},
        {"other buffers", HOLDS, {0, 80, 3, 60}, {0, 72, 0, 0}},
        {"a buffer elsewhere", HOLDS, {0, 80, 3, 60}, {8, 80, 0, 0}},
        {"an event less by larger limits", ETL_PROMISE_LIMITS, {0, 80, 3, 60}, {0, 80, 2, 60}},
        {"a byte less by larger limits", ETL_PROMISE_LIMITS, {0, 80, 3, 60}, {0, 80, 3, 59}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        etl_oracle oracle;
        etl_oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        etl_oracle_limits(&oracle, &pairs[i].less, &pairs[i].more);
        judge(&oracle, pairs[i].what, pairs[i].promise, fired);
    }
}

static void judge_strict(bool fired[ETL_PROMISE_COUNT])
{
    static const struct {
        const char *what;
        etl_promise promise;
        const char *lenient, *strict;
    } pairs[] = {
        {"conforming to strict eyes too", HOLDS, "conforming", "conforming"},
        {"a warning that strict eyes see", HOLDS, "conforming", "damaged"},
        {"a limit and a warning", HOLDS, "limit", "damaged"},
        {"damage that strict eyes do not see", ETL_PROMISE_STRICT, "damaged", "conforming"},
        {"a limit that strict eyes do not see", ETL_PROMISE_STRICT, "limit", "conforming"},
        {"a file that is one to strict eyes only", ETL_PROMISE_STRICT, "not-etl", "damaged"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        etl_oracle oracle;
        etl_oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        etl_oracle_strict(&oracle, pairs[i].lenient, pairs[i].strict);
        judge(&oracle, pairs[i].what, pairs[i].promise, fired);
    }
}

void test_limits(bool fired[ETL_PROMISE_COUNT])
{
    judge_limits(fired);
    judge_strict(fired);
}
