/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimising loop: takes candidates from a source, asks a judge whether each still shows the failure, and keeps the
 * best in a file. target_command.c judges by the failure of a fuzz target, exit_status.c by the exit status of a command.
 */
#ifndef ETLPROOF_MINIMISE_H
#define ETLPROOF_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/command.h"

typedef struct minimise_source {
    void *self;
    /* The next candidate; 0 when there is none. Valid until the next call. */
    size_t (*next)(void *self, const uint8_t **candidate);
    /* Whether the last candidate, if it holds, is better than the one kept. NULL: every candidate is. */
    bool (*is_gain)(const void *self);
    void (*tell)(void *self, bool holds);
} minimise_source;

typedef struct minimise_judge {
    void *self;
    /* Whether the candidate still shows the failure. `is_gain`: it is kept if so. A code other than DONE ends the loop. */
    tool_exit (*holds)(void *self, const uint8_t *at, size_t size, bool is_gain, bool *holds);
    /* False ends the loop before the next candidate: time is up. NULL: there is no limit. */
    bool (*may_continue)(const void *self);
    void (*show_progress)(void *self, size_t kept_size);
} minimise_judge;

typedef struct minimise_job {
    minimise_source source;
    minimise_judge judge;
    const char *out; /* path; the file holds the best input so far, complete at any time */
    size_t size;     /* bytes of `out` */
} minimise_job;

/* Writes `out`: replaces the file, whole or not at all. False, after a message, if it cannot. */
bool minimise_keep(minimise_job *job, const uint8_t *at, size_t size);

/* Runs until the source has no more candidates, the judge ends the loop, or `out` cannot be written. */
tool_exit minimise_run(minimise_job *job);

#endif
