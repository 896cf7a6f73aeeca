/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of the compressor inflate with the decoder's inflater and with others. A token reader of this test, which
 * shares no code with either, counts the tokens that each mode promises.
 */
#include "image/xpress_compressor.h"

#include <stdlib.h>

#include "etlproof/inflate.h"
#include "test.h"

#ifdef ETLPROOF_FWNT
#include <libfwnt.h>
#endif

#define MEBIBYTE ((size_t)1 << 20)
/* libfwnt rejects longer matches. */
#define FWNT_LONGEST 32771

static const build_model_compression modes[] = {BUILD_MODEL_LITERAL, BUILD_MODEL_GREEDY, BUILD_MODEL_LAZY};

/* The shortest and the longest length of each form. */
static const size_t edges[] = {3, 9, 10, 24, 25, 279, 280, 65538, 65539};

/* Counts of the tokens of a stream. */
typedef struct census {
    size_t literals, matches;
    size_t code, nibble, shared_nibble, byte, word, dword; /* by the form of the length */
    size_t distance_1, distance_8192, overlapping;
    unsigned edges;                   /* bit n: a match of the length edges[n] */
    size_t longest, produced, unused; /* bytes after the last token */
    bool terminated;                  /* ends with a flag 1, and all later flags are 1 */
} census;

static uint32_t number_at(const build_chunk *s, size_t at, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size && at + i < s->size; i++)
        value |= (uint32_t)s->at[at + i] << 8 * i;
    return value;
}

/* Reads the rest of a length beyond code 7, and moves `at` after it. */
static size_t count_length(const build_chunk *s, size_t *at, size_t *nibble_at, census *c)
{
    uint32_t nibble;
    if (*nibble_at != 0) {
        nibble = s->at[*nibble_at] >> 4;
        *nibble_at = 0;
        c->shared_nibble++;
    } else {
        *nibble_at = *at;
        nibble = number_at(s, (*at)++, 1) & 15;
    }
    if (nibble < 15) {
        c->nibble++;
        return nibble + 10;
    }
    uint32_t value = number_at(s, (*at)++, 1);
    if (value < 255) {
        c->byte++;
        return value + 25;
    }
    value = number_at(s, *at, 2);
    *at += 2;
    if (value != 0) {
        c->word++;
        return (size_t)value + 3;
    }
    value = number_at(s, *at, 4);
    *at += 4;
    c->dword++;
    return (size_t)value + 3;
}

static void count_match(const build_chunk *s, size_t *at, size_t *nibble_at, census *c)
{
    const uint32_t token = number_at(s, *at, 2);
    const size_t distance = (token >> 3) + 1;
    size_t length = (token & 7) + 3;
    *at += 2;
    if ((token & 7) == 7)
        length = count_length(s, at, nibble_at, c);
    else
        c->code++;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        c->edges |= (unsigned)(length == edges[i]) << i;
    c->matches++;
    c->distance_1 += distance == 1;
    c->distance_8192 += distance == 8192;
    c->overlapping += distance < length;
    c->longest = length > c->longest ? length : c->longest;
    c->produced += length;
}

static census take_census(const build_chunk *s)
{
    census c = {0};
    size_t at = 0, nibble_at = 0;
    while (at + 4 <= s->size) {
        const uint32_t flags = number_at(s, at, 4);
        size_t i = 0;
        at += 4;
        for (; i < 32 && at < s->size; i++) {
            if ((flags >> (31 - i) & 1) != 0) {
                count_match(s, &at, &nibble_at, &c);
            } else {
                at++;
                c.literals++;
                c.produced++;
            }
        }
        if (at == s->size && i < 32) {
            c.terminated = flags << i == (UINT64_C(0xFFFFFFFF) << i & 0xFFFFFFFF);
            c.unused = i == 0 ? 4 : 0;
        }
    }
    return c;
}

static void check_fwnt(const build_chunk *stream, const uint8_t *bytes, size_t size, size_t longest)
{
#ifdef ETLPROOF_FWNT
    static uint8_t theirs[MEBIBYTE];
    size_t count = size;
    if (longest > FWNT_LONGEST || size == 0)
        return;
    CHECK_INT(1, libfwnt_lzxpress_decompress(stream->at, stream->size, theirs, &count, NULL));
    CHECK_UINT(size, count);
    CHECK_BYTES(bytes, theirs, size);
#else
    (void)stream, (void)bytes, (void)size, (void)longest;
#endif
}

/* Compresses and inflates, and returns the tokens of the stream. */
static census round_trip(const uint8_t *bytes, size_t size, build_model_compression mode)
{
    static uint8_t ours[MEBIBYTE];
    build_chunk stream = {0};
    build_xpress_compress(bytes, size, mode, &stream);
    const census c = take_census(&stream);
    const etl_inflated result = etl_inflate((etl_span){stream.at, stream.size}, (etl_scratch){ours, size});
    CHECK_UINT(ETL_INFLATE_DONE, result.status);
    CHECK_UINT(size, result.produced);
    CHECK_BYTES(bytes, ours, size);
    CHECK(stream.size - result.consumed == 0 || stream.size - result.consumed == 4);
    CHECK_UINT(size, c.produced);
    CHECK(c.terminated);
    check_fwnt(&stream, bytes, size, c.longest);
    build_chunk_free(&stream);
    return c;
}

