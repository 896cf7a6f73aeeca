/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimising by exit status: makes an input smaller, by its structure, while a command exits with the same status as on
 * the whole input. Called by `etlproof mutate --trim`.
 */
#ifndef ETLPROOF_MINIMISE_EXIT_STATUS_H
#define ETLPROOF_MINIMISE_EXIT_STATUS_H

#include <stdbool.h>

#include "fuzz_input.h"
#include "io/command.h"

typedef struct minimise_exit_status {
    const char *in, *out; /* paths */
    input_kind input;
    char **command;       /* its arguments, NULL after the last; @@ in one stands for the file */
    unsigned seconds;     /* time limit of the command */
    bool has_wanted;      /* wanted is given; otherwise it is the exit status on the whole input */
    unsigned long wanted;
} minimise_exit_status;

/* TOOL_EXIT_DAMAGED, after a message, if the command does not exit with `wanted` on the whole input. */
tool_exit minimise_by_exit_status(const minimise_exit_status *request);

#endif
