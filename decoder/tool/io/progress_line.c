/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints and erases the progress line. pull.c, recover and layout --scan call this.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include "io/progress_line.h"

#include <stdio.h>

#include "io/utf.h"

#if TOOL_POSIX
#include <time.h>
#include <unistd.h>
#endif

#define FIRST_AFTER_MS 1000
#define EVERY_MS 200
#define TITLE_SIZE 1024 /* longer names are cut */

#if TOOL_POSIX

static int64_t now(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static bool is_terminal(int stream)
{
    return isatty(stream) != 0;
}

#else

/* Only called if a stream is a terminal. */
static int64_t now(void)
{
    return 0;
}

static bool is_terminal(int stream)
{
    (void)stream;
    return false;
}

#endif

void tool_progress_start(tool_progress *progress, bool beside_output)
{
    bool wanted = is_terminal(2) && !(beside_output && is_terminal(1));
    *progress = (tool_progress){wanted, false, wanted ? now() + FIRST_AFTER_MS : 0};
}

void tool_progress_update(tool_progress *progress, const char *title, uint64_t done, uint64_t total)
{
    if (!progress->wanted)
        return;
    int64_t time = now();
    if (time < progress->next)
        return;
    progress->next = time + EVERY_MS;
    progress->shown = true;
    char shown[TITLE_SIZE];
    (void)tool_utf8_show_text(title, shown, sizeof shown);
    unsigned long long mib = done >> 20;
    if (total >= 100)
        (void)fprintf(stderr, "\r%s: %llu MiB, %u%%\033[K", shown, mib, (unsigned)(done / (total / 100)));
    else
        (void)fprintf(stderr, "\r%s: %llu MiB\033[K", shown, mib);
    (void)fflush(stderr);
}

void tool_progress_end(tool_progress *progress)
{
    if (progress->shown)
        (void)fputs("\r\033[K", stderr);
    progress->shown = false;
}
