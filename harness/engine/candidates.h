/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates of a minimisation, which the program etlproof-minimiser makes. Where that ends too early or hangs, as it
 * may on an input that shows a bug of the decoder, another goes on from the best that held, without structure.
 */
#ifndef ETLPROOF_CANDIDATES_H
#define ETLPROOF_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct minimise_candidates {
    const char *program, *kind;
    char searches[24]; /* a number, as text */
    pid_t process;
    int to, from;      /* pipes */
    bool is_plain;     /* without structure */
    uint8_t *at;       /* the candidate */
    uint8_t *held;     /* the best that held */
    size_t size, held_size, most; /* most: what the input had */
} minimise_candidates;

/* Starts the program. False, with errno set, if it cannot be started. SIGPIPE has to be ignored.
   `searches` is how many candidates by chance may bring nothing before there are no more. */
bool minimise_candidates_open(minimise_candidates *candidates, const char *program, const char *kind,
                              unsigned long searches, const uint8_t *in, size_t size);
void minimise_candidates_close(minimise_candidates *candidates);

/* The next, in `at` and `size`. False if there is none. */
bool minimise_candidates_next(minimise_candidates *candidates);
/* Whether it is better than all that held before. */
bool minimise_candidates_is_better(const minimise_candidates *candidates);
/* Whether it holds. */
void minimise_candidates_tell(minimise_candidates *candidates, bool holds);

#endif
