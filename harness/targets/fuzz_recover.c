/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers the input as a whole file, trace by trace, and checks the promises of recovery on each new file.
 */
#include "recovery_check.h"
#include "target.h"
#include "target_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_recovered_file recovered;
    target_recovered_make(&recovered, (etl_span){data, size}, TARGET_LIMITS);
    if (recovered.broken == NULL)
        return 0;
    fprintf(stderr, "oracle recover broken at offset 0x%" PRIx64 ": %s\n", recovered.broken_at, recovered.broken);
    abort();
}
