/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on an input in a child of this process, within limits, and reports how it failed. A fork is much
 * cheaper than a new process, and most inputs need none: after an input that did not fail, the child takes the next.
 */
#ifndef ETLPROOF_MINIMISE_ATTEMPT_H
#define ETLPROOF_MINIMISE_ATTEMPT_H

#include <sys/types.h>

#include "failure.h"

/* A fuzz target: LLVMFuzzerTestOneInput. A failure ends the process. */
typedef int minimise_target(const uint8_t *data, size_t size);

typedef struct minimise_attempt_child {
    minimise_target *target;
    double seconds;   /* limit on the processor time of a run */
    size_t memory;    /* limit in bytes */
    bool leaks;       /* look for leaks if nothing else fails */
    int said;         /* a file for the output of runs */
    char *text;       /* output of the last run */
    pid_t child;      /* 0 if there is none */
    int orders, answers; /* pipes: sizes of inputs to run, and a byte for each input that did not fail */
    unsigned long runs;  /* of this child, or of the last */
    uint8_t *input;   /* the input, in memory that is shared with the child */
    size_t capacity;  /* of `input` */
} minimise_attempt_child;

/* False, with errno set, without the file or memory. */
bool minimise_attempt_open(minimise_attempt_child *attempts, minimise_target *target, double seconds, size_t memory);
void minimise_attempt_close(minimise_attempt_child *attempts);

/* Runs the target on the input. False, with errno set, if no child can be started. */
bool minimise_attempt(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure);
/* The same in a child that runs nothing else. */
bool minimise_attempt_alone(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure);

/*
 * Restarts the program, once, with sanitizers that print stacks without names, which is much faster. Sanitizers read their
 * options only at the start.
 */
void minimise_attempt_prepare(char **argv);

#endif
