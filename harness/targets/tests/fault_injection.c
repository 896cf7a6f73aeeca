/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "fault_injection.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned injected_fault;

/* What the process prints before it ends. */
static void read_all(int end, char *text, size_t capacity)
{
    size_t size = 0;
    ssize_t got;
    while (size < capacity - 1 && (got = read(end, text + size, capacity - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = 0;
}

/* Runs with the fault in a process of its own; true if the process ends with the message. */
static bool is_caught(const fault_row *row, void (*run)(void))
{
    int ends[2], status = 0;
    char text[4096];
    if (pipe(ends) != 0)
        abort();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        injected_fault = row->way;
        run();
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    const bool caught = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, row->message) != NULL;
    if (!caught)
        printf("# expected: %s, got status %d: %s\n", row->message, status, text);
    return caught;
}

int fault_test_all(const fault_row *rows, size_t count, const char *target, void (*run)(void))
{
    unsigned number = 1, failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].target, target) != 0)
            continue;
        const bool caught = is_caught(&rows[i], run);
        printf("%sok %u - %s\n", caught ? "" : "not ", ++number, rows[i].what);
        failed += !caught;
    }
    printf("1..%u\n", number);
    return number == 1 || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
