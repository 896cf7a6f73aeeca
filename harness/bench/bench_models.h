/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces for the benchmark, for kinds of which there are no real traces: made by the builder of the conformance suite,
 * conforming, and the same on every machine.
 */
#ifndef ETLPROOF_BENCH_MODELS_H
#define ETLPROOF_BENCH_MODELS_H

#include "model/model.h"

typedef enum bench_kind {
    BENCH_PERFINFO, /* context switches and samples: small events */
    BENCH_EVENT,    /* EVENT_HEADER64 with extended items, and text and numbers as payload */
    BENCH_MESSAGE,  /* WPP messages */
    BENCH_KINDS
} bench_kind;

/* A trace as the bytes of its file, and counts of what was written into it. */
typedef struct bench_trace {
    build_chunk file;
    uint64_t buffers; /* with that of the logfile header */
    uint64_t events;  /* with the logfile header */
} bench_trace;

const char *bench_kind_name(bench_kind kind);

/*
 * Makes one trace twice: plain, and with all buffers but the first compressed. `size` is that of the plain file in
 * bytes, rounded down to whole buffers of 64 KiB, at least two of them. The caller frees both files.
 */
void bench_traces_make(bench_kind kind, uint64_t size, bench_trace *plain, bench_trace *compressed);

#endif
