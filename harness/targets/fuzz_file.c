/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as a whole file, under every oracle: once from one window, and once more in small windows, which has to
 * give the same. Written for any engine: libFuzzer, AFL++ and the replay command call the one function.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "target.h"

/* Above this the second decode costs more than it finds. */
#define STREAM_SIZE_MAX ((size_t)256 * 1024)

/* One decode: how the file comes in, who reads it, and who watches. */
typedef struct run {
    etl_span file;
    bool whole;      /* one window; else windows of about `chunk` bytes */
    bool early;      /* says `last` with the file's last byte, and not one call later */
    size_t chunk;
    uint8_t *window; /* an allocation of its own for each window, so that a read past it is seen */
    uint8_t *room;
    etl_reader reader;
    etl_oracle oracle;
} run;

static void *get_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fputs("fuzz_file: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void feed(run *r)
{
    size_t offset = r->reader.trace.offset < r->file.size ? (size_t)r->reader.trace.offset : r->file.size;
    size_t rest = r->file.size - offset;
    if (r->whole) {
        etl_reader_feed(&r->reader, (etl_span){r->file.at + offset, rest}, true);
        return;
    }
    size_t want = r->reader.trace.want;
    size_t size = want > r->chunk ? want : r->chunk;
    bool last = size > rest || (size == rest && r->early);
    if (size > rest)
        size = rest;
    free(r->window);
    r->window = get_memory(size);
    memcpy(r->window, r->file.at + offset, size);
    etl_reader_feed(&r->reader, (etl_span){r->window, size}, last);
}

static void lend(run *r)
{
    size_t want = r->reader.trace.want;
    free(r->room);
    r->room = get_memory(want);
    memset(r->room, 0xA5, want); /* what is read before it is written differs from a fresh page, and from run to run */
    etl_reader_lend(&r->reader, (etl_room){r->room, want});
}

static void begin(run *r, bool deep)
{
    etl_reader_init(&r->reader, ETL_LIMITS_DEFAULT);
    etl_oracle_init(&r->oracle, r->file.size, ETL_LIMITS_DEFAULT, deep);
}

static void hold(const run *r)
{
    const etl_oracle *o = &r->oracle;
    if (o->broken == ETL_PROMISE_COUNT)
        return;
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 " (%s, buffer %" PRIu64 ", event %" PRIu64 "): %s\n",
            etl_promise_name(o->broken), o->broken_at, r->whole ? "one window" : "small windows", o->buffers, o->events,
            etl_promise_text(o->broken));
    abort();
}

/* Goes on to the next outcome that says something of the file. False after the last. */
static bool advance(run *r)
{
    for (;;) {
        etl_outcome outcome = etl_reader_next(&r->reader);
        etl_oracle_step(&r->oracle, outcome, &r->reader);
        hold(r);
        r->reader.findings.count = 0;
        if (outcome == ETL_MORE) {
            feed(r);
        } else if (outcome == ETL_ROOM) {
            lend(r);
        } else if (outcome == ETL_END) {
            etl_oracle_end(&r->oracle);
            hold(r);
            return false;
        } else {
            return true;
        }
    }
}

static void finish(run *r)
{
    free(r->window);
    free(r->room);
    r->window = NULL;
    r->room = NULL;
}

/* The input's own bytes choose the windows, so that one corpus covers streaming: 1 byte to 64 KiB, more small ones. */
static void choose_windows(run *r)
{
    uint64_t h = r->file.size;
    for (size_t i = 0; i < r->file.size; i++)
        h = (h ^ r->file.at[i]) * UINT64_C(0x100000001B3);
    size_t most = (size_t)1 << (h >> 40) % 17;
    r->early = h >> 63;
    r->chunk = 1 + (size_t)(h >> 32) % most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static run whole, small;
    bool both = size <= STREAM_SIZE_MAX;
    whole.file = small.file = (etl_span){data, size};
    whole.whole = true;
    begin(&whole, both);
    begin(&small, both);
    choose_windows(&small);
    for (bool going = true; going;) {
        going = advance(&whole);
        if (both && advance(&small) != going)
            etl_oracle_break(&whole.oracle, ETL_PROMISE_STREAMING, whole.oracle.file_at);
        if (both)
            etl_oracle_compare(&whole.oracle, &small.oracle);
        hold(&whole);
    }
    finish(&whole);
    finish(&small);
    return 0;
}
