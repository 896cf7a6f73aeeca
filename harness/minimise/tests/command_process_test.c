/* SPDX-License-Identifier: Apache-2.0 */
/* command_process.c: the test runs itself as the command, which reports by its exit status what it received. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#if !defined(_WIN32)
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "command_process.h"
#include "test.h"

enum { GOOD = 7, BAD = 8, SECONDS = 1 };
#define MOST_SECONDS 20

/* Everything that has a meaning where the arguments are one line, as on Windows. */
static char *arguments[] = {
    "", "a b", "\t", "\"", "\\", "\\\"", "\\\\\"a b\\\\", "a\\\\\"b", "c:\\a folder\\",
    "\"a b\" c", "$x", "^|&", "%PATH%", "* ? [a-z", "'a' b'", "--trim", "@@"};
#define ARGUMENTS (sizeof arguments / sizeof arguments[0])

static int check_arguments(char **argv)
{
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (argv[i] == NULL || strcmp(argv[i], arguments[i]) != 0)
            return BAD;
    return argv[ARGUMENTS] == NULL ? GOOD : BAD;
}

static int wait_long(void)
{
    const time_t start = time(NULL);
    while (difftime(time(NULL), start) < 2 * MOST_SECONDS)
        ;
    return BAD;
}

static void check_status(char **command, unsigned long expected)
{
    unsigned long status = 0;
    CHECK(minimise_command_run(command, command[1][0] == 'w' ? SECONDS : MOST_SECONDS, &status));
    CHECK_UINT(expected, status);
}

#if !defined(_WIN32)

static int ignore_signals(void)
{
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            (void)signal(number, SIG_IGN);
    return wait_long();
}

/* The command waits for a child, which takes long. */
static int start_another(void)
{
    int waited = 0;
    const pid_t other = fork();
    if (other == 0)
        _exit(wait_long());
    return waitpid(other, &waited, 0) == other ? BAD : GOOD;
}

/* The command ends before its child. */
static int leave_another(void)
{
    if (fork() == 0)
        _exit(wait_long());
    return GOOD;
}

/* Checks that all processes with the end of the pipe, the command and its children, end in time. */
static void check_all_end(int end, time_t start)
{
    struct pollfd closed = {end, 0, 0};
    CHECK_INT(1, poll(&closed, 1, 1000 * MOST_SECONDS));
    CHECK(difftime(time(NULL), start) < MOST_SECONDS);
}

static void check_ends_with(char **command, unsigned long expected)
{
    int ends[2];
    const time_t start = time(NULL);
    CHECK(pipe(ends) == 0);
    check_status(command, expected);
    (void)close(ends[1]);
    check_all_end(ends[0], start);
    (void)close(ends[0]);
}

/* A signal ends the process that runs the command. */
static void check_ends_of_signal(char **command)
{
    int ends[2], waited = 0;
    const time_t start = time(NULL);
    unsigned long status = 0;
    CHECK(pipe(ends) == 0);
    const pid_t runner = fork();
    if (runner == 0)
        _exit(minimise_command_run(command, 2 * MOST_SECONDS, &status) ? BAD : GOOD);
    (void)close(ends[1]);
    (void)sleep(SECONDS);
    CHECK(kill(runner, SIGTERM) == 0 && waitpid(runner, &waited, 0) == runner);
    CHECK(WIFSIGNALED(waited) && WTERMSIG(waited) == SIGTERM);
    check_all_end(ends[0], start);
    (void)close(ends[0]);
}

#endif

static int be_run(char **argv)
{
#if !defined(_WIN32)
    if (strcmp(argv[0], "wait, ignoring signals") == 0)
        return ignore_signals();
    if (strcmp(argv[0], "wait for a child") == 0)
        return start_another();
    if (strcmp(argv[0], "leave a child") == 0)
        return leave_another();
#endif
    if (strcmp(argv[0], "arguments") == 0)
        return check_arguments(argv + 1);
    if (strcmp(argv[0], "input") == 0)
        return fgetc(stdin) == EOF ? GOOD : BAD;
    return wait_long();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return be_run(argv + 1);
    char *command[ARGUMENTS + 3] = {argv[0], "arguments"};
    for (size_t i = 0; i < ARGUMENTS; i++)
        command[i + 2] = arguments[i];
    check_status(command, GOOD);

    /* The command must not read this input. */
    CHECK(freopen(argv[0], "rb", stdin) != NULL);
    check_status((char *[]){argv[0], "input", NULL}, GOOD);

    const time_t start = time(NULL);
    check_status((char *[]){argv[0], "wait", NULL}, MINIMISE_COMMAND_TIMEOUT);
    CHECK(difftime(time(NULL), start) < MOST_SECONDS);

#if !defined(_WIN32)
    for (char **name = (char *[]){"wait, ignoring signals", "wait for a child", NULL}; *name != NULL; name++) {
        check_ends_with((char *[]){argv[0], *name, NULL}, MINIMISE_COMMAND_TIMEOUT);
        check_ends_of_signal((char *[]){argv[0], *name, NULL});
    }
    check_ends_with((char *[]){argv[0], "leave a child", NULL}, GOOD);
#endif

    unsigned long status = 0;
    CHECK(!minimise_command_run((char *[]){"./there is no such command", NULL}, SECONDS, &status));
    return test_result();
}
