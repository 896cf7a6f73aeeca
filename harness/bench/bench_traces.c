/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the synthetic traces of the benchmark as files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_models.h"

#define TRACE_SIZE (UINT64_C(64) << 20)

static void write_trace(const char *directory, const char *kind, const char *rest, bench_trace *trace)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/made-%s%s.etl", directory, kind, rest) >= sizeof path) {
        fprintf(stderr, "%s: the name is too long\n", directory);
        exit(64);
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(trace->file.at, 1, trace->file.size, file) != trace->file.size || fclose(file) != 0) {
        perror(path);
        exit(74);
    }
    build_chunk_free(&trace->file);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 64;
    }
    for (bench_kind kind = 0; kind < BENCH_KINDS; kind++) {
        bench_trace plain, compressed;
        bench_traces_make(kind, TRACE_SIZE, &plain, &compressed);
        write_trace(argv[1], bench_kind_name(kind), "", &plain);
        write_trace(argv[1], bench_kind_name(kind), "-compressed", &compressed);
    }
    return 0;
}
