/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes XPRESS streams for tests, after MS-XCA 2.3: each token goes into the stream, and the bytes that it stands for into
 * the expected output. Shares no code with the inflater.
 */
#ifndef ETLPROOF_XPRESS_H
#define ETLPROOF_XPRESS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XPRESS_STREAM_MAX (1 << 20)
#define XPRESS_OUTPUT_MAX (1 << 21)

typedef struct xpress {
    uint8_t stream[XPRESS_STREAM_MAX];
    size_t size;
    uint8_t output[XPRESS_OUTPUT_MAX];
    size_t produced;
    size_t flags_at; /* of the flag word that is being filled */
    uint32_t flags, count;
    size_t nibble_at; /* of the byte whose high nibble is free; 0 if none is */
} xpress;

static inline void xpress_put(xpress *x, uint64_t value, size_t size)
{
    if (size > XPRESS_STREAM_MAX - x->size)
        abort();
    for (size_t i = 0; i < size; i++)
        x->stream[x->size++] = (uint8_t)(value >> 8 * i);
}

static inline void xpress_begin(xpress *x)
{
    x->size = x->produced = x->flags_at = x->nibble_at = 0;
    x->flags = x->count = 0;
    xpress_put(x, 0, 4);
}

static inline void xpress_store_flags(xpress *x)
{
    for (size_t i = 0; i < 4; i++)
        x->stream[x->flags_at + i] = (uint8_t)(x->flags >> 8 * i);
}

/* As Windows does, reserves the next flag word as soon as one is full. */
static inline void xpress_flag(xpress *x, uint32_t flag)
{
    x->flags = x->flags << 1 | flag;
    if (++x->count == 32) {
        xpress_store_flags(x);
        x->flags_at = x->size;
        x->flags = x->count = 0;
        xpress_put(x, 0, 4);
    }
}

static inline void xpress_emit(xpress *x, uint8_t byte)
{
    if (x->produced == XPRESS_OUTPUT_MAX)
        abort();
    x->output[x->produced++] = byte;
}

static inline void xpress_literal(xpress *x, uint8_t byte)
{
    xpress_put(x, byte, 1);
    xpress_flag(x, 0);
    xpress_emit(x, byte);
}

static inline void xpress_nibble(xpress *x, uint32_t nibble)
{
    if (x->nibble_at != 0) {
        x->stream[x->nibble_at] |= (uint8_t)(nibble << 4);
        x->nibble_at = 0;
    } else {
        x->nibble_at = x->size;
        xpress_put(x, nibble, 1);
    }
}

/* Writes the bytes of a match but not its output, so that the match may be impossible. */
static inline void xpress_match_token(xpress *x, size_t distance, uint64_t length)
{
    uint64_t rest = length - 3;
    xpress_put(x, (distance - 1) << 3 | (rest < 7 ? rest : 7), 2);
    if (rest >= 7) {
        rest -= 7;
        xpress_nibble(x, (uint32_t)(rest < 15 ? rest : 15));
        if (rest >= 15) {
            rest -= 15;
            xpress_put(x, rest < 255 ? rest : 255, 1);
            if (rest >= 255) {
                rest += 15 + 7;
                xpress_put(x, rest < 65536 ? rest : 0, 2);
                if (rest >= 65536)
                    xpress_put(x, rest, 4);
            }
        }
    }
    xpress_flag(x, 1);
}

static inline void xpress_match(xpress *x, size_t distance, uint64_t length)
{
    xpress_match_token(x, distance, length);
    for (uint64_t i = 0; i < length; i++)
        xpress_emit(x, x->output[x->produced - distance]);
}

/* Sets the flags that are left; the first of them ends the stream. */
static inline void xpress_end(xpress *x)
{
    uint32_t left = 32 - x->count;
    x->flags = (uint32_t)((uint64_t)x->flags << left | ((UINT64_C(1) << left) - 1));
    xpress_store_flags(x);
}

/* xorshift64*; the same numbers on every machine. */
static inline uint32_t xpress_random(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % below;
}

/* A length up to `longest`, of a random form; short forms are more frequent. */
static inline uint64_t xpress_random_length(uint64_t *state, uint32_t longest)
{
    static const uint32_t spread[] = {7, 7, 7, 15, 22, 255, 300, 70000};
    uint32_t below = spread[xpress_random(state, 8)];
    return 3 + xpress_random(state, below < longest - 2 ? below : longest - 2);
}

/* A stream of random tokens for `size` bytes of output or a little more, without a match longer than `longest`. */
static inline void xpress_write_random(xpress *x, uint64_t *state, size_t size, uint32_t longest)
{
    uint32_t literals = 1 + xpress_random(state, 20); /* of 20 tokens */
    xpress_begin(x);
    while (x->produced < size) {
        if (x->produced == 0 || xpress_random(state, 20) < literals) {
            xpress_literal(x, (uint8_t)xpress_random(state, 256));
        } else {
            uint32_t most = x->produced < 8192 ? (uint32_t)x->produced : 8192;
            if (most > 20 && xpress_random(state, 2) == 0)
                most = 20;
            size_t distance = 1 + xpress_random(state, most);
            xpress_match(x, distance, xpress_random_length(state, longest));
        }
    }
    xpress_end(x);
}

#endif
