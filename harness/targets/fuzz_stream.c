/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as a whole file in one window and in windows of several kinds, some of them around offset 2^32 of a
 * larger file, which must give the same outcomes in order; while fuzzing, an input gets one kind. fuzz_file checks the
 * oracles' promises; this target compares decodes.
 */
#include "target_run.h"
#include "share.h"
#include "target.h"

/* A run. Its first window has `first` bytes, or what is requested if that is more; each next one `factor` times as
   many. */
typedef struct chunking {
    size_t first, factor;
    bool early; /* target_run.early */
    bool far;   /* target_run_far */
} chunking;

#define CHUNKINGS 5u
#define CHUNK_MAX ((size_t)256 * 1024)

/* All bits are mixed at the end: the input's bytes choose the windows, so that one corpus covers all kinds. */
static uint64_t hash_of(etl_span file)
{
    uint64_t h = file.size;
    for (size_t i = 0; i < file.size; i++)
        h = (h ^ file.at[i]) * UINT64_C(0x100000001B3);
    return h ^ h >> 29;
}

static void choose(etl_span file, chunking chunkings[CHUNKINGS])
{
    const uint64_t h = hash_of(file);
    const size_t most = (size_t)1 << (h >> 40) % 17; /* 1 byte to 64 KiB, small ones more often */
    const bool early = h >> 63, far = h >> 62 & 1;
    const chunking all[CHUNKINGS] = {
        {1, 1, early, far}, /* exactly the requested bytes */
        {1 + (size_t)(h >> 16) % most, 1, !early, !far},
        {1 | (size_t)(h >> 32) % 4096, 1, early, !far}, /* odd */
        {1, 2, !early, far}, /* each larger than the last */
        {file.size ? file.size : 1, 1, early, true}, /* all at once; `last` with the file's last byte or one call later */
    };
    for (size_t i = 0; i < CHUNKINGS; i++)
        chunkings[i] = all[i];
}

static bool advance(target_run *run, const chunking *kind)
{
    const bool going = target_run_advance(run);
    if (run->chunk <= CHUNK_MAX / kind->factor)
        run->chunk *= kind->factor;
    return going;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static target_run whole, pieces[CHUNKINGS];
    const etl_span file = {data, size};
    chunking kinds[CHUNKINGS];
    choose(file, kinds);
    target_run_begin(&whole, file, true);
    const engine_share share = engine_share_of(file);
    size_t count = 0;
    for (unsigned i = 0; i < CHUNKINGS; i++)
        if (engine_share_has(share, i, CHUNKINGS))
            kinds[count++] = kinds[i];
    for (size_t i = 0; i < count; i++) {
        target_run_begin(&pieces[i], file, true);
        pieces[i].chunk = kinds[i].first;
        pieces[i].early = kinds[i].early;
        if (kinds[i].far)
            target_run_far(&pieces[i]);
    }
    for (bool going = true; going;) {
        going = target_run_advance(&whole);
        for (size_t i = 0; i < count; i++) {
            if (advance(&pieces[i], &kinds[i]) != going)
                oracle_break(&whole.oracle, ORACLE_PROMISE_STREAMING, whole.oracle.file_at);
            oracle_compare(&whole.oracle, &pieces[i].oracle);
        }
        target_run_hold(&whole);
    }
    target_run_finish(&whole);
    for (size_t i = 0; i < count; i++)
        target_run_finish(&pieces[i]);
    return 0;
}
