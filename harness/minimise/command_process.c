/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command within a time limit and returns its exit status, on POSIX and on Windows. Called by exit_status.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "command_process.h"

#include "checked_alloc.h"
#include "io/command.h"

#if defined(_WIN32)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Appends an argument so that the start-up code of a program splits the line into the same arguments: the rules are those
   of CommandLineToArgvW. */
static void add_argument(char *line, const char *argument)
{
    char *at = line + strlen(line);
    if (at != line)
        *at++ = ' ';
    *at++ = '"';
    for (size_t slashes = 0;; argument++) {
        if (*argument == '\\') {
            slashes++;
            *at++ = '\\';
            continue;
        }
        if (*argument == '"' || *argument == '\0')
            for (; slashes != 0; slashes--)
                *at++ = '\\';
        slashes = 0;
        if (*argument == '\0')
            break;
        if (*argument == '"')
            *at++ = '\\';
        *at++ = *argument;
    }
    *at++ = '"';
    *at = '\0';
}

static char *make_line(char **command)
{
    size_t size = 1;
    for (size_t i = 0; command[i] != NULL; i++)
        size += 2 * strlen(command[i]) + 3;
    char *line = mutator_realloc(NULL, size);
    *line = '\0';
    for (size_t i = 0; command[i] != NULL; i++)
        add_argument(line, command[i]);
    return line;
}

static bool start(char *line, PROCESS_INFORMATION *process)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    HANDLE nothing = CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                                 OPEN_EXISTING, 0, NULL);
    STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    startup.hStdInput = startup.hStdOutput = startup.hStdError = nothing;
    const bool started = CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, process) != 0;
    CloseHandle(nothing);
    return started;
}

bool minimise_command_run(char **command, unsigned seconds, unsigned long *status)
{
    PROCESS_INFORMATION process;
    char *line = make_line(command);
    const bool started = start(line, &process);
    free(line);
    if (!started) {
        tool_print_error("cannot run %s: error %lu", command[0], (unsigned long)GetLastError());
        return false;
    }
    DWORD code = MINIMISE_COMMAND_TIMEOUT;
    if (WaitForSingleObject(process.hProcess, seconds * 1000) == WAIT_OBJECT_0) {
        GetExitCodeProcess(process.hProcess, &code);
    } else {
        TerminateProcess(process.hProcess, MINIMISE_COMMAND_TIMEOUT);
        WaitForSingleObject(process.hProcess, INFINITE);
    }
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    *status = code;
    return true;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    pid_t number; /* also of its process group, with all processes that it starts */
    int waited;   /* status, as of waitpid */
} child;

/* Signals that end this process, and with it the command, unless they are ignored. */
static const int ending[] = {SIGHUP, SIGINT, SIGTERM};

static void nothing(int number)
{
    (void)number;
}

/* Blocks the signals that wait_for() waits for, so that they arrive at no other time. `before`: the mask to restore. */
static sigset_t hold_signals(sigset_t *before)
{
    sigset_t awaited;
    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGCHLD);
    (void)sigaddset(&awaited, SIGALRM);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction now;
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(&awaited, ending[i]);
    }
    (void)signal(SIGCHLD, nothing);
    (void)signal(SIGALRM, nothing);
    (void)sigprocmask(SIG_BLOCK, &awaited, before);
    return awaited;
}

/* Runs in the child: never returns. A failure to start is sent through the pipe, which a successful start closes. */
static void become(char **command, const sigset_t *held, int pipe_end)
{
    const int null = open("/dev/null", O_RDWR);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
    (void)setpgid(0, 0);
    (void)sigprocmask(SIG_SETMASK, held, NULL);
    (void)execvp(command[0], command);
    const int reason = errno;
    if (write(pipe_end, &reason, sizeof reason) < 0)
        _exit(2);
    _exit(1);
}

static bool failed(const char *name, int reason)
{
    tool_print_error("cannot run %s: %s", name, strerror(reason));
    return false;
}

static bool start(child *c, char **command, const sigset_t *held)
{
    int ends[2], reason = 0;
    if (pipe(ends) != 0)
        return failed(command[0], errno);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    c->number = fork();
    if (c->number == 0)
        become(command, held, ends[1]);
    const int fork_reason = errno;
    (void)close(ends[1]);
    const bool started = c->number > 0 && read(ends[0], &reason, sizeof reason) != (ssize_t)sizeof reason;
    (void)close(ends[0]);
    if (c->number < 0)
        return failed(command[0], fork_reason);
    if (started)
        return true;
    (void)waitpid(c->number, NULL, 0);
    return failed(command[0], reason);
}

/*
 * Waits until the command ends, or a signal arrives that must end it: returns that signal; 0 if the command ended first.
 * The child is not reaped yet, so that its number and its group's cannot be reused.
 */
static int wait_for(const child *c, const sigset_t *awaited)
{
    int number = SIGCHLD;
    while (number == SIGCHLD) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)c->number, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == c->number)
            return 0;
        (void)sigwait(awaited, &number);
    }
    return number;
}

/* Kills the command and all processes that it started, whatever signals they catch or ignore. */
static void end(child *c)
{
    (void)kill(-c->number, SIGKILL);
    (void)waitpid(c->number, &c->waited, 0);
}

static unsigned long status_of(int waited)
{
    return WIFSIGNALED(waited) ? 128ul + (unsigned long)WTERMSIG(waited) : (unsigned long)WEXITSTATUS(waited);
}

bool minimise_command_run(char **command, unsigned seconds, unsigned long *status)
{
    child c = {0};
    sigset_t before;
    const sigset_t awaited = hold_signals(&before);
    const bool started = start(&c, command, &before);
    if (started) {
        (void)alarm(seconds);
        const int number = wait_for(&c, &awaited);
        (void)alarm(0);
        end(&c);
        if (number != 0 && number != SIGALRM)
            (void)raise(number); /* ends this process, once the mask is restored */
        *status = number == SIGALRM ? MINIMISE_COMMAND_TIMEOUT : status_of(c.waited);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return started;
}

#endif
