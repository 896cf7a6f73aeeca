/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of tool/io/sandbox.c: what a process can do in the sandbox, and what not. Each attempt is a process. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/command.h"
#include "io/sandbox.h"
#include "test.h"

#define GIVEN "sandbox_test.tmp"
#define OTHER "sandbox_test-other.tmp"

/* The result of an attempt that the sandbox does not end: it succeeds, or fails with an error of its own. */
enum { DONE = 0, FAILED = 1 };

static int result(bool done)
{
    return done ? DONE : FAILED;
}

static int read_file(const char *path)
{
    char byte;
    const int file = open(path, O_RDONLY);
    return result(file >= 0 && read(file, &byte, 1) == 1 && close(file) == 0);
}

static int read_given(void)
{
    return read_file(GIVEN);
}

static int read_other(void)
{
    return read_file(OTHER);
}

static int map_given(void)
{
    const int file = open(GIVEN, O_RDONLY);
    return result(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0) != MAP_FAILED);
}

static int list_folder(void)
{
    return result(opendir("/") != NULL);
}

static int allocate(void)
{
    void *block = calloc(1, (size_t)64 << 20);
    const bool done = block != NULL;
    free(block);
    return result(done);
}

static int write_given(void)
{
    return result(open(GIVEN, O_WRONLY) >= 0);
}

static int truncate_given(void)
{
    return result(open(GIVEN, O_RDONLY | O_TRUNC) >= 0);
}

static int create(void)
{
    return result(open(OTHER "2", O_RDONLY | O_CREAT, 0600) >= 0);
}

static int remove_given(void)
{
    return result(unlink(GIVEN) == 0);
}

static int start_program(void)
{
    char *const words[] = {"true", NULL};
    return result(execv("/bin/true", words) == 0);
}

static int start_process(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(DONE);
    return result(child > 0);
}

static int open_socket(void)
{
    return result(socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static int signal_parent(void)
{
    return result(kill(getppid(), 0) == 0);
}

static int map_code(void)
{
    return result(mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

/* What each attempt gives with GIVEN as the only file, and with the folder "." as the operand. */
static const struct {
    const char *name;
    int (*attempt)(void);
    int file, folder;
} rows[] = {
    {"read the given file", read_given, DONE, DONE},
    {"map the given file", map_given, DONE, DONE},
    {"allocate memory", allocate, DONE, DONE},
    {"read another file", read_other, FAILED, DONE},
    {"list a folder", list_folder, FAILED, DONE},
    {"write to the given file", write_given, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"truncate the given file", truncate_given, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"create a file", create, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"remove the given file", remove_given, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"start a program", start_program, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"start a process", start_process, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"open a socket", open_socket, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"signal a process", signal_parent, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
    {"make memory executable", map_code, TOOL_EXIT_INTERNAL, TOOL_EXIT_INTERNAL},
};

static int try(int (*attempt)(void), const char *operand)
{
    char *files[] = {(char *)(uintptr_t)operand};
    int status = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        tool_sandbox_enter(files, 1);
        _exit(attempt());
    }
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void write_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs("x", file) >= 0 && fclose(file) == 0);
}

int main(void)
{
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1) {
        puts("skipped: this kernel has no Landlock");
        return 77;
    }
    write_file(GIVEN);
    write_file(OTHER);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned long before = test_failures;
        CHECK_INT(rows[i].file, try(rows[i].attempt, GIVEN));
        CHECK_INT(rows[i].folder, try(rows[i].attempt, "."));
        if (test_failures > before)
            printf("  on: %s\n", rows[i].name);
    }
    (void)remove(GIVEN);
    (void)remove(OTHER);
    (void)remove(OTHER "2");
    return test_result();
}
