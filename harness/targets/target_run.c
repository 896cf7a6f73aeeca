/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a file once under all oracles. Called by every target that reads files.
 */
#include "target_run.h"

#include <stdlib.h>
#include <string.h>

#include "broken_promise.h"
#include "exact_copy.h"

void target_run_begin(target_run *r, etl_span file, bool deep)
{
    r->file = file;
    r->base = 0;
    r->chunk = 0;
    r->early = false;
    r->window = NULL;
    etl_reader_init(&r->reader, TARGET_LIMITS);
    oracle_init(&r->oracle, file.size, TARGET_LIMITS, deep);
}

/* Half of the inputs lie behind 2^32, the others on both sides. */
void target_run_far(target_run *r)
{
    r->base = (UINT64_C(1) << 32) - (r->file.size % 2 == 0 ? r->file.size / 2 : 0);
    r->reader.trace.offset = r->base;
    oracle_shift(&r->oracle, r->base);
}

static void feed(target_run *r)
{
    const uint64_t read = r->reader.trace.offset - r->base;
    size_t offset = read < r->file.size ? (size_t)read : r->file.size;
    size_t rest = r->file.size - offset;
    if (r->chunk == 0) {
        etl_reader_feed(&r->reader, (etl_span){rest ? r->file.at + offset : NULL, rest}, true);
        return;
    }
    size_t want = r->reader.trace.want;
    size_t size = want > r->chunk ? want : r->chunk;
    bool last = size > rest || (size == rest && r->early);
    if (size > rest)
        size = rest;
    free(r->window);
    r->window = target_get_memory(size);
    memcpy(r->window, r->file.at + offset, size);
    etl_reader_feed(&r->reader, (etl_span){r->window, size}, last);
}

/*
 * Lends exactly the bytes that are wanted: the last ones of memory that is kept from one decode to the next, so that a
 * write past them is seen. Fresh pages for each decode are slow. The junk differs between one window and several, so that
 * a read of unwritten memory makes the decodes differ.
 */
static void lend(target_run *r)
{
    const size_t want = r->reader.trace.want;
    if (want > r->scratch_size) {
        free(r->scratch);
        r->scratch = target_get_memory(want);
        r->scratch_size = want;
    }
    uint8_t *last = r->scratch + (r->scratch_size - want);
    memset(last, r->chunk == 0 ? TARGET_JUNK : 0xFF ^ TARGET_JUNK, want);
    etl_reader_lend(&r->reader, (etl_scratch){last, want});
}

void target_run_hold(const target_run *run)
{
    target_hold(&run->oracle, run->chunk == 0 ? "one window" : "small windows");
}

bool target_run_advance(target_run *r)
{
    for (;;) {
        etl_outcome outcome = etl_reader_next(&r->reader);
        if (oracle_step(&r->oracle, outcome, &r->reader))
            oracle_due_step(&r->oracle, outcome, &r->reader);
        target_run_hold(r);
        r->reader.findings.count = 0;
        if (outcome == ETL_MORE) {
            feed(r);
        } else if (outcome == ETL_SCRATCH) {
            lend(r);
        } else if (outcome == ETL_END) {
            oracle_end(&r->oracle);
            target_run_hold(r);
            return false;
        } else {
            return true;
        }
    }
}

void target_run_finish(target_run *r)
{
    free(r->window);
    r->window = NULL;
}
