/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only door to input bytes. Every load states its offset and is checked: a load that does not fit gives 0 and reads
 * nothing. Loads are byte-wise and little-endian, and assume nothing about alignment or the host's byte order; compilers
 * still turn each into one instruction.
 *
 * scripts/prove proves the contracts: given readable spans, no function reads outside of them, and each returns what its
 * contract states.
 */
#ifndef ETLPROOF_SPAN_H
#define ETLPROOF_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"
#include "etlproof/guid.h"

/*@
  predicate etl_readable{L}(etl_span s) = \valid_read(s.at + (0 .. s.size - 1));

  predicate etl_fits(etl_span s, integer offset, integer size) = offset + size <= s.size;

  logic integer etl_u16_at{L}(uint8_t *p) = p[0] + 0x100 * p[1];

  logic integer etl_u32_at{L}(uint8_t *p) = etl_u16_at(p) + 0x10000 * etl_u16_at(p + 2);

  logic integer etl_u64_at{L}(uint8_t *p) = etl_u32_at(p) + 0x100000000 * etl_u32_at(p + 4);

  // `part` is a piece of `whole`, or empty.
  predicate etl_within(etl_span part, etl_span whole) =
    part.size == 0 ||
    (\exists integer i; 0 <= i && part.at == whole.at + i && i + part.size <= whole.size);

  predicate etl_all{L}(uint8_t *p, integer n, integer value) = \forall integer i; 0 <= i < n ==> p[i] == value;

  lemma etl_u16_range{L}: \forall uint8_t *p; 0 <= etl_u16_at(p) <= 0xFFFF;
  lemma etl_u32_range{L}: \forall uint8_t *p; 0 <= etl_u32_at(p) <= 0xFFFFFFFF;
*/

/* True if `size` bytes at `offset` lie within the span. */
/*@ assigns \nothing;
  @ ensures \result <==> etl_fits(s, offset, size); */
static inline bool etl_span_has(etl_span s, size_t offset, size_t size)
{
    return offset <= s.size && size <= s.size - offset;
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 1) ==> \result == s.at[offset];
  @ ensures !etl_fits(s, offset, 1) ==> \result == 0; */
static inline uint8_t etl_load_u8(etl_span s, size_t offset)
{
    return etl_span_has(s, offset, 1) ? s.at[offset] : 0;
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 2) ==> \result == etl_u16_at(s.at + offset);
  @ ensures !etl_fits(s, offset, 2) ==> \result == 0; */
static inline uint16_t etl_load_u16(etl_span s, size_t offset)
{
    if (!etl_span_has(s, offset, 2))
        return 0;
    const uint8_t *p = s.at + offset;
    return (uint16_t)((uint32_t)p[0] + ((uint32_t)p[1] << 8));
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 4) ==> \result == etl_u32_at(s.at + offset);
  @ ensures !etl_fits(s, offset, 4) ==> \result == 0; */
static inline uint32_t etl_load_u32(etl_span s, size_t offset)
{
    if (!etl_span_has(s, offset, 4))
        return 0;
    etl_span part = {s.at + offset, 4}; /* of known size: compilers drop the checks of the loads below */
    return (uint32_t)etl_load_u16(part, 0) + ((uint32_t)etl_load_u16(part, 2) << 16);
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 8) ==> \result == etl_u64_at(s.at + offset);
  @ ensures !etl_fits(s, offset, 8) ==> \result == 0; */
static inline uint64_t etl_load_u64(etl_span s, size_t offset)
{
    if (!etl_span_has(s, offset, 8))
        return 0;
    etl_span part = {s.at + offset, 8};
    return (uint64_t)etl_load_u32(part, 0) + ((uint64_t)etl_load_u32(part, 4) << 32);
}

/* Two's complement without a conversion whose result the implementation defines. */
/*@ assigns \nothing;
  @ ensures \result == (value <= INT32_MAX ? value : value - 0x100000000); */
static inline int32_t etl_signed_32(uint32_t value)
{
    return value <= INT32_MAX ? (int32_t)value : -(int32_t)(UINT32_MAX - value) - 1;
}

/*@ assigns \nothing;
  @ ensures \result == (value <= INT64_MAX ? value : value - 0x10000000000000000); */
static inline int64_t etl_signed_64(uint64_t value)
{
    return value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 4) ==>
  @   \result == etl_u32_at(s.at + offset) - (s.at[offset + 3] < 0x80 ? 0 : 0x100000000);
  @ ensures !etl_fits(s, offset, 4) ==> \result == 0; */
static inline int32_t etl_load_i32(etl_span s, size_t offset)
{
    return etl_signed_32(etl_load_u32(s, offset));
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 8) ==>
  @   \result == etl_u64_at(s.at + offset) - (s.at[offset + 7] < 0x80 ? 0 : 0x10000000000000000);
  @ ensures !etl_fits(s, offset, 8) ==> \result == 0; */
