/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on an input in a child of this process, within limits, and reports how it failed. A fork costs a small
 * part of what a new process costs, and most inputs need no fork: the child takes the next input where nothing failed.
 */
#ifndef ETLPROOF_MINIMISE_ATTEMPT_H
#define ETLPROOF_MINIMISE_ATTEMPT_H

#include <sys/types.h>

#include "failure.h"

/* A fuzz target: LLVMFuzzerTestOneInput. A failure ends the process. */
typedef int minimise_target(const uint8_t *data, size_t size);

typedef struct minimise_attempt_child {
    minimise_target *target;
    double seconds;   /* of processor time, that a run may take */
    size_t memory;    /* bytes that it may take */
    bool leaks;       /* looks for memory that was not given back, if nothing else fails */
    int said;         /* a file, for what is printed */
    char *text;       /* what the last run printed */
    pid_t child;      /* 0 if there is none */
    int orders, answers; /* pipes: sizes of inputs to run, and a byte for each that did not fail */
    unsigned long runs;  /* of this child, or of the last */
    uint8_t *input;   /* what is run, in memory that is shared with the child */
    size_t capacity;      /* of it */
} minimise_attempt_child;

/* False, with errno set, without the file or memory. */
bool minimise_attempt_open(minimise_attempt_child *attempts, minimise_target *target, double seconds, size_t memory);
void minimise_attempt_close(minimise_attempt_child *attempts);

/* False, with errno set, if there is no child to be had. */
bool minimise_attempt(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure);
/* The same, in a child that has run nothing before, and leaves nothing behind for those after it. */
bool minimise_attempt_alone(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure);

/*
 * Starts the program anew unless it was started so: with sanitizers that print stacks without names, which takes a small
 * part of the time. Their options are read at the start, and not again.
 */
void minimise_attempt_prepare(char **argv);

#endif
