/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a target without an engine: replays files and directories, each --repeat times for a benchmark; or
 * minimises an input on which the target fails (--trim).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "target_command.h"

/* 0 if the text is not a number above 0. */
static unsigned long read_repeat(const char *text)
{
    char *end;
    errno = 0;
    const unsigned long repeat = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 ? repeat : 0;
}

int main(int argc, char **argv)
{
    int first = 1;
    unsigned long repeat = 1;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--trim") == 0)
            return minimise_target_command(ETLPROOF_TARGET_KIND, LLVMFuzzerTestOneInput, argv);
    if (argc > 2 && strcmp(argv[1], "--repeat") == 0) {
        repeat = read_repeat(argv[2]);
        first = 3;
    }
    if (argc <= first || repeat == 0) {
        fprintf(stderr, "usage: %s [--repeat N] FILE-OR-DIRECTORY...\n       %s --trim IN -o OUT [OPTION...]\n",
                argv[0], argv[0]);
        return 64;
    }
    return engine_replay(argc - first, argv + first, repeat);
}
