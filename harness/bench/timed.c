/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the cost of an execution in a libFuzzer session, from the end of one mutation to the start of the next.
 * Every other input is not passed to the target, which shows the cost of an empty target on the same inputs in the same
 * session. The linker puts these functions in front of those that they are named after (--wrap); the results are
 * printed at the end.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* libFuzzer's own mutation. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define MUTATOR (uint8_t *data, size_t size, size_t most, unsigned seed)
#define CROSSING \
    (const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out, size_t most, unsigned seed)
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t __real_LLVMFuzzerCustomMutator MUTATOR __attribute__((weak));
size_t __wrap_LLVMFuzzerCustomMutator MUTATOR;
size_t __real_LLVMFuzzerCustomCrossOver CROSSING __attribute__((weak));
size_t __wrap_LLVMFuzzerCustomCrossOver CROSSING;

/* Executions with the target and without: their number and nanoseconds. Wall-clock time: when the process has to wait,
   all parts are affected alike. */
static struct kind {
    uint64_t count, bytes, price;
} kinds[2];
static uint64_t in_target, in_mutation;
static uint64_t mutated; /* when the last mutation ended; 0 while the corpus is read */
static size_t size_now;
static bool executed, without; /* since the last mutation; the next without the target */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void say(void)
{
    const struct kind *with = &kinds[0], *none = &kinds[1];
    printf("timed: %ju executions of %ju bytes in %ju ns, of them %ju ns in the target; "
           "%ju without it of %ju bytes in %ju ns; %ju ns in mutation\n",
           (uintmax_t)with->count, (uintmax_t)with->bytes, (uintmax_t)with->price, (uintmax_t)in_target,
           (uintmax_t)none->count, (uintmax_t)none->bytes, (uintmax_t)none->price, (uintmax_t)in_mutation);
}

/* The start of a mutation. */
static uint64_t begin(void)
{
    const uint64_t at = now();
    if (mutated == 0)
        atexit(say);
    else if (executed) {
        struct kind *kind = &kinds[without];
        kind->count++;
        kind->bytes += size_now;
        kind->price += at - mutated;
        without = !without;
    }
    executed = false;
    return at;
}

static void end(uint64_t begun)
{
    mutated = now();
    in_mutation += mutated - begun;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (mutated == 0)
        return __real_LLVMFuzzerTestOneInput(data, size);
    executed = true;
    size_now = size;
    if (without)
        return 0;
    const uint64_t begun = now();
    const int status = __real_LLVMFuzzerTestOneInput(data, size);
    in_target += now() - begun;
    return status;
}

/* libFuzzer's own, where a target has none. */
size_t __wrap_LLVMFuzzerCustomMutator MUTATOR
{
    const uint64_t begun = begin();
    size = __real_LLVMFuzzerCustomMutator ? __real_LLVMFuzzerCustomMutator(data, size, most, seed)
                                          : LLVMFuzzerMutate(data, size, most);
    end(begun);
    return size;
}

/* 0 where a target has none: libFuzzer then mutates. */
size_t __wrap_LLVMFuzzerCustomCrossOver CROSSING
{
    const uint64_t begun = begin();
    size = __real_LLVMFuzzerCustomCrossOver
               ? __real_LLVMFuzzerCustomCrossOver(data, size, other, other_size, out, most, seed)
               : 0;
    end(begun);
    return size;
}
