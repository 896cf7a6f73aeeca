/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mode --trim of a fuzz target without an engine: makes an input smaller while the target fails on it in the same
 * way.
 */
#ifndef ETLPROOF_MINIMISE_TARGET_COMMAND_H
#define ETLPROOF_MINIMISE_TARGET_COMMAND_H

#include "attempt.h"

/* `kind` is what the target takes, a name of inputs.def; `argv` is that of the program, with --trim in it. Returns the
   exit status. */
int minimise_target_command(const char *kind, minimise_target *target, char **argv);

#endif
