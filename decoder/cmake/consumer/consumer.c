/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest program that uses the installed library, in C and in C++: decodes eight zero bytes and checks the outcome.
 */
#include <etlproof/etlproof.h>

#include <stdio.h>

int main(void)
{
    static const uint8_t file[8] = {0};
    static etl_reader reader;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    uint64_t bytes = 0;
    for (;;) {
        const etl_span rest = {file + reader.trace.offset, sizeof file - reader.trace.offset};
        switch (etl_reader_next(&reader)) {
        case ETL_MORE:
            etl_reader_feed(&reader, rest, true);
            break;
        case ETL_GAP:
            bytes += reader.gap.size;
            break;
        case ETL_END:
            printf("%u bytes of a gap: %s\n", (unsigned)bytes, bytes == sizeof file ? "as it should be" : "wrong");
            return bytes != sizeof file;
        default:
            return 1;
        }
    }
}
