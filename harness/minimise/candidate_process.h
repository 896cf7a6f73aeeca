/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates of a minimisation, from the program etlproof-minimiser (candidate_program.c) over pipes. If the
 * program ends too early or hangs, as an input that shows a bug of the decoder may cause, a second process continues
 * from the best candidate that held, without structure.
 */
#ifndef ETLPROOF_MINIMISE_CANDIDATE_PROCESS_H
#define ETLPROOF_MINIMISE_CANDIDATE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "minimise.h"

typedef struct minimise_candidate_process {
    const char *program, *kind;
    char searches[24]; /* a number, as text */
    pid_t process;
    int to, from;      /* pipes */
    bool is_plain;     /* without structure */
    uint8_t *at;       /* the candidate */
    uint8_t *held;     /* the best candidate that held */
    size_t size, held_size, most; /* size of the input, the largest possible */
} minimise_candidate_process;

/* Starts the program. False, with errno set, if it cannot be started. SIGPIPE has to be ignored.
   `searches` is how many random candidates may fail in a row before the search ends. */
bool minimise_candidate_process_open(minimise_candidate_process *candidates, const char *program, const char *kind,
                                     unsigned long searches, const uint8_t *in, size_t size);
void minimise_candidate_process_close(minimise_candidate_process *candidates);

/* The candidates, for the loop. A gain is simpler (simpler.h) than all candidates that held before. */
minimise_source minimise_candidate_process_source(minimise_candidate_process *candidates);

#endif
