/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses bytes to an XPRESS stream. Called by the layout for compressed buffers, and by the mutator, which compiles
 * this file alone. Tokens follow MS-XCA 2.3. A hash table holds the last place of each three bytes, and chains lead from
 * each place to the one before with the same hash.
 */
#include "image/xpress_compressor.h"

#include <string.h>

enum { WINDOW = 8192, LENGTH_MIN = 3, HASH_BITS = 13, CANDIDATES = 256 };

/* The longest lengths that the code alone, with a nibble, with a byte and with a u16 can hold. */
enum { CODE_MOST = 9, NIBBLE_MOST = 24, BYTE_MOST = 279, WORD_MOST = 65538 };

/* The stream. */

typedef struct writer {
    build_chunk *out;
    size_t flags_at; /* of the open flag word */
    uint32_t flags, count;
    size_t nibble_at; /* of the byte whose high nibble is free; 0 if none is */
} writer;

static void open_flags(writer *w)
{
    w->flags_at = w->out->size;
    w->flags = w->count = 0;
    build_chunk_number(w->out, 0, 4);
}

static void store_flags(writer *w)
{
    for (size_t i = 0; i < 4; i++)
        w->out->at[w->flags_at + i] = (uint8_t)(w->flags >> 8 * i);
}

/* Like Windows, reserves the next flag word as soon as one is full. */
static void put_flag(writer *w, uint32_t flag)
{
    w->flags = w->flags << 1 | flag;
    if (++w->count == 32) {
        store_flags(w);
        open_flags(w);
    }
}

static void put_literal(writer *w, uint8_t byte)
{
    build_chunk_number(w->out, byte, 1);
    put_flag(w, 0);
}

/* Two matches share a byte of nibbles: the first takes its low one, the second its high one. */
static void put_nibble(writer *w, uint32_t nibble)
{
    if (w->nibble_at != 0) {
        w->out->at[w->nibble_at] |= (uint8_t)(nibble << 4);
        w->nibble_at = 0;
    } else {
        w->nibble_at = w->out->size;
        build_chunk_number(w->out, nibble, 1);
    }
}

/* A u16 or u32 holds the length minus 3; it does not continue the nibble and byte. */
static void put_long_length(writer *w, uint64_t rest)
{
    const uint64_t beyond = rest - (NIBBLE_MOST + 1 - LENGTH_MIN);
    build_chunk_number(w->out, beyond < UINT8_MAX ? beyond : UINT8_MAX, 1);
    if (beyond < UINT8_MAX)
        return;
    build_chunk_number(w->out, rest <= UINT16_MAX ? rest : 0, 2);
    if (rest > UINT16_MAX)
        build_chunk_number(w->out, rest, 4);
}

static void put_match(writer *w, size_t distance, size_t length)
{
    const uint64_t rest = length - LENGTH_MIN;
    const uint64_t code = length > CODE_MOST ? CODE_MOST + 1 - LENGTH_MIN : rest;
    build_chunk_number(w->out, (distance - 1) << 3 | code, 2);
    if (length > CODE_MOST) {
        put_nibble(w, (uint32_t)(length > NIBBLE_MOST ? NIBBLE_MOST - CODE_MOST : length - CODE_MOST - 1));
        if (length > NIBBLE_MOST)
            put_long_length(w, rest);
    }
    put_flag(w, 1);
}

/* The unused flags are set; the first of them ends the stream. */
static void close_stream(writer *w)
{
    const uint32_t left = 32 - w->count;
    w->flags = (uint32_t)((uint64_t)w->flags << left | ((UINT64_C(1) << left) - 1));
    store_flags(w);
}

/* The search. */

/* Places count from 1; 0 means none. Only earlier places within the window are considered. */
typedef struct finder {
    const uint8_t *bytes;
    size_t size;
    uint32_t last[1 << HASH_BITS]; /* the last place with this hash */
    uint32_t before[WINDOW];       /* of a place in the window: the one before it with the same hash */
} finder;

