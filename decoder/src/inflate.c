/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflates a compressed stream. stream.c calls this for the data of a buffer.
 *
 * A stream is a sequence of 32-bit flag words, each followed by the tokens of its 32 flags from the top bit down: a
 * literal byte for 0, a match for 1. It ends with a flag 1 that has no token; the flags after that are unused.
 */
#include "etlproof/inflate.h"

#include <stdbool.h>

#include "scratch.h"

/* A match: u16 with length code and distance, then for a longer length a nibble, a byte, a u16 and a u32. */
#define CODES 8u      /* length codes: the low three bits of a match; the others are its distance */
#define CODE_MAX 7u
#define NIBBLE_MAX 15u
#define BYTE_MAX 255u
#define LENGTH_MIN 3u /* the length that code 0 stands for */

typedef struct inflater {
    etl_span in;
    etl_scratch out;
    size_t at;         /* next byte of input */
    size_t to;         /* next byte of output */
    uint32_t flags;    /* the next flag on top */
    uint32_t left;     /* flags not used yet */
    bool has_nibble;   /* the high nibble of the byte with the last nibble is not used yet */
    uint8_t nibble;
} inflater;

typedef struct match {
    size_t at; /* next byte of input, after the token */
    size_t distance;
    uint64_t length;
    bool has_nibble;
    uint8_t nibble;
} match;

/*@
  predicate sound(inflater *z) =
    etl_readable(z->in) && etl_writable(z->out) && z->at <= z->in.size && z->to <= z->out.size && z->left <= 32;
*/

/* The input of a match. Each step takes `size` bytes and fails if they are not there. */
/*@ requires \valid_read(z) && \valid(m) && \valid(value) && \separated(z, m, value) && sound(z);
  @ requires m->at <= z->in.size && (size == 1 || size == 2 || size == 4);
  @ assigns m->at, *value;
  @ ensures m->at <= z->in.size;
  @ ensures size == 2 && \result ==> *value <= 0xFFFF; */
static bool take(const inflater *z, match *m, size_t size, uint32_t *value)
{
    if (!etl_span_has(z->in, m->at, size))
        return false;
    *value = size == 1 ? etl_load_u8(z->in, m->at) : size == 2 ? etl_load_u16(z->in, m->at) : etl_load_u32(z->in, m->at);
    m->at += size;
    return true;
}

/* Two matches share a byte of nibbles: the first takes its low one, the second its high one. */
/*@ requires \valid_read(z) && \valid(m) && \valid(value) && \separated(z, m, value) && sound(z);
  @ requires m->at <= z->in.size;
  @ assigns m->at, m->nibble, m->has_nibble, *value;
  @ ensures m->at <= z->in.size;
  @ ensures \result ==> *value <= 0xFF; */
static bool take_nibble(const inflater *z, match *m, uint32_t *value)
{
    uint32_t byte;
    if (z->has_nibble) {
        *value = z->nibble;
        m->has_nibble = false;
        return true;
    }
    if (!take(z, m, 1, &byte))
        return false;
    *value = byte & NIBBLE_MAX;
    m->nibble = (uint8_t)(byte >> 4);
    m->has_nibble = true;
    return true;
}

/* A length too large for code and nibble. A u16 or u32 is the whole length: it must not fit the shorter forms. */
/*@ requires \valid_read(z) && \valid(m) && \separated(z, m) && sound(z) && m->at <= z->in.size;
  @ assigns m->at, m->length;
  @ ensures m->at <= z->in.size;
  @ ensures \result == ETL_INFLATE_DONE ==> m->length <= 0xFFFFFFFF; */
static etl_inflate_status read_long_length(const inflater *z, match *m)
{
    uint32_t value;
    if (!take(z, m, 1, &value))
        return ETL_INFLATE_CUT;
    if (value < BYTE_MAX) {
        m->length = (uint64_t)value + NIBBLE_MAX + CODE_MAX;
        return ETL_INFLATE_DONE;
    }
    if (!take(z, m, 2, &value) || (value == 0 && !take(z, m, 4, &value)))
        return ETL_INFLATE_CUT;
    m->length = value;
    return value < NIBBLE_MAX + CODE_MAX ? ETL_INFLATE_LENGTH : ETL_INFLATE_DONE;
}

