/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a run failed, told by what it printed and how it ended, so that two runs of one program can be compared: the kind,
 * and the innermost frames of our own as addresses, which takes no symbolizer. Runs that are forks of one process have the
 * same addresses.
 */
#ifndef ETLPROOF_FAILURE_H
#define ETLPROOF_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MINIMISE_FAILURE_FRAMES = 8, MINIMISE_FAILURE_KIND = 200 };

/* By which a program ends itself when it fails. */
#define MINIMISE_FAILURE_SIGNALS {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}

typedef struct minimise_failure {
    bool failed, timed_out;
    char kind[MINIMISE_FAILURE_KIND]; /* "oracle tiling", "heap-buffer-overflow READ", "signal 11", "timeout", ... */
    uintptr_t frames[MINIMISE_FAILURE_FRAMES]; /* of ours, the innermost first */
    size_t count;
} minimise_failure;

/* The end of a run besides what it printed. */
typedef struct minimise_end {
    bool timed_out, out_of_memory;
    int signal; /* that ended it, or 0 */
    int status; /* exit status, if none did */
} minimise_end;

minimise_failure minimise_failure_read(const char *text, minimise_end end);

/* The same kind, and the same innermost frames, so many of them: in the same functions, or, if strict, at the same
   addresses. A loop that the compiler unrolled fails at several; functions that it put into one fail in one. */
bool minimise_failure_same(const minimise_failure *one, const minimise_failure *other, size_t frames, bool strict);

/* For people: the kind, and the function. Cut to what `most` has room for. */
void minimise_failure_text(const minimise_failure *failure, char *text, size_t most);

#endif
