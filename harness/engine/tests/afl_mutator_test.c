/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared object that AFL++ loads, driven as AFL++ drives it.
 *
 *     afl_mutator_test LIBRARY
 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim_trace.h"
#include "test.h"

enum { CALLS = 300, MOST = 0x20000 };

static struct {
    void *(*init)(void *afl, unsigned seed);
    void (*deinit)(void *state);
    size_t (*fuzz)(void *state, uint8_t *in, size_t size, uint8_t **out, uint8_t *other, size_t other_size, size_t most);
    const char *(*describe)(void *state, size_t most);
    int32_t (*init_trim)(void *state, uint8_t *in, size_t size);
    size_t (*trim)(void *state, uint8_t **candidate);
    int32_t (*post_trim)(void *state, uint8_t holds);
} abi;

/* ISO C has no cast from an object pointer to a function pointer; POSIX guarantees that the bytes are the same. */
static void find(void *library, const char *name, void *function)
{
    void *at = dlsym(library, name);
    if (at == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    memcpy(function, &at, sizeof at);
}

/* RTLD_NOW, as in AFL++, fails at once if a symbol is missing. */
static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    find(library, "afl_custom_init", &abi.init);
    find(library, "afl_custom_deinit", &abi.deinit);
    find(library, "afl_custom_fuzz", &abi.fuzz);
    find(library, "afl_custom_describe", &abi.describe);
    find(library, "afl_custom_init_trim", &abi.init_trim);
    find(library, "afl_custom_trim", &abi.trim);
    find(library, "afl_custom_post_trim", &abi.post_trim);
}

static void check_description(void *state, size_t most)
{
    const char *text = abi.describe(state, most);
    CHECK(text != NULL && strlen(text) <= most && strlen(text) < 64);
    CHECK(most == 0 || text[0] != '\0');
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            CHECK(isalnum((unsigned char)*text));
}

/* A sum of all mutants that a state with this seed gives. */
static uint64_t fuzz(build_chunk *file, build_chunk *other, unsigned seed, size_t *changed, size_t *crossed)
{
    uint64_t sum = 0;
    void *state = abi.init(NULL, seed);
    for (int i = 0; i < CALLS; i++) {
        uint8_t *out = NULL;
        const size_t most = i % 4 == 0 ? file->size : MOST;
        const size_t size = abi.fuzz(state, file->at, file->size, &out, i % 2 ? other->at : NULL, other->size, most);
        CHECK(out != NULL && size != 0 && size <= most);
        for (size_t j = 0; j < size; j++)
            sum = sum * 31 + out[j];
        *changed += size != file->size || memcmp(out, file->at, size) != 0;
        *crossed += strstr(abi.describe(state, 63), "other") != NULL;
        check_description(state, (size_t)i % 80);
    }
    abi.deinit(state);
    return sum;
}

static void test_fuzz(void)
{
    build_chunk file = make_trace(false, false), other = make_trace(true, true), before = {0};
    size_t changed = 0, crossed = 0, ignored = 0;
    build_chunk_add(&before, file.at, file.size);
    const uint64_t sum = fuzz(&file, &other, 7, &changed, &crossed);
    printf("%d calls: %zu changed, %zu crossed with the other\n", CALLS, changed, crossed);
    CHECK(changed > CALLS * 9 / 10);
    CHECK(crossed > CALLS / 30 && crossed < CALLS / 2);
    CHECK(sum == fuzz(&file, &other, 7, &ignored, &ignored));
    CHECK(sum != fuzz(&file, &other, 8, &ignored, &ignored));
    CHECK_BYTES(before.at, file.at, file.size);
    build_chunk_free(&before);
    build_chunk_free(&other);
    build_chunk_free(&file);
}

/* Trims as AFL++ does: post_trim returns the next step; trimming ends at the last. */
static void test_trim(void)
{
    build_chunk file = make_trace(true, false), held = {0};
    void *state = abi.init(NULL, 1);
    const int32_t steps = abi.init_trim(state, file.at, file.size);
    int32_t step = 0, runs = 0;
    build_chunk_add(&held, file.at, file.size);
    CHECK(steps > 0);
    while (step < steps && runs <= steps) {
        uint8_t *candidate = NULL;
        const size_t size = abi.trim(state, &candidate);
        CHECK(candidate != NULL && size != 0 && size <= held.size);
        const bool holds = has_size_0(candidate, size);
        if (holds) {
            held.size = 0;
            build_chunk_add(&held, candidate, size);
        }
        step = abi.post_trim(state, holds);
        CHECK(step == ++runs || step == steps);
    }
    printf("trim: %zu -> %zu bytes in %" PRIi32 " steps of %" PRIi32 "\n", file.size, held.size, runs, steps);
    CHECK(held.size <= 512);
    CHECK(runs < steps);
    CHECK_INT(0, abi.init_trim(state, file.at, 0));
    abi.deinit(state);
    build_chunk_free(&held);
    build_chunk_free(&file);
}

/* Trimming stops where AFL++'s own would. */
static void test_trim_bound(void)
{
    build_chunk file = make_trace(false, false);
    void *state = abi.init(NULL, 1);
    const int32_t steps = abi.init_trim(state, file.at, file.size);
    int32_t step = 0, runs = 0;
    for (; step < steps; runs++) {
        uint8_t *candidate = NULL;
        abi.trim(state, &candidate);
        step = abi.post_trim(state, 0);
    }
    CHECK(runs <= 2000);
    abi.deinit(state);
    build_chunk_free(&file);
}

/* Exit status of a process with `input` as its ETLPROOF_INPUT. */
static int in_environment(const char *input)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ETLPROOF_INPUT", input, 1);
        abi.deinit(abi.init(NULL, 1));
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
        return 64;
    }
    load(argv[1]);
    CHECK_INT(0, in_environment("event"));
    CHECK_INT(0, in_environment("STREAM"));
    CHECK_INT(64, in_environment("events"));
    CHECK_INT(64, in_environment(""));
    unsetenv("ETLPROOF_INPUT");
    test_fuzz();
    test_trim();
    test_trim_bound();
    return test_result();
}
