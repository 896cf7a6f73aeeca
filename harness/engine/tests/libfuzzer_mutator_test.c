/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutator as libFuzzer calls it, with a stand-in for libFuzzer's own mutation that records its calls.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim_trace.h"
#include "test.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t most, unsigned seed);

enum { CALLS = 400, OWN_BYTE = 0xD7 };

static size_t own_calls;

/* Replaces the input by one byte. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    (void)size;
    own_calls++;
    if (most == 0)
        return 0;
    data[0] = OWN_BYTE;
    return 1;
}

/* One mutation in memory of exactly `most` bytes, so that a sanitizer detects a write past them. The caller frees the
   result. */
static uint8_t *mutate(const build_chunk *file, size_t most, unsigned seed, size_t *size)
{
    uint8_t *data = malloc(most ? most : 1);
    *size = file->size < most ? file->size : most;
    if (*size != 0)
        memcpy(data, file->at, *size);
    *size = LLVMFuzzerCustomMutator(data, *size, most, seed);
    CHECK(*size <= most);
    return data;
}

static bool is_same(const build_chunk *file, const uint8_t *at, size_t size)
{
    return size == file->size && memcmp(file->at, at, size) == 0;
}

static void test_mutations(const build_chunk *file)
{
    size_t own = 0, changed = 0, readable = 0, size, again_size;
    for (unsigned seed = 0; seed < CALLS; seed++) {
        const size_t most = seed % 3 == 0 ? file->size : 2 * file->size;
        own_calls = 0;
        uint8_t *data = mutate(file, most, seed, &size);
        own += own_calls;
        changed += !is_same(file, data, size);
        readable += own_calls == 0 && decode(data, size).events > 1;
        uint8_t *again = mutate(file, most, seed, &again_size);
        CHECK_UINT(size, again_size);
        CHECK(size != again_size || memcmp(data, again, size) == 0);
        free(data);
        free(again);
    }
    printf("%d calls: %zu to libFuzzer's own, %zu changed, %zu still a trace\n", CALLS, own, changed, readable);
    CHECK(own > CALLS / 5 && own < CALLS / 2);
    CHECK(changed > CALLS * 9 / 10);
    CHECK(readable > (CALLS - own) / 2);
}

static void test_edges(const build_chunk *file)
{
    const build_chunk empty = {0};
    size_t size;
    for (unsigned seed = 0; seed < CALLS; seed++) {
        free(mutate(file, 1, seed, &size));
        CHECK_UINT(1, size);
        free(mutate(&empty, 64, seed, &size));
        CHECK(size > 0);
    }
}

static void test_crossings(const build_chunk *file, const build_chunk *other)
{
    size_t crossed = 0, changed = 0;
    uint8_t *out = malloc(file->size);
    own_calls = 0;
    for (unsigned seed = 0; seed < CALLS; seed++) {
        const size_t size = LLVMFuzzerCustomCrossOver(file->at, file->size, other->at, other->size, out, file->size, seed);
        CHECK(size <= file->size);
        crossed += size != 0;
        changed += size != 0 && !is_same(file, out, size);
    }
    printf("%d calls: %zu crossings, %zu of them changed\n", CALLS, crossed, changed);
    CHECK(crossed > CALLS / 8 && crossed < CALLS / 2);
    CHECK(changed > crossed * 3 / 4);
    CHECK_UINT(0, own_calls);
    free(out);
}

static void test_off(const build_chunk *file, const build_chunk *other)
{
    uint8_t out[1];
    size_t size;
    own_calls = 0;
    for (unsigned seed = 0; seed < CALLS; seed++) {
        uint8_t *data = mutate(file, file->size, seed, &size);
        CHECK_UINT(1, size);
        CHECK_UINT(OWN_BYTE, data[0]);
        CHECK_UINT(0, LLVMFuzzerCustomCrossOver(file->at, file->size, other->at, other->size, out, 1, seed));
        free(data);
    }
    CHECK_UINT(CALLS, own_calls);
}

/* The environment is read once in a process. Runs a process that has it, and returns its exit status. */
static int in_environment(const char *state, const build_chunk *file, const build_chunk *other)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ETLPROOF_MUTATOR", state, 1);
        test_checks = test_failures = 0;
        test_off(file, other);
        _exit(test_result());
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    build_chunk file = make_trace(false, false), other = make_trace(true, true);
    CHECK_INT(0, in_environment("off", &file, &other));
    CHECK_INT(64, in_environment("of", &file, &other));
    unsetenv("ETLPROOF_MUTATOR");
    test_mutations(&file);
    test_edges(&file);
    test_crossings(&file, &other);
    build_chunk_free(&file);
    build_chunk_free(&other);
    return test_result();
}
