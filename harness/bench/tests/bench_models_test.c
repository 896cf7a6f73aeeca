/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder finds everything that was written into each synthetic trace, and reports no finding. Otherwise the
 * benchmark would measure other files than it claims.
 */
#include <stdlib.h>

#include "etlproof/etlproof.h"
#include "test.h"
#include "bench_models.h"

/* Three slices, which must fit together. */
#define TRACE_SIZE (UINT64_C(3) << 20)

typedef struct seen {
    uint64_t buffers, compressed, events, findings;
    etl_rule first; /* if there are findings */
} seen;

static etl_reader reader;

static void note_findings(seen *s)
{
    if (s->findings == 0 && reader.findings.count != 0)
        s->first = reader.findings.at[0].rule;
    s->findings += reader.findings.count;
    reader.findings.count = 0;
}

static seen decode(const build_chunk *file)
{
    seen s = {0};
    void *scratch = NULL;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (etl_outcome outcome; (outcome = etl_reader_next(&reader)) != ETL_END && outcome != ETL_INTERNAL;) {
        const size_t offset = (size_t)reader.trace.offset, want = reader.trace.want;
        note_findings(&s);
        if (outcome == ETL_MORE) {
            etl_reader_feed(&reader, (etl_span){file->at + offset, file->size - offset}, true);
        } else if (outcome == ETL_SCRATCH) {
            free(scratch);
            scratch = malloc(want);
            etl_reader_lend(&reader, (etl_scratch){scratch, want});
        }
        s.buffers += outcome == ETL_BUFFER;
        s.compressed += outcome == ETL_BUFFER && reader.buffer.compressed;
        s.events += outcome == ETL_EVENT;
    }
    note_findings(&s);
    free(scratch);
    return s;
}

static void check(const bench_trace *trace, bool compressed)
{
    const seen s = decode(&trace->file);
    CHECK_UINT(trace->buffers, s.buffers);
    CHECK_UINT(compressed ? trace->buffers - 1 : 0, s.compressed);
    CHECK_UINT(trace->events, s.events);
    CHECK_TEXT("none", s.findings == 0 ? "none" : etl_rule_get(s.first)->id);
}

static void check_kind(bench_kind kind)
{
    bench_trace plain[2], compressed[2];
    for (size_t i = 0; i < 2; i++)
        bench_traces_make(kind, TRACE_SIZE, &plain[i], &compressed[i]);
    check(&plain[0], false);
    check(&compressed[0], true);
    CHECK_UINT(TRACE_SIZE, plain[0].file.size);
    CHECK(compressed[0].file.size < TRACE_SIZE);
    CHECK_UINT(compressed[0].file.size, compressed[1].file.size);
    CHECK_BYTES(plain[0].file.at, plain[1].file.at, plain[0].file.size);
    CHECK_BYTES(compressed[0].file.at, compressed[1].file.at, compressed[0].file.size);
    for (size_t i = 0; i < 2; i++) {
        build_chunk_free(&plain[i].file);
        build_chunk_free(&compressed[i].file);
    }
}

int main(void)
{
    for (bench_kind kind = 0; kind < BENCH_KINDS; kind++)
        check_kind(kind);
    return test_result();
}