/* Reads a match and leaves `z` as it is; DONE if the match is complete. */
/*@ requires \valid_read(z) && \valid(m) && \separated(z, m) && sound(z);
  @ assigns *m;
  @ ensures m->at <= z->in.size;
  @ ensures \result == ETL_INFLATE_DONE ==> 1 <= m->distance <= z->to && m->distance <= 8192 && m->length >= LENGTH_MIN; */
static etl_inflate_status read_match(const inflater *z, match *m)
{
    uint32_t value;
    etl_inflate_status status = ETL_INFLATE_DONE;
    m->at = z->at;
    m->has_nibble = z->has_nibble;
    m->nibble = z->nibble;
    if (!take(z, m, 2, &value))
        return ETL_INFLATE_CUT;
    m->distance = value / CODES + 1;
    m->length = value % CODES;
    if (m->length == CODE_MAX) {
        if (!take_nibble(z, m, &value))
            return ETL_INFLATE_CUT;
        m->length += value;
        if (value == NIBBLE_MAX)
            status = read_long_length(z, m);
    }
    m->length += LENGTH_MIN;
    if (status == ETL_INFLATE_DONE && m->distance > z->to)
        status = ETL_INFLATE_DISTANCE;
    return status;
}

/* The number of flags 0 on top of `flags`; 32 if all are 0. */
/*@ assigns \nothing; */
static uint32_t count_literals(uint32_t flags)
{
    uint32_t n = 0;
    if (flags == 0)
        return 32;
    /*@ loop invariant half <= 16;
      @ loop assigns half, n, flags;
      @ loop variant half; */
    for (uint32_t half = 16; half != 0; half /= 2) {
        if (flags >> (32 - half) == 0) {
            n += half;
            flags <<= half;
        }
    }
    return n;
}

/*@ assigns \nothing;
  @ ensures \result == \min(a, b); */
static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Copies `n` bytes, eight at a time: if input and output overlap, `from` must be eight bytes or more behind `to`. Writes up
 * to seven more bytes where they fit; otherwise the last bytes are copied one by one, which is slower.
 */
/*@ requires etl_readable(in) && etl_writable(out) && from + n <= in.size && to + n <= out.size && n <= SIZE_MAX - 16;
  @ assigns out.at[0 .. out.size - 1]; */
static void copy(etl_scratch out, size_t to, etl_span in, size_t from, size_t n)
{
    size_t i = 0, end = n;
    if (etl_span_has(in, from, n + 7) && etl_span_has(etl_scratch_span(out), to, n + 7))
        end += 7;
    /*@ loop invariant i <= end;
      @ loop assigns i, out.at[0 .. out.size - 1];
      @ loop variant end - i; */
    for (; i + 8 <= end; i += 8)
        etl_store_u64(out, to + i, etl_load_u64(in, from + i));
    /*@ loop assigns i, out.at[0 .. out.size - 1];
      @ loop variant n - i; */
    for (; i < n; i++)
        etl_store_u8(out, to + i, etl_load_u8(in, from + i));
}

/* Copies the literals up to the next match, or to the end of the flag word, of the input or of the output. */
/*@ requires \valid(z) && sound(z) && z->to < z->out.size && \separated(z, z->out.at + (0 .. z->out.size - 1));
  @ requires z->left != 0 && z->flags < 0x80000000 && z->out.size <= SIZE_MAX - 16;
  @ assigns z->at, z->to, z->flags, z->left, z->out.at[0 .. z->out.size - 1];
  @ ensures sound(z) && z->to >= \old(z->to);
  @ ensures \result == ETL_INFLATE_DONE ==> z->to > \old(z->to);
  @ ensures \result != ETL_INFLATE_DONE ==> z->left == \old(z->left); */
static etl_inflate_status copy_literals(inflater *z)
{
    uint32_t run = count_literals(z->flags);
    if (run > z->left)
        run = z->left;
    size_t n = least(run, least(z->in.size - z->at, z->out.size - z->to));
    if (n == 0)
        return ETL_INFLATE_CUT;
    copy(z->out, z->to, z->in, z->at, n);
    z->at += n;
    z->to += n;
    z->left -= (uint32_t)n;
    z->flags = n < 32 ? z->flags << n : 0;
    return ETL_INFLATE_DONE;
}

