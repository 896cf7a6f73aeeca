/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the first broken promise. Called by every oracle.
 */
#include "promise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *oracle_promise_name(oracle_promise promise)
{
    static const char *const names[] = {
#define ORACLE_ROW(name, text, promise) text,
        ORACLE_ORACLES(ORACLE_ROW)
#undef ORACLE_ROW
    };
    return promise < ORACLE_PROMISE_COUNT ? names[promise] : "none";
}

const char *oracle_promise_text(oracle_promise promise)
{
    static const char *const texts[] = {
#define ORACLE_ROW(name, text, promise) promise,
        ORACLE_ORACLES(ORACLE_ROW)
#undef ORACLE_ROW
    };
    return promise < ORACLE_PROMISE_COUNT ? texts[promise] : "no promise is broken";
}

const char *oracle_failed_condition = "";

/* The sanitizers', where one is linked in. */
void __sanitizer_print_stack_trace(void) __attribute__((weak));

/* Not inlined: readers of the stack skip two frames, this function's and its caller's. */
__attribute__((noinline)) void oracle_print_stack(void)
{
    if (__sanitizer_print_stack_trace && getenv("ETLPROOF_STACK")) {
        fputs("a broken promise is noticed here:\n", stderr);
        __sanitizer_print_stack_trace();
    }
}

bool oracle_break(oracle_watch *oracle, oracle_promise promise, uint64_t offset)
{
    if (oracle->broken == ORACLE_PROMISE_COUNT) {
        oracle->broken = promise;
        oracle->broken_at = offset;
        oracle->failed_condition = oracle_failed_condition;
        oracle_failed_condition = "";
        oracle_print_stack();
    }
    return false;
}

void oracle_mix(oracle_watch *oracle, uint64_t value)
{
    uint64_t h = (oracle->hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    oracle->hash = h ^ h >> 32;
}

void oracle_mix_bytes(oracle_watch *oracle, etl_span bytes)
{
    if (!oracle->deep)
        return;
    size_t at = 0;
    for (; bytes.size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes.at + at, sizeof word);
        oracle_mix(oracle, word);
    }
    for (; at < bytes.size; at++)
        oracle_mix(oracle, bytes.at[at]);
}
