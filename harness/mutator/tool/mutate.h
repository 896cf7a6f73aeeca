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

/* Exit codes, part of the contract with scripts; those of `etlproof`. */
typedef enum exit_code {
    DONE = 0,
    NOT_SHOWN = 1, /* --trim: the command does not show with the whole input what it is asked to keep */
    USAGE = 64,
    INPUT = 66,    /* cannot read, or cannot run the command */
    INTERNAL = 70, /* no memory: heap.h */
    OUTPUT = 74
} exit_code;

typedef struct options {
    const char *output, *cross;
    etl_input input;
    uint64_t seed, count, most; /* most: 0 leaves it to the size of the input */
    uint64_t exit, timeout;     /* of the command; timeout in seconds */
    bool has_seed, has_count, has_most, has_exit, has_timeout;
    bool describe, trim, help;
    char **inputs;
    size_t input_count;
    char **command;             /* NULL without --trim */
} options;

/* trimming.c: makes the one input smaller. */
exit_code run_trim(const options *o);

#endif
