/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative tests of targets: what a target calls is spoiled in one way at a time, and the target has to say so and end.
 * The linker puts the functions written with WRAP in front of those that they are named after (--wrap).
 */
#ifndef ETLPROOF_SPOIL_H
#define ETLPROOF_SPOIL_H

#include <stddef.h>

/* A way to spoil what is called, from 1 on: tried in `target`, which has to say `message`. */
typedef struct spoil_row {
    unsigned way;
    const char *what, *target, *message;
} spoil_row;

/* The way that is tried; 0: none. */
extern unsigned spoil;

/* WRAP(type, name, (parameters)): the function itself and the one in front of it, whose body follows. */
#define WRAP(type, name, parameters) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters

/*
 * Tries each row of the target in a process of its own, by `run`. Prints TAP from test 2 on: the caller has printed test 1,
 * where nothing is spoiled. Returns the exit status.
 */
int spoil_all(const spoil_row *rows, size_t count, const char *target, void (*run)(void));

#endif
