/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a run failed: the kind of failure and the innermost frames of our own code, from its output and its end. Frames
 * are addresses, which needs no symbolizer; runs that are forks of one process have the same addresses.
 */
#ifndef ETLPROOF_MINIMISE_FAILURE_H
#define ETLPROOF_MINIMISE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MINIMISE_FAILURE_FRAMES = 8, MINIMISE_FAILURE_KIND = 200 };

/* Signals with which a failing program ends. */
#define MINIMISE_FAILURE_SIGNALS {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}

typedef struct minimise_failure {
    bool failed, timed_out;
    char kind[MINIMISE_FAILURE_KIND]; /* "oracle tiling", "heap-buffer-overflow READ", "signal 11", "timeout", ... */
    uintptr_t frames[MINIMISE_FAILURE_FRAMES]; /* of ours, the innermost first */
    size_t count;
} minimise_failure;

/* How a run ended. */
typedef struct minimise_end {
    bool timed_out, out_of_memory;
    int signal; /* that ended it, or 0 */
    int status; /* exit status, if no signal did */
} minimise_end;

minimise_failure minimise_failure_read(const char *text, minimise_end end);

/* Whether both are of one kind, and agree in as many innermost frames: in the same functions or, if strict, at the same
   addresses. An unrolled loop has several addresses; functions that are merged have one name. */
bool minimise_failure_same(const minimise_failure *one, const minimise_failure *other, size_t frames, bool strict);

/* The kind and the function, for messages. Cut off to `most` bytes. */
void minimise_failure_text(const minimise_failure *failure, char *text, size_t most);

#endif
