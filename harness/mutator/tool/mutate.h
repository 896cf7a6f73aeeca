/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the command `etlproof-mutate` have in common.
 */
#ifndef ETLPROOF_MUTATE_H
#define ETLPROOF_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"
#include "io/command.h"

/* --trim: the command does not show with the whole input what it is asked to keep. */
#define EXIT_NOT_SHOWN TOOL_EXIT_DAMAGED

typedef struct options {
    const char *output, *cross;
    input_kind input;
    uint64_t seed, count, most; /* most: 0 leaves it to the size of the input */
    uint64_t exit, timeout;     /* of the command; timeout in seconds */
    bool has_seed, has_count, has_most, has_exit, has_timeout;
    bool describe, trim;
    char **inputs;
    size_t input_count;
    char **command;             /* what --trim runs; NULL if there is none */
} options;

/* The texts one after the other, in memory that the caller frees. */
char *join(const char *a, const char *b, const char *c);

/* trimming.c: makes the one input smaller. */
tool_exit run_trim(const options *o);

#endif
