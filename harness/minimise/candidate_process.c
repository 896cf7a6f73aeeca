/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes the candidates of the process etlproof-minimiser to the minimising loop. Called by target_command.c.
 */
#define _GNU_SOURCE /* prctl is not in POSIX */
#include "candidate_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "simpler.h"

/* Milliseconds to wait for a candidate; making one takes a small part of a second. */
enum { PATIENCE = 10 * 1000 };

static bool put(int to, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size != 0) {
        const ssize_t done = write(to, at, size);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool get(int from, void *bytes, size_t size)
{
    char *at = bytes;
    struct pollfd ready = {.fd = from, .events = POLLIN};
    while (size != 0) {
        const int count = poll(&ready, 1, PATIENCE);
        if (count < 0 && errno == EINTR)
            continue;
        const ssize_t done = count > 0 ? read(from, at, size) : -1;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

/* Runs in the child: never returns. A failure to start is sent through a pipe that a successful start closes. */
static void become(const minimise_candidate_process *c, int in, int out, int reasons)
{
    const char *const argv[] = {c->program, c->is_plain ? "text" : c->kind, c->searches, NULL};
    union {
        const char *const *given;
        char *const *taken;
    } arguments = {argv};
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it may hang */
#endif
    (void)dup2(in, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)execv(c->program, arguments.taken);
    const int reason = errno;
    (void)put(reasons, &reason, sizeof reason);
    _exit(1);
}

static bool make_pipes(int pipes[3][2])
{
    for (size_t i = 0; i < 3; i++) {
        if (pipe(pipes[i]) != 0)
            return false;
        (void)fcntl(pipes[i][0], F_SETFD, FD_CLOEXEC);
        (void)fcntl(pipes[i][1], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static bool start(minimise_candidate_process *c)
{
    enum { IN, OUT, REASONS, READ = 0, WRITE = 1 };
    int pipes[3][2], reason = 0;
    if (!make_pipes(pipes))
        return false;
    c->process = fork();
    if (c->process == 0)
        become(c, pipes[IN][READ], pipes[OUT][WRITE], pipes[REASONS][WRITE]);
    const int fork_reason = errno;
    (void)close(pipes[IN][READ]);
    (void)close(pipes[OUT][WRITE]);
    (void)close(pipes[REASONS][WRITE]);
    c->to = pipes[IN][WRITE];
    c->from = pipes[OUT][READ];
    if (c->process > 0 && read(pipes[REASONS][READ], &reason, sizeof reason) != (ssize_t)sizeof reason)
        reason = 0;
    (void)close(pipes[REASONS][READ]);
    errno = c->process < 0 ? fork_reason : reason;
    return errno == 0;
}

static bool hand_over(minimise_candidate_process *c)
{
    const uint32_t size = (uint32_t)c->held_size;
    return put(c->to, &size, sizeof size) && put(c->to, c->held, c->held_size);
}

static void end(minimise_candidate_process *c)
{
    if (c->process <= 0)
        return;
    (void)close(c->to);
    (void)close(c->from);
    (void)kill(c->process, SIGKILL);
    while (waitpid(c->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    c->process = 0;
}

bool minimise_candidate_process_open(minimise_candidate_process *c, const char *program, const char *kind,
                                     unsigned long searches, const uint8_t *in, size_t size)
{
    *c = (minimise_candidate_process){.program = program, .kind = kind, .held_size = size, .most = size};
    (void)snprintf(c->searches, sizeof c->searches, "%lu", searches);
    c->at = malloc(size + 1);
    c->held = malloc(size + 1);
    if (!c->at || !c->held)
        return false;
    if (size)
        memcpy(c->held, in, size);
    if (!start(c))
        return false;
    (void)hand_over(c);
    return true;
}

void minimise_candidate_process_close(minimise_candidate_process *c)
{
    end(c);
    free(c->at);
    free(c->held);
}

static bool receive(minimise_candidate_process *c)
{
    uint32_t size;
    if (!get(c->from, &size, sizeof size) || size > c->most || !get(c->from, c->at, size))
        return false;
    c->size = size;
    return true;
}

static size_t next(void *self, const uint8_t **candidate)
{
    minimise_candidate_process *c = self;
    while (!receive(c)) {
        end(c);
        if (c->is_plain)
            return 0;
        c->is_plain = true;
        if (!start(c))
            return 0;
        (void)hand_over(c);
    }
    *candidate = c->at;
    return c->size;
}

static bool is_gain(const void *self)
{
    const minimise_candidate_process *c = self;
    return minimise_is_simpler(c->at, c->size, c->held, c->held_size);
}

static void tell(void *self, bool holds)
{
    minimise_candidate_process *c = self;
    const uint8_t verdict = holds;
    if (holds && is_gain(c)) {
        memcpy(c->held, c->at, c->size);
        c->held_size = c->size;
    }
    (void)put(c->to, &verdict, sizeof verdict);
}

minimise_source minimise_candidate_process_source(minimise_candidate_process *candidates)
{
    return (minimise_source){candidates, next, is_gain, tell};
}
