/* SPDX-License-Identifier: Apache-2.0 */
/* A target that reads the byte after its input if the input begins with X. */
#include "target.h"

static volatile uint8_t seen;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size != 0 && data[0] == 'X')
        seen = data[size];
    return 0;
}
