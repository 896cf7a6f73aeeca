/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and returns its exit status, on POSIX systems and on Windows.
 */
#ifndef ETLPROOF_MINIMISE_COMMAND_PROCESS_H
#define ETLPROOF_MINIMISE_COMMAND_PROCESS_H

#include <stdbool.h>

/* Exit status of a command that was ended after its time limit. */
#define MINIMISE_COMMAND_TIMEOUT 124

/*
 * Runs a command without input, discards its output, and gives its exit status; 128 plus the number of the signal that
 * ends it; MINIMISE_COMMAND_TIMEOUT if it is ended after `seconds`. On Windows, the status that the system reports. On
 * POSIX systems, all processes that the command started end with it, however it ends, and also before a signal ends
 * this process. False, with a message on standard error, if it cannot be run.
 */
bool minimise_command_run(char **command, unsigned seconds, unsigned long *status);

#endif
