/* SPDX-License-Identifier: Apache-2.0 */
/* A target with four groups of checks, the first of which fails if the input has an X. */
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (engine_share_has(engine_share_of((etl_span){data, size}), 0, 4) && size != 0 && memchr(data, 'X', size))
        abort();
    return 0;
}
