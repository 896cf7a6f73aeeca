/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the target on an input in a child of this process, within limits, and says how it failed. A fork takes a small part
 * of what a start takes; most inputs do not even take one, as the child goes on to the next where nothing failed.
 */
#ifndef ETLPROOF_ATTEMPT_H
#define ETLPROOF_ATTEMPT_H

#include <sys/types.h>

#include "failure.h"

typedef struct minimise_attempts {
    double seconds;   /* of processor time, that a run may take */
    size_t memory;    /* bytes that it may take */
    bool leaks;       /* looks for memory that was not given back, if nothing else fails */
    int said;         /* a file, for what is printed */
    char *text;       /* what the last run printed */
    pid_t child;      /* 0 if there is none */
    int orders, answers; /* pipes: sizes of inputs to run, and a byte for each that did not fail */
    unsigned long runs;  /* of this child, or of the last */
    uint8_t *input;   /* what is run, in memory that is shared with the child */
    size_t room;      /* of it */
} minimise_attempts;

/* False, with errno set, without the file or memory. */
bool minimise_attempts_open(minimise_attempts *attempts, double seconds, size_t memory);
void minimise_attempts_close(minimise_attempts *attempts);

/* False, with errno set, if there is no child to be had. */
bool minimise_attempt(minimise_attempts *attempts, const uint8_t *at, size_t size, minimise_failure *failure);
/* The same, in a child that has run nothing before, and leaves nothing behind for those after it. */
bool minimise_attempt_alone(minimise_attempts *attempts, const uint8_t *at, size_t size, minimise_failure *failure);

/*
 * Starts the program anew unless it was started so: with sanitizers that print stacks without names, which takes a small
 * part of the time. Their options are read at the start, and not again.
 */
void minimise_attempts_prepare(char **argv);

#endif