typedef struct match {
    size_t distance, length;
} match;

static size_t hash(const uint8_t *b)
{
    const uint32_t three = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
    return three * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

/* Adds the place, so that matches can start there. */
static void remember(finder *f, size_t at)
{
    if (f->size - at < LENGTH_MIN)
        return;
    const size_t h = hash(f->bytes + at);
    f->before[at % WINDOW] = f->last[h];
    f->last[h] = (uint32_t)at + 1;
}

/* How many bytes at `at`, at most `most`, equal those `distance` before; the two runs may overlap. */
static size_t length_at(const finder *f, size_t at, size_t distance, size_t most)
{
    size_t length = 0;
    if (distance > at)
        return 0;
    while (length < most && f->bytes[at + length] == f->bytes[at + length - distance])
        length++;
    return length;
}

/* A candidate can only be longer than the best so far if it has the byte that follows that one. */
static bool can_be_longer(const finder *f, size_t at, size_t distance, size_t best)
{
    return f->bytes[at + best] == f->bytes[at + best - distance];
}

/* The longest match among the nearest candidates, at most `most` bytes; of equals the nearest. */
static match longest(const finder *f, size_t at, size_t most)
{
    match best = {0, 0};
    if (f->size - at < LENGTH_MIN)
        return best;
    uint32_t place = f->last[hash(f->bytes + at)];
    for (unsigned i = 0; i < CANDIDATES && place != 0 && best.length < most; i++) {
        const size_t distance = at - (place - 1);
        if (distance > WINDOW)
            break;
        if (can_be_longer(f, at, distance, best.length)) {
            const match one = {distance, length_at(f, at, distance, most)};
            if (one.length > best.length)
                best = one;
        }
        place = f->before[(place - 1) % WINDOW];
    }
    return best;
}

/*
 * In turn the farthest possible match, the nearest and the longest, cut to the shortest and longest length of each form and
 * to half of the remaining bytes, so that no match takes them all.
 */
static match varied(const finder *f, size_t at, unsigned turn)
{
    static const size_t cuts[] = {LENGTH_MIN, CODE_MOST,     CODE_MOST + 1, NIBBLE_MOST,   NIBBLE_MOST + 1,
                                  BYTE_MOST,  BYTE_MOST + 1, WORD_MOST,     WORD_MOST + 1, SIZE_MAX};
    static const size_t distances[] = {WINDOW, 1, 0};
    const size_t cut = cuts[turn % (sizeof cuts / sizeof cuts[0])];
    const size_t left = f->size - at, half = left / 2 < LENGTH_MIN ? left : left / 2;
    const size_t most = half < cut ? half : cut;
    const size_t distance = distances[turn % (sizeof distances / sizeof distances[0])];
    match one = {distance, distance != 0 ? length_at(f, at, distance, most) : 0};
    if (one.length < LENGTH_MIN)
        one = longest(f, at, most);
    return one;
}

void build_xpress_compress(const uint8_t *bytes, size_t size, build_model_compression mode, build_chunk *out)
{
    writer w = {.out = out};
    finder f;
    f.bytes = bytes;
    f.size = size;
    memset(f.last, 0, sizeof f.last);
    unsigned turn = 0;
    open_flags(&w);
    for (size_t at = 0, next; at < size; at = next) {
        match one = {0, 0};
        if (mode != BUILD_MODEL_LITERAL)
            one = mode == BUILD_MODEL_LAZY ? varied(&f, at, turn) : longest(&f, at, size - at);
        if (one.length >= LENGTH_MIN) {
            put_match(&w, one.distance, one.length);
            next = at + one.length;
            turn++;
        } else {
            put_literal(&w, bytes[at]);
            next = at + 1;
        }
        for (size_t i = at; i < next; i++)
            remember(&f, i);
    }
    close_stream(&w);
}
