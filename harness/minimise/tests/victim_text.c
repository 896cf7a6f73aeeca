/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target that fails in every known way. The last letter of the input that stands for a failure selects it; 1 fails
 * only in a process that has run an input before, 2 only if the input has two of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static volatile int *volatile nowhere;

static volatile int zero;

/* Fails in two places. */
__attribute__((noinline)) static void fail_here(bool early)
{
    if (early)
        *nowhere = 1;
    zero = 0;
    *nowhere = 3;
}

/* Fails in the same way, in another function. */
__attribute__((noinline)) static void fail_there(void)
{
    *nowhere = 2;
}

/* Endless recursion that no compiler turns into a loop: each frame is used after its call. */
__attribute__((noinline)) static int use_up_stack(void)
{
    volatile uint8_t frame[4096] = {0};
    return nowhere ? 0 : use_up_stack() + frame[0];
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

static unsigned runs, doubles; /* of this process; 2 in this input */

static void fail(char letter)
{
    switch (letter) {
    case 'A': abort();
    case '2':
        if (++doubles == 2)
            abort();
        break;
    case 'E': exit(3);
    case 'H': fail_here(true); break;
    case 'I': fail_here(false); break;
    case 'L': hang(); break;
    case 'M': take_memory(); break;
    case '1':
        if (runs > 1)
            abort();
        break;
    case 'S': zero = use_up_stack(); break;
    case 'T': fail_there(); break;
    case 'X': exit(4);
    default: break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    runs++;
    doubles = 0;
    while (size-- > 0)
        if (data[size] && strchr("12AEHILMSTX", data[size]))
            fail((char)data[size]);
    return 0;
}