static inline int64_t etl_load_i64(etl_span s, size_t offset)
{
    return etl_signed_64(etl_load_u64(s, offset));
}

/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_fits(s, offset, 16) ==>
  @   \result.data1 == etl_u32_at(s.at + offset) && \result.data2 == etl_u16_at(s.at + offset + 4) &&
  @   \result.data3 == etl_u16_at(s.at + offset + 6) &&
  @   (\forall integer i; 0 <= i < 8 ==> \result.data4[i] == s.at[offset + 8 + i]);
  @ ensures !etl_fits(s, offset, 16) ==> \result.data1 == 0 && \result.data2 == 0 && \result.data3 == 0 &&
  @   (\forall integer i; 0 <= i < 8 ==> \result.data4[i] == 0); */
static inline etl_guid etl_load_guid(etl_span s, size_t offset)
{
    etl_guid g = {0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}};
    if (!etl_span_has(s, offset, 16))
        return g;
    etl_span part = {s.at + offset, 16};
    g.data1 = etl_load_u32(part, 0);
    g.data2 = etl_load_u16(part, 4);
    g.data3 = etl_load_u16(part, 6);
    g.data4[0] = part.at[8];
    g.data4[1] = part.at[9];
    g.data4[2] = part.at[10];
    g.data4[3] = part.at[11];
    g.data4[4] = part.at[12];
    g.data4[5] = part.at[13];
    g.data4[6] = part.at[14];
    g.data4[7] = part.at[15];
    return g;
}

/* The bytes from `offset` on; empty if `offset` is behind the end. */
/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && etl_within(\result, s);
  @ ensures offset < s.size ==> \result.at == s.at + offset && \result.size == s.size - offset;
  @ ensures offset >= s.size ==> \result.size == 0; */
static inline etl_span etl_span_from(etl_span s, size_t offset)
{
    etl_span rest = {NULL, 0};
    if (offset < s.size) {
        rest.at = s.at + offset;
        rest.size = s.size - offset;
    }
    return rest;
}

/* The first `size` bytes; all if there are fewer. */
/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && etl_within(\result, s);
  @ ensures \result.at == s.at && \result.size == \min(size, s.size); */
static inline etl_span etl_span_first(etl_span s, size_t size)
{
    etl_span first = {s.at, size < s.size ? size : s.size};
    return first;
}

/* `size` bytes at `offset`; all from there on if there are fewer. */
/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && etl_within(\result, s);
  @ ensures offset < s.size ==> \result.at == s.at + offset && \result.size == \min(size, s.size - offset);
  @ ensures offset >= s.size ==> \result.size == 0; */
static inline etl_span etl_span_part(etl_span s, size_t offset, size_t size)
{
    return etl_span_first(etl_span_from(s, offset), size);
}

/* The number of bytes at the start of the span that are `value`. */
/*@ requires etl_readable(s);
  @ assigns \nothing;
  @ ensures \result <= s.size && etl_all(s.at, \result, value);
  @ ensures \result < s.size ==> s.at[\result] != value; */
static inline size_t etl_span_run(etl_span s, uint8_t value)
{
    const uint64_t eight = UINT64_C(0x0101010101010101) * value;
    size_t n = 0;
    /*@ loop invariant n <= s.size && etl_all(s.at, n, value);
      @ loop assigns n;
      @ loop variant s.size - n; */
    while (etl_span_has(s, n, 8) && etl_load_u64(s, n) == eight) {
        /*@ assert etl_u64_at(s.at + n) == 0x101010101010101 * value; */
        /*@ assert etl_u32_at(s.at + n) == 0x1010101 * value && etl_u32_at(s.at + n + 4) == 0x1010101 * value; */
        /*@ assert etl_u16_at(s.at + n) == 0x101 * value && etl_u16_at(s.at + n + 2) == 0x101 * value; */
        /*@ assert etl_u16_at(s.at + n + 4) == 0x101 * value && etl_u16_at(s.at + n + 6) == 0x101 * value; */
        /*@ assert s.at[n] == value && s.at[n + 1] == value && s.at[n + 2] == value && s.at[n + 3] == value; */
        /*@ assert s.at[n + 4] == value && s.at[n + 5] == value && s.at[n + 6] == value && s.at[n + 7] == value; */
        /*@ assert \forall integer i; n <= i < n + 8 ==> s.at[i] == value; */
        n += 8;
    }
    /*@ loop invariant n <= s.size && etl_all(s.at, n, value);
      @ loop assigns n;
      @ loop variant s.size - n; */
    while (n < s.size && s.at[n] == value)
        n++;
    return n;
}

#endif
