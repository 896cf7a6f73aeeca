/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target: one function, with the name that libFuzzer expects, that every engine here calls.
 */
#ifndef ETLPROOF_ENGINE_TARGET_H
#define ETLPROOF_ENGINE_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Runs the target on one input. Returns 0; a failure ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same on a copy of exactly the input's size, so that a sanitizer sees every read past it. */
int engine_run_copy(const uint8_t *data, size_t size);

/*
 * Runs the target on each file of the arguments, and on each file in those that are directories, `repeat` times in a row.
 * Returns the exit status.
 */
int engine_replay(int count, char **paths, unsigned long repeat);

#endif
