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

/* How the file comes in. */
typedef struct feeder {
    etl_span file;
    bool whole;    /* one window; else windows of about `chunk` bytes */
    bool early;    /* says `last` with the file's last byte, and not one call later */
    size_t chunk;
    uint8_t *window; /* an allocation of its own for each window, so that a read past it is seen */
    uint8_t *room;
} feeder;

static void *get_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fputs("fuzz_file: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void feed(feeder *in, etl_reader *reader)
{
    size_t offset = reader->trace.offset < in->file.size ? (size_t)reader->trace.offset : in->file.size;
    size_t rest = in->file.size - offset;
    if (in->whole) {
        etl_reader_feed(reader, (etl_span){in->file.at + offset, rest}, true);
        return;
    }
    size_t want = reader->trace.want;
    size_t size = want > in->chunk ? want : in->chunk;
    bool last = size > rest || (size == rest && in->early);
    if (size > rest)
        size = rest;
    free(in->window);
    in->window = get_memory(size);
    memcpy(in->window, in->file.at + offset, size);
    etl_reader_feed(reader, (etl_span){in->window, size}, last);
}

static void lend(feeder *in, etl_reader *reader)
{
    size_t want = reader->trace.want;
    free(in->room);
    in->room = get_memory(want);
    memset(in->room, 0xA5, want);
    etl_reader_lend(reader, (etl_room){in->room, want});
}

/* The decode of one input; the oracle then knows whether it held. */
static void decode(feeder *in, etl_oracle *oracle, bool deep)
{
    static etl_reader reader;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    etl_oracle_init(oracle, in->file.size, ETL_LIMITS_DEFAULT, deep);
    for (bool going = true; going;) {
        etl_outcome outcome = etl_reader_next(&reader);
        going = etl_oracle_step(oracle, outcome, &reader);
        reader.findings.count = 0;
        if (!going)
            break;
        if (outcome == ETL_MORE)
            feed(in, &reader);
        else if (outcome == ETL_ROOM)
            lend(in, &reader);
        else if (outcome == ETL_END)
            going = etl_oracle_end(oracle) && false;
    }
    free(in->window);
    free(in->room);
}

static void hold(const etl_oracle *oracle, const char *how)
{
    if (oracle->broken == ETL_PROMISE_COUNT)
        return;
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 " (%s, event %" PRIu64 ", step %" PRIu64 "): %s\n",
            etl_promise_name(oracle->broken), oracle->broken_at, how, oracle->events, oracle->steps,
            etl_promise_text(oracle->broken));
    abort();
}

/* The input's own bytes choose the windows, so that one corpus covers streaming: 1 byte to 64 KiB, small ones more often. */
static feeder small_windows(etl_span file)
{
    uint64_t h = file.size;
    for (size_t i = 0; i < file.size; i++)
        h = (h ^ file.at[i]) * UINT64_C(0x100000001B3);
    size_t most = (size_t)1 << (h >> 40) % 17;
    return (feeder){.file = file, .early = h >> 63, .chunk = 1 + (size_t)(h >> 32) % most};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    etl_span file = {data, size};
    bool both = size <= STREAM_SIZE_MAX;
    etl_oracle whole, streamed;
    decode(&(feeder){.file = file, .whole = true}, &whole, both);
    hold(&whole, "one window");
    if (!both)
        return 0;
    feeder small = small_windows(file);
    decode(&small, &streamed, both);
    hold(&streamed, "small windows");
    etl_oracle_compare(&whole, &streamed);
    hold(&whole, "both");
    return 0;
}
