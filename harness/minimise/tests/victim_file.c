/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target that fails on an event of a compressed buffer: in one way if the event has an item, in another if not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "victim_trace.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sighting s = decode(data, size);
    if (!s.has_victim || !s.victim_compressed)
        return 0;
    fprintf(stderr, "oracle %s broken at offset 0x%zx: for the test\n", s.victim_items != 0 ? "item" : "no-item", size);
    abort();
}
