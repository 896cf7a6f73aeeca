/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers the input as a whole file, and holds the new file to what recovery promises.
 */
#include "common.h"
#include "recovered.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    etl_recovered_file recovered;
    etl_recovered_make(&recovered, (etl_span){data, size});
    etl_hold(&recovered.oracle, NULL);
    free(recovered.at);
    return 0;
}
