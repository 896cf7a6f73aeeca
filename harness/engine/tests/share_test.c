/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input gets all groups of checks where files are run, and one group while an engine fuzzes: always the same group
 * for the same input, and each group equally often.
 */
#define _POSIX_C_SOURCE 200809L

#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { INPUTS = 20000, PARTS_MOST = 5, SIZE_MOST = 61 };

/* Inputs of all sizes that differ little from one another. */
static etl_span make(unsigned number, uint8_t bytes[SIZE_MOST])
{
    const size_t size = sizeof number + number % (SIZE_MOST - sizeof number + 1);
    memset(bytes, 0, SIZE_MOST);
    for (size_t i = 0; i < sizeof number; i++)
        bytes[size - 1 - i] = (uint8_t)(number >> 8 * i);
    return (etl_span){bytes, size};
}

/* The group that the input gets; `parts` if it gets none or several. */
static unsigned part_of(etl_span input, unsigned parts)
{
    unsigned found = 0, part = parts;
    for (unsigned i = 0; i < parts; i++) {
        if (!engine_share_has(engine_share_of(input), i, parts))
            continue;
        part = i;
        found++;
    }
    return found == 1 ? part : parts;
}

static void test_files_get_all(void)
{
    uint8_t bytes[SIZE_MOST];
    bool all = true;
    for (unsigned n = 0; n < INPUTS; n++) {
        const engine_share share = engine_share_of(make(n, bytes));
        for (unsigned i = 0; i < PARTS_MOST; i++)
            all = all && engine_share_has(share, i, PARTS_MOST);
    }
    CHECK(all);
    CHECK(engine_share_has(engine_share_of((etl_span){NULL, 0}), 1, 2));
}

static void hold_share(unsigned parts)
{
    unsigned counts[PARTS_MOST] = {0}, wrong = 0, other = 0;
    uint8_t bytes[SIZE_MOST];
    for (unsigned n = 0; n < INPUTS; n++) {
        const etl_span input = make(n, bytes);
        const unsigned part = part_of(input, parts);
        wrong += part == parts || part_of(input, parts) != part;
        if (part < parts)
            counts[part]++;
        bytes[n % input.size] ^= (uint8_t)(1u << n % 8);
        other += part_of(input, parts) != part;
    }
    CHECK(wrong == 0);
    for (unsigned i = 0; i < parts; i++)
        CHECK(counts[i] > INPUTS / parts * 9 / 10 && counts[i] < INPUTS / parts * 11 / 10);
    /* Changing a bit gives a mutant another group in most cases. */
    const unsigned expected = INPUTS / parts * (parts - 1);
    CHECK(other > expected * 9 / 10 && other < expected * 11 / 10);
}

static void test_fuzzing_takes_turns(void)
{
    engine_share_begin(true);
    hold_share(2);
    hold_share(3);
    hold_share(ENGINE_SHARE);
    hold_share(PARTS_MOST);
    CHECK(part_of((etl_span){NULL, 0}, 2) < 2);
    engine_share_begin(false);
}

static void test_switched_off(void)
{
    setenv("ETLPROOF_SHARE", "off", 1);
    engine_share_begin(true);
    test_files_get_all();
    setenv("ETLPROOF_SHARE", "on", 1);
    test_fuzzing_takes_turns();
    unsetenv("ETLPROOF_SHARE");
}

static bool fuzzes(char *argument, char *other)
{
    char program[] = "fuzz_file";
    char *const arguments[] = {program, argument, other, NULL};
    return engine_share_is_fuzzing(other ? 3 : argument ? 2 : 1, arguments);
}

/* `file` is an existing file, not a directory. */
static void test_arguments(char *file)
{
    char folder[] = ".", missing[] = "no-such-folder", runs[] = "-runs=100", none[] = "-runs=0";
    char minimise[] = "-minimize_crash_internal_step=1", merge[] = "-merge_inner=1", cover[] = "-merge_inner=2";
    char forked[] = "-fork=1";
    CHECK(fuzzes(NULL, NULL));
    CHECK(fuzzes(folder, NULL));
    CHECK(fuzzes(runs, folder));
    CHECK(fuzzes(runs, missing));
    CHECK(!fuzzes(none, folder));
    CHECK(!fuzzes(file, NULL));
    CHECK(!fuzzes(runs, file));
    CHECK(!fuzzes(minimise, file));
    CHECK(!fuzzes(merge, folder));
    CHECK(!fuzzes(cover, folder));
    CHECK(fuzzes(forked, folder));
}

int main(int count, char **arguments)
{
    (void)count;
    test_files_get_all();
    test_fuzzing_takes_turns();
    test_switched_off();
    test_arguments(arguments[0]);
    test_files_get_all();
    return test_result();
}
