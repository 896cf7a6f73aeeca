/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "process.h"

#include "files.h"
#include "heap.h"
#include "tool.h"

#if defined(_WIN32)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Appends an argument so that a program's start-up code takes it apart again: CommandLineToArgvW has the rules. */
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
    char *line = etl_heap_get(NULL, size);
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

bool process_run(char **command, unsigned seconds, unsigned long *status)
{
    PROCESS_INFORMATION process;
    char *line = make_line(command);
    const bool started = start(line, &process);
    free(line);
    if (!started) {
        etl_complain("cannot run %s: error %lu", command[0], (unsigned long)GetLastError());
        return false;
    }
    DWORD code = PROCESS_TIMEOUT;
    if (WaitForSingleObject(process.hProcess, seconds * 1000) == WAIT_OBJECT_0) {
        GetExitCodeProcess(process.hProcess, &code);
    } else {
        TerminateProcess(process.hProcess, PROCESS_TIMEOUT);
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

/* The child's part: never returns. What keeps the command from running goes through the pipe, which its start closes. */
static void become(char **command, unsigned seconds, int pipe_end)
{
    const int nothing = open("/dev/null", O_RDWR);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    (void)dup2(nothing, STDERR_FILENO);
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(seconds); /* outlives execvp */
    (void)execvp(command[0], command);
    const int reason = errno;
    if (write(pipe_end, &reason, sizeof reason) < 0)
        _exit(2);
    _exit(1);
}

static bool failed(const char *name, int reason)
{
    etl_complain("cannot run %s: %s", name, strerror(reason));
    return false;
}

static unsigned long status_of(int waited)
{
    if (!WIFSIGNALED(waited))
        return (unsigned long)WEXITSTATUS(waited);
    return WTERMSIG(waited) == SIGALRM ? PROCESS_TIMEOUT : 128ul + (unsigned long)WTERMSIG(waited);
}

bool process_run(char **command, unsigned seconds, unsigned long *status)
{
    int ends[2], reason = 0, waited = 0;
    if (pipe(ends) != 0)
        return failed(command[0], errno);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0)
        become(command, seconds, ends[1]);
    const int fork_reason = errno;
    (void)close(ends[1]);
    const bool started = child > 0 && read(ends[0], &reason, sizeof reason) != (ssize_t)sizeof reason;
    (void)close(ends[0]);
    if (child < 0)
        return failed(command[0], fork_reason);
    while (waitpid(child, &waited, 0) < 0)
        if (errno != EINTR)
            return failed(command[0], errno);
    if (!started)
        return failed(command[0], reason);
    *status = status_of(waited);
    return true;
}

#endif
