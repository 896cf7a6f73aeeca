/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a broken promise and ends the process. Called by all targets after each decode.
 */
#include "broken_promise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void target_hold(const oracle_watch *oracle, const char *how)
{
    if (oracle->broken == ORACLE_PROMISE_COUNT)
        return;
    const char *part = oracle->failed_condition ? oracle->failed_condition : "";
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 " (%s%sbuffer %" PRIu64 ", event %" PRIu64 "): %s%s%s\n",
            oracle_promise_name(oracle->broken), oracle->broken_at, how ? how : "", how ? ", " : "", oracle->buffers,
            oracle->events, oracle_promise_text(oracle->broken), *part ? "; not so: " : "", part);
    abort();
}
