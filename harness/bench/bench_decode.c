/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the decode loop, in memory, with a plain sum of the same bytes. The loop does what `validate` does with each
 * event: takes the event, its regions and its findings, and counts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_timing.h"
#include "etlproof/etlproof.h"

/* The least seconds of one measurement. */
#define SHORTEST 0.004

typedef struct counts {
    uint64_t buffers, compressed, events, findings;
    etl_tiling tiling;
} counts;

static etl_reader reader;
static volatile uint64_t sink;

static void lend(etl_scratch *scratch)
{
    if (scratch->size < reader.trace.want) {
        free(scratch->at);
        *scratch = (etl_scratch){malloc(reader.trace.want), reader.trace.want};
        if (!scratch->at)
            abort();
    }
    etl_reader_lend(&reader, *scratch);
}

static void take_event(counts *c)
{
    etl_region regions[ETL_EVENT_REGIONS];
    size_t n = etl_event_regions(&reader.event, regions);
    for (size_t i = 0; i < n; i++)
        etl_tiling_add(&c->tiling, &regions[i]);
    c->events++;
}

static void take_buffer(counts *c)
{
    etl_region regions[ETL_BUFFER_REGIONS];
    size_t n = etl_buffer_regions(&reader.buffer, regions);
    for (size_t i = 0; i < n; i++)
        etl_tiling_add(&c->tiling, &regions[i]);
    c->buffers++;
    c->compressed += reader.buffer.compressed;
}

static counts decode(const bench_file *file)
{
    static etl_scratch scratch;
    counts c = {0};
    size_t at;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (;;) {
        etl_outcome outcome = etl_reader_next(&reader);
        c.findings += reader.findings.count;
        reader.findings.count = 0;
        switch (outcome) {
        case ETL_MORE:
            at = (size_t)reader.trace.offset;
            etl_reader_feed(&reader, (etl_span){file->bytes + at, file->size - at}, true);
            break;
        case ETL_SCRATCH:
            lend(&scratch);
            break;
        case ETL_BUFFER:
            take_buffer(&c);
            break;
        case ETL_EVENT:
            take_event(&c);
            break;
        case ETL_GAP:
            etl_tiling_add(&c.tiling, &reader.gap);
            break;
        case ETL_END:
            return c;
        case ETL_INTERNAL:
            abort();
        }
    }
}

static uint64_t decode_events(const bench_file *file)
{
    return decode(file).events;
}

/* Seconds of one pass over the file. */
static double time_pass(uint64_t (*pass)(const bench_file *file), const bench_file *file)
{
    unsigned passes = 0;
    double begun = bench_seconds(), took;
    do {
        sink = pass(file);
        passes++;
        took = bench_seconds() - begun;
    } while (took < SHORTEST);
    return took / passes;
}

typedef struct total {
    double bytes, sum, wide, decode;
} total;

static void say(const char *name, const total *t, const char *rest)
{
    printf("%-32s %9.0f %8.2f %8.2f %8.3f %7.3f %7.3f  %s\n", name, t->bytes, t->bytes / t->sum / 1e9,
           t->bytes / t->wide / 1e9, t->bytes / t->decode / 1e9, t->sum / t->decode, t->wide / t->decode, rest);
}

static void measure(const char *path, total totals[2])
{
    bench_file file = bench_read(path);
    double sums[BENCH_ROUNDS], wides[BENCH_ROUNDS], decodes[BENCH_ROUNDS];
    counts c = decode(&file);
    size_t rounds = 0;
    for (double begun = bench_seconds(); bench_goes_on(rounds, begun); rounds++) {
        sums[rounds] = time_pass(bench_sum, &file);
        wides[rounds] = time_pass(bench_sum_wide, &file);
        decodes[rounds] = time_pass(decode_events, &file);
    }
    total t = {(double)file.size, bench_median(sums, rounds), bench_median(wides, rounds),
               bench_median(decodes, rounds)};
    char rest[80];
    snprintf(rest, sizeof rest, "%llu events%s", (unsigned long long)c.events, c.compressed ? ", compressed" : "");
    say(bench_name(path), &t, rest);
    total *all = &totals[c.compressed != 0];
    all->bytes += t.bytes;
    all->sum += t.sum;
    all->wide += t.wide;
    all->decode += t.decode;
    free(file.bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 64;
    }
    total totals[2] = {{0}};
    printf("%-32s %9s %8s %8s %8s %7s %7s\n", "in memory, medians", "bytes", "sum GB/s", "wide", "dec GB/s",
           "/sum", "/wide");
    for (int i = 1; i < argc; i++)
        measure(argv[i], totals);
    if (totals[0].bytes > 0)
        say("all without compressed buffers", &totals[0], "");
    if (totals[1].bytes > 0)
        say("all with compressed buffers", &totals[1], "");
    return 0;
}
