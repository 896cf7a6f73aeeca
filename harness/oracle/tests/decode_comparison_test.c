/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over two decodes of the same bytes: each passes on a small example, and fails when a result is
 * wrong.
 */
#include "decode_comparison.h"

#include <stdio.h>

#include "oracle.h"
#include "oracle_test.h"

#define SIZE 100u
#define HOLDS ORACLE_PROMISE_COUNT

static void judge(const oracle_watch *oracle, const char *what, oracle_promise promise, bool fired[ORACLE_PROMISE_COUNT])
{
    say(oracle->broken == promise && oracle->broken_at == 0, what);
    if (oracle->broken != promise)
        printf("# expected %s, got %s\n", oracle_promise_name(promise), oracle_promise_name(oracle->broken));
    if (oracle->broken < ORACLE_PROMISE_COUNT)
        fired[oracle->broken] = true;
}

static void judge_limits(bool fired[ORACLE_PROMISE_COUNT])
{
    static const struct {
        const char *what;
        oracle_promise promise;
        oracle_yield less, more;
    } pairs[] = {
        {"the same events of a buffer", HOLDS, {0, 80, 3, 60}, {0, 80, 3, 60}},
        {"more events of a buffer under larger limits", HOLDS, {0, 80, 0, 0}, {0, 80, 3, 60}},
        {"other buffers", HOLDS, {0, 80, 3, 60}, {0, 72, 0, 0}},
        {"a buffer at another offset", HOLDS, {0, 80, 3, 60}, {8, 80, 0, 0}},
        {"one event fewer under larger limits", ORACLE_PROMISE_LIMITS, {0, 80, 3, 60}, {0, 80, 2, 60}},
        {"one byte fewer under larger limits", ORACLE_PROMISE_LIMITS, {0, 80, 3, 60}, {0, 80, 3, 59}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        oracle_watch oracle;
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        oracle_limits(&oracle, &pairs[i].less, &pairs[i].more);
        judge(&oracle, pairs[i].what, pairs[i].promise, fired);
    }
}

static void judge_strict(bool fired[ORACLE_PROMISE_COUNT])
{
    static const struct {
        const char *what;
        oracle_promise promise;
        const char *lenient, *strict;
    } pairs[] = {
        {"conforming with and without --strict", HOLDS, "conforming", "conforming"},
        {"damaged with --strict, because of a warning", HOLDS, "conforming", "damaged"},
        {"limit without --strict, damaged with it", HOLDS, "limit", "damaged"},
        {"damaged only without --strict", ORACLE_PROMISE_STRICT, "damaged", "conforming"},
        {"limit only without --strict", ORACLE_PROMISE_STRICT, "limit", "conforming"},
        {"not-etl only without --strict", ORACLE_PROMISE_STRICT, "not-etl", "damaged"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        oracle_watch oracle;
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        oracle_strict(&oracle, pairs[i].lenient, pairs[i].strict);
        judge(&oracle, pairs[i].what, pairs[i].promise, fired);
    }
}

void test_limits(bool fired[ORACLE_PROMISE_COUNT])
{
    judge_limits(fired);
    judge_strict(fired);
}
