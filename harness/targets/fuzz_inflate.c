/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflates the input; also compresses it and inflates the result. For any stream, outputs of all sizes get the same
 * bytes as far as they fit, and bytes after a stream that fills its output do not matter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "etlproof/etlproof.h"
#include "context_input.h"
#include "exact_copy.h"
#include "share.h"
#include "target.h"
#include "target_limits.h"
#include "image/xpress_compressor.h"

/* Far above the time of a linear inflater under any sanitizer, far below that of a quadratic one. */
#define NANOSECONDS_A_BYTE 1000
#define NANOSECONDS_MORE 100000000

/*
 * One inflation, and its output: an allocation of exactly the size. Its bytes are uninitialised, so that MemorySanitizer
 * sees which bytes were written.
 */
typedef struct run {
    etl_inflated result;
    etl_scratch output;
} run;

static void fail(const char *what, const run *r)
{
    fprintf(stderr, "oracle inflate broken: %s (output %zu, status %d, consumed %zu, produced %zu)\n", what, r->output.size,
            (int)r->result.status, r->result.consumed, r->result.produced);
    abort();
}

/* All checks of one inflation. */
static void hold(const run *r, size_t in)
{
    const etl_inflated *z = &r->result;
    const bool full = z->status == ETL_INFLATE_DONE || z->status == ETL_INFLATE_OVERRUN;
    if (z->status > ETL_INFLATE_OVERRUN)
        fail("the status is a known one", r);
    if (z->consumed > in)
        fail("no more is consumed than the input has", r);
    if (z->produced > r->output.size)
        fail("no more is produced than fits into the output", r);
    if (full != (z->produced == r->output.size))
        fail("the output is full exactly if the status is DONE or OVERRUN", r);
}

static void hold_time(const run *r, size_t in, clock_t start)
{
    const double limit = ((double)in + (double)r->output.size) * NANOSECONDS_A_BYTE + NANOSECONDS_MORE;
    if ((double)(clock() - start) / CLOCKS_PER_SEC * 1e9 > limit)
        fail("the time is linear in input and output", r);
}

static run inflate(etl_span in, size_t output_size)
{
    run r = {.output = {target_get_memory(output_size), output_size}};
    const clock_t start = clock();
    r.result = etl_inflate(in, r.output);
    hold_time(&r, in.size, start);
    hold(&r, in.size);
    return r;
}

static void finish(run *r)
{
    free(r->output.at);
}

static void hold_same_start(const run *a, const run *b)
{
    const size_t size = a->result.produced < b->result.produced ? a->result.produced : b->result.produced;
    if (memcmp(a->output.at, b->output.at, size) != 0)
        fail("outputs of all sizes get the same bytes", b);
}

/* A smaller output gets as many bytes as fit. */
static void hold_smaller(etl_span in, const run *whole, size_t size)
{
    run r = inflate(in, size);
    const size_t fitting = whole->result.produced < size ? whole->result.produced : size;
    if (r.result.produced != fitting || r.result.consumed > whole->result.consumed)
        fail("a smaller output gets the bytes that fit", &r);
    hold_same_start(whole, &r);
    finish(&r);
}

static void hold_larger(etl_span in, const run *whole, size_t size)
{
    run r = inflate(in, size);
    if (r.result.produced < whole->result.produced || r.result.consumed < whole->result.consumed)
        fail("a larger output never gets fewer bytes", &r);
    hold_same_start(whole, &r);
    finish(&r);
}

/* More input after the stream changes nothing, unless the stream ended for lack of input. */
static void hold_tail(etl_span in, const run *whole)
{
    const etl_span longer = target_copy_between(in, 0, 64);
    run r = inflate(longer, whole->output.size);
    const etl_inflate_status status = whole->result.status;
    const bool wanting = status == ETL_INFLATE_SHORT || status == ETL_INFLATE_CUT;
    if (wanting ? r.result.produced < whole->result.produced
                : r.result.status != status || r.result.consumed != whole->result.consumed ||
                      r.result.produced != whole->result.produced)
        fail("what follows a stream changes nothing", &r);
    hold_same_start(whole, &r);
    finish(&r);
    target_copy_free(longer);
}

/* The checks besides inflating; while fuzzing, an input gets one of them. */
enum { TAIL, OUTPUTS, LITERAL, GREEDY, LAZY, PARTS };

static void inflate_input(etl_span in, size_t output_size, engine_share share)
{
    run whole = inflate(in, output_size);
    if (engine_share_has(share, TAIL, PARTS))
        hold_tail(in, &whole);
    if (engine_share_has(share, OUTPUTS, PARTS)) {
        if (output_size > 0) {
            hold_smaller(in, &whole, output_size - 1);
            hold_smaller(in, &whole, output_size / 2);
            hold_smaller(in, &whole, whole.result.produced / 3);
        }
        hold_larger(in, &whole, output_size + output_size / 2 + 1);
    }
    finish(&whole);
}

/* A stream of tokens is no longer than one of literals, so that the compressed size is bounded. */
static size_t most_of(size_t size)
{
    return size + 4 * (size / 32 + 1);
}

static void hold_round_trip(etl_span bytes, build_model_compression mode)
{
    build_chunk stream = {0};
    build_xpress_compress(bytes.at, bytes.size, mode, &stream);
    const etl_span in = target_copy((etl_span){stream.at, stream.size});
    run exact = inflate(in, bytes.size), more = inflate(in, bytes.size + 1);
    if (stream.size > most_of(bytes.size))
        fail("a stream is no longer than one of literals", &exact);
    if (exact.result.status != ETL_INFLATE_DONE || more.result.status != ETL_INFLATE_SHORT ||
        more.result.produced != bytes.size || more.result.consumed != in.size)
        fail("a compressed input inflates to the end of its stream", &more);
    if (bytes.size != 0 && (memcmp(exact.output.at, bytes.at, bytes.size) || memcmp(more.output.at, bytes.at, bytes.size)))
        fail("a compressed input inflates to the same bytes", &exact);
    finish(&exact);
    finish(&more);
    target_copy_free(in);
    build_chunk_free(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    const size_t most = TARGET_LIMITS.inflated;
    const engine_share share = engine_share_of((etl_span){data, size});
    inflate_input(part.bytes, part.inflated_size < most ? part.inflated_size : most, share);
    if (engine_share_has(share, LITERAL, PARTS))
        hold_round_trip(part.bytes, BUILD_MODEL_LITERAL);
    if (engine_share_has(share, GREEDY, PARTS))
        hold_round_trip(part.bytes, BUILD_MODEL_GREEDY);
    if (engine_share_has(share, LAZY, PARTS))
        hold_round_trip(part.bytes, BUILD_MODEL_LAZY);
    target_context_input_free(&part);
    return 0;
}