static uint32_t random_below(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Runs, repeats from near and far, and noise. */
static void make_mixed(uint8_t *bytes, size_t size, uint64_t seed)
{
    size_t at = 0;
    while (at < size) {
        size_t n = 1 + random_below(&seed, random_below(&seed, 4) == 0 ? 2000 : 40);
        const size_t back = at == 0 ? 0 : 1 + random_below(&seed, at < 9000 ? (uint32_t)at : 9000);
        const uint32_t what = random_below(&seed, 3);
        for (; n > 0 && at < size; n--, at++)
            bytes[at] = what == 0 || back == 0 ? (uint8_t)random_below(&seed, 256)
                        : what == 1            ? bytes[at - 1]
                                               : bytes[at - back];
    }
}

static void test_sizes(void)
{
    static uint8_t bytes[70000];
    static const size_t sizes[] = {0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 952, 8191, 8192, 8193, 8196, 65464, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            memset(bytes, 0xAA, sizeof bytes);
            round_trip(bytes, sizes[i], modes[m]);
            make_mixed(bytes, sizeof bytes, i);
            round_trip(bytes, sizes[i], modes[m]);
        }
    }
    for (uint64_t seed = 0; seed < 200; seed++) {
        make_mixed(bytes, 5000, seed);
        round_trip(bytes, 5000, BUILD_MODEL_GREEDY);
        round_trip(bytes, 5000, BUILD_MODEL_LAZY);
    }
}

/* A stream whose tokens fill flag words exactly ends in an unused one. */
static void test_unused_flag_word(void)
{
    uint8_t bytes[64] = {0};
    build_chunk stream = {0};
    CHECK_UINT(0, round_trip(bytes, 31, BUILD_MODEL_LITERAL).unused);
    CHECK_UINT(4, round_trip(bytes, 32, BUILD_MODEL_LITERAL).unused);
    CHECK_UINT(0, round_trip(bytes, 33, BUILD_MODEL_LITERAL).unused);
    build_xpress_compress(bytes, 64, BUILD_MODEL_LITERAL, &stream);
    CHECK_UINT(4 + 32 + 4 + 32 + 4, stream.size);
    CHECK_UINT(0, number_at(&stream, 0, 4));
    CHECK_UINT(UINT32_MAX, number_at(&stream, 72, 4));
    build_chunk_free(&stream);
}

static void test_literal(void)
{
    static uint8_t zeros[5000];
    const census c = round_trip(zeros, sizeof zeros, BUILD_MODEL_LITERAL);
    CHECK_UINT(sizeof zeros, c.literals);
    CHECK_UINT(0, c.matches);
}

/* A run is one literal and one match; a repeat is found within the window only. */
static void test_greedy(void)
{
    static uint8_t bytes[9000];
    census c = round_trip(bytes, 1000, BUILD_MODEL_GREEDY);
    CHECK_UINT(1, c.literals);
    CHECK_UINT(1, c.matches);
    CHECK_UINT(999, c.longest);
    for (size_t gap = 8192; gap <= 8193; gap++) {
        uint64_t seed = 1;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)random_below(&seed, 256);
        memcpy(bytes + gap, bytes, 100);
        c = round_trip(bytes, gap + 100, BUILD_MODEL_GREEDY);
        CHECK_UINT(gap == 8192, c.distance_8192);
        CHECK(gap == 8192 ? c.longest == 100 : c.longest < 100);
    }
}

/* The longest match is taken, not the nearest. */
static void test_longest(void)
{
    static const uint8_t bytes[] = "abcdefgh_abcd!abcdefgh";
    const census c = round_trip(bytes, sizeof bytes - 1, BUILD_MODEL_GREEDY);
    CHECK_UINT(8, c.longest);
}

static void check_forms(const census *c, bool has_dword)
{
    CHECK(c->literals != 0);
    CHECK(c->code != 0);
    CHECK(c->nibble != 0);
    CHECK(c->shared_nibble != 0);
    CHECK(c->byte != 0);
    CHECK(c->word != 0);
    CHECK(!has_dword || c->dword != 0);
    CHECK(c->distance_1 != 0);
    CHECK(c->distance_8192 != 0);
    CHECK(c->overlapping != 0);
}

/* All forms of token, in a buffer of usual size and in the largest. */
static void test_lazy(void)
{
    static uint8_t bytes[MEBIBYTE];
    const census usual = round_trip(bytes, 65464, BUILD_MODEL_LAZY);
    check_forms(&usual, false);
    const census large = round_trip(bytes, sizeof bytes, BUILD_MODEL_LAZY);
    check_forms(&large, true);
    CHECK_UINT(0x1FF, large.edges);
}

/* The largest buffers, with bytes for which the search is slow: many places have the same hash. */
static void test_large(void)
{
    static uint8_t bytes[MEBIBYTE];
    for (size_t period = 1; period <= 4096; period *= 64) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i % period == 0 ? i / period % 7 : 0);
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++)
            round_trip(bytes, sizeof bytes, modes[m]);
    }
    make_mixed(bytes, sizeof bytes, 5);
    round_trip(bytes, sizeof bytes, BUILD_MODEL_GREEDY);
    round_trip(bytes, sizeof bytes, BUILD_MODEL_LAZY);
}

int main(void)
{
    test_sizes();
    test_unused_flag_word();
    test_literal();
    test_greedy();
    test_longest();
    test_lazy();
    test_large();
    return test_result();
}