/* A match closer than eight bytes overlaps itself: copy bytes up to a multiple of its distance, eight or more, first. */
/*@ requires etl_writable(out) && 1 <= distance <= to && to + n <= out.size && distance <= 8192 && n <= SIZE_MAX - 16;
  @ assigns out.at[0 .. out.size - 1]; */
static void repeat(etl_scratch out, size_t to, size_t distance, size_t n)
{
    etl_span written = etl_scratch_span(out);
    size_t period = distance, i = 0;
    /*@ loop invariant distance <= period && (period < 8 + distance || period == distance);
      @ loop assigns period;
      @ loop variant 8 - period; */
    while (period < 8)
        period += distance;
    /*@ loop invariant i <= n && i <= period - distance;
      @ loop assigns i, out.at[0 .. out.size - 1];
      @ loop variant n - i; */
    for (; i < n && i < period - distance; i++)
        etl_store_u8(out, to + i, etl_load_u8(written, to + i - distance));
    if (i < n)
        copy(out, to + i, written, to + i - period, n - i);
}

/*@ requires \valid(z) && sound(z) && z->to < z->out.size && \separated(z, z->out.at + (0 .. z->out.size - 1));
  @ requires z->left != 0 && z->out.size <= SIZE_MAX - 16;
  @ assigns z->at, z->to, z->flags, z->left, z->has_nibble, z->nibble, z->out.at[0 .. z->out.size - 1];
  @ ensures sound(z) && z->to >= \old(z->to);
  @ ensures \result == ETL_INFLATE_DONE ==> z->to > \old(z->to);
  @ ensures \result != ETL_INFLATE_DONE ==> z->left == \old(z->left); */
static etl_inflate_status copy_match(inflater *z)
{
    match m;
    if (z->at == z->in.size)
        return ETL_INFLATE_SHORT;
    etl_inflate_status status = read_match(z, &m);
    if (status != ETL_INFLATE_DONE)
        return status;
    size_t n = z->out.size - z->to;
    if (m.length > n)
        status = ETL_INFLATE_OVERRUN;
    else
        n = (size_t)m.length;
    repeat(z->out, z->to, m.distance, n);
    z->to += n;
    if (status != ETL_INFLATE_DONE)
        return status;
    z->at = m.at;
    z->has_nibble = m.has_nibble;
    z->nibble = m.nibble;
    z->flags <<= 1;
    z->left--;
    return ETL_INFLATE_DONE;
}

/* Takes a flag word, or the tokens of its next flags. */
/*@ requires \valid(z) && sound(z) && z->to < z->out.size && \separated(z, z->out.at + (0 .. z->out.size - 1));
  @ requires z->out.size <= SIZE_MAX - 16;
  @ assigns z->at, z->to, z->flags, z->left, z->has_nibble, z->nibble, z->out.at[0 .. z->out.size - 1];
  @ ensures sound(z) && z->to >= \old(z->to);
  @ ensures \result == ETL_INFLATE_DONE ==> z->to > \old(z->to) || (\old(z->left) == 0 && z->left != 0);
  @ ensures \result != ETL_INFLATE_DONE ==> z->left == \old(z->left); */
static etl_inflate_status step(inflater *z)
{
    if (z->left != 0)
        return z->flags < UINT32_C(0x80000000) ? copy_literals(z) : copy_match(z);
    if (!etl_span_has(z->in, z->at, 4))
        return ETL_INFLATE_CUT;
    z->flags = etl_load_u32(z->in, z->at);
    z->left = 32;
    z->at += 4;
    return ETL_INFLATE_DONE;
}

etl_inflated etl_inflate(etl_span in, etl_scratch out)
{
    inflater z = {.in = in, .out = out};
    etl_inflate_status status = ETL_INFLATE_DONE;
    /*@ loop invariant sound(&z) && z.in == in && z.out == out;
      @ loop assigns z, status, out.at[0 .. out.size - 1];
      @ loop variant 3 * (out.size - z.to) + (z.left == 0 ? 1 : 0) + (status == ETL_INFLATE_DONE ? 1 : 0); */
    while (status == ETL_INFLATE_DONE && z.to < out.size)
        status = step(&z);
    etl_inflated result = {status, z.at, z.to};
    return result;
}
