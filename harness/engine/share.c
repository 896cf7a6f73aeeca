/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which of the costly checks an input gets. Called by the targets that have such checks.
 */
#define _POSIX_C_SOURCE 200809L

#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_fuzzing;

static bool is_off(void)
{
    const char *state = getenv("ETLPROOF_SHARE");
    if (state == NULL || strcmp(state, "on") == 0)
        return false;
    if (strcmp(state, "off") == 0)
        return true;
    (void)fprintf(stderr, "etlproof: ETLPROOF_SHARE is %s; it has to be on or off\n", state);
    exit(64);
}

void engine_share_begin(bool fuzzing)
{
    is_fuzzing = fuzzing && !is_off();
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* All bits are mixed: an input that differs in one bit may be in any other share with equal probability. */
static uint64_t hash_of(etl_span input)
{
    size_t at = 0;
    uint64_t h = input.size;
    for (; input.size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, input.at + at, sizeof word);
        h = mix(h, word);
    }
    for (; at < input.size; at++)
        h = mix(h, input.at[at]);
    return mix(h, 0);
}

engine_share engine_share_of(etl_span input)
{
    return (engine_share){.all = !is_fuzzing, .hash = is_fuzzing ? hash_of(input) : 0};
}

bool engine_share_has(engine_share share, unsigned group, unsigned groups)
{
    return share.all || share.hash % groups == group;
}

/* libFuzzer takes an argument that starts with a dash for an option, and directories for corpora. */
static bool is_file(const char *argument)
{
    struct stat status;
    return argument[0] != '-' && stat(argument, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Whether the option makes libFuzzer run a corpus without fuzzing. It merges in a second process, which has such an option.
   */
static bool is_option_to_run(const char *argument)
{
    static const char merging[] = "-merge_inner=";
    return strcmp(argument, "-runs=0") == 0 || strncmp(argument, merging, sizeof merging - 1) == 0;
}

bool engine_share_is_fuzzing(int count, char *const *arguments)
{
    for (int i = 1; i < count; i++)
        if (is_file(arguments[i]) || is_option_to_run(arguments[i]))
            return false;
    return true;
}
