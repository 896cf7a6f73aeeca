/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target without an engine: replays the files and directories that it is given.
 */
#include <stdio.h>

#include "target.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE-OR-DIRECTORY...\n", argv[0]);
        return 64;
    }
    return etl_replay(argc - 1, argv + 1);
}
