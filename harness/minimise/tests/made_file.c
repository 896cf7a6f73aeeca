/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the trace on which victim_file fails to standard output.
 */
#include <stdio.h>

#include "victim_trace.h"

int main(void)
{
    build_chunk file = make_trace(false, true);
    const size_t done = fwrite(file.at, 1, file.size, stdout);
    const int failed = done != file.size || fflush(stdout) != 0;
    build_chunk_free(&file);
    return failed;
}
