/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target that fails in as many ways as there are. The last of its letters says how.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static volatile int *volatile nowhere;

static volatile int zero;

/* In two places. */
__attribute__((noinline)) static void fail_here(bool early)
{
    if (early)
        *nowhere = 1;
    zero = 0;
    *nowhere = 3;
}

/* The same kind of failure, in another place. */
__attribute__((noinline)) static void fail_there(void)
{
    *nowhere = 2;
}

static void hang(void)
{
    for (volatile unsigned i = 0;; i++)
        continue;
}

static char *volatile taken;

static void take_memory(void)
{
    for (;;) {
        const size_t size = 1 << 20;
        taken = malloc(size);
        if (taken)
            memset(taken, 1, size);
    }
}

static void fail(char letter)
{
    switch (letter) {
    case 'A': abort();
    case 'E': exit(3);
    case 'H': fail_here(true); break;
    case 'I': fail_here(false); break;
    case 'L': hang(); break;
    case 'M': take_memory(); break;
    case 'T': fail_there(); break;
    case 'X': exit(4);
    default: break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    while (size-- > 0)
        if (data[size] && strchr("AEHILMTX", data[size]))
            fail((char)data[size]);
    return 0;
}
