/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps a window of a file into memory, and ends the process with a message if the file shrinks meanwhile.
 * windowed_input.c calls this.
 */
#include "io/command.h"
#if TOOL_POSIX
#define _POSIX_C_SOURCE 200809L
#endif

#include "io/mmap_file.h"

#if TOOL_POSIX

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/new_file.h"
#include "io/utf.h"

#define TITLE_SIZE ((size_t)16 * 1024) /* a path in which every character is escaped */

/* The mapping that each thread reads, for the signal handler, which runs in the thread that read the bytes. */
static _Thread_local const uint8_t *volatile mapped_at;
static _Thread_local volatile size_t mapped_size;
static _Thread_local const char *volatile mapped_title;

static void print_text(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    const uint8_t *fault = info->si_addr;
    tool_new_file_drop_all();
    if (mapped_at == NULL || fault < mapped_at || fault >= mapped_at + mapped_size) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        return;
    }
    char shown[TITLE_SIZE];
    (void)tool_utf8_show_text(mapped_title, shown, sizeof shown);
    print_text("etlproof: ");
    print_text(shown);
    print_text(": the file shrank while it was being read\n");
    _exit(TOOL_EXIT_INPUT);
}

void tool_mmap_watch(const uint8_t *at, size_t size, const char *title)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&action.sa_mask);
    mapped_at = at;
    mapped_size = size;
    mapped_title = title;
    (void)sigaction(SIGBUS, &action, NULL);
}

uint64_t tool_mmap_page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

uint8_t *tool_mmap(int file, uint64_t offset, size_t size, const char *title)
{
    uint8_t *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, (off_t)offset);
    if (at == MAP_FAILED)
        return NULL;
    tool_mmap_watch(at, size, title);
    return at;
}

void tool_munmap(uint8_t *at, size_t size)
{
    if (at != NULL)
        (void)munmap(at, size);
    mapped_at = NULL;
}

#else

uint64_t tool_mmap_page_size(void)
{
    return 1;
}

uint8_t *tool_mmap(int file, uint64_t offset, size_t size, const char *title)
{
    (void)file;
    (void)offset;
    (void)size;
    (void)title;
    return NULL;
}

void tool_mmap_watch(const uint8_t *at, size_t size, const char *title)
{
    (void)at;
    (void)size;
    (void)title;
}

void tool_munmap(uint8_t *at, size_t size)
{
    (void)at;
    (void)size;
}

#endif
