/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative tests of targets: a function that the target calls is made faulty in one way at a time, and the target must
 * fail by the right oracle. The linker puts the functions written with WRAP in front of those that they are named after
 * (--wrap).
 */
#ifndef ETLPROOF_TEST_TARGETS_FAULT_INJECTION_H
#define ETLPROOF_TEST_TARGETS_FAULT_INJECTION_H

#include <stddef.h>

/* A fault, counted from 1: it is injected into `target`, which must print `message`. */
typedef struct fault_row {
    unsigned way;
    const char *what, *target, *message;
} fault_row;

/* The fault that is injected; 0: none. */
extern unsigned injected_fault;

/* WRAP(type, name, (parameters)): the function itself and the one in front of it, whose body follows. */
#define WRAP(type, name, parameters) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters

/*
 * Runs `run` for each row of the target in a process of its own. Prints TAP from test 2 on: the caller has printed test 1,
 * without a fault. Returns the exit status.
 */
int fault_test_all(const fault_row *rows, size_t count, const char *target, void (*run)(void));

#endif
