/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mode --trim of a target without an engine: makes an input smaller as long as the target fails on it in the same way.
 */
#ifndef ETLPROOF_TRIMMING_H
#define ETLPROOF_TRIMMING_H

/* `kind` is what the target takes, of input.h; `argv` that of the program, with --trim in it. Returns the exit status. */
int minimise_trimming(const char *kind, char **argv);

#endif
