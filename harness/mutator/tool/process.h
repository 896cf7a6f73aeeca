/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a command, on systems of either family.
 */
#ifndef ETLPROOF_MUTATE_PROCESS_H
#define ETLPROOF_MUTATE_PROCESS_H

#include <stdbool.h>

/* Exit status of a command that took too long. */
#define PROCESS_TIMEOUT 124

/*
 * Runs a command, without input and with its output thrown away, and gives its exit status: what it exits with; 128 and the
 * number of the signal that ends it; PROCESS_TIMEOUT if it is ended after `seconds`. Windows: what the system says.
 * POSIX: what it started is ended with it, however it ends, and so is all of it before a signal ends this process.
 * False, with a message on standard error, if it cannot be run.
 */
bool process_run(char **command, unsigned seconds, unsigned long *status);

#endif
