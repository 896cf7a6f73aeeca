/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only way to write into scratch, the memory that the caller lends. Every store states its offset and is checked: a
 * store that does not fit writes nothing.
 */
#ifndef ETLPROOF_SCRATCH_H
#define ETLPROOF_SCRATCH_H

#include "span.h"

/*@ predicate etl_writable{L}(etl_scratch r) = \valid(r.at + (0 .. r.size - 1)); */

/* The scratch as a span, to read what was written. */
/*@ requires etl_writable(r);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && \result.at == r.at && \result.size == r.size; */
static inline etl_span etl_scratch_span(etl_scratch r)
{
    etl_span s = {r.at, r.size};
    return s;
}

/* `size` bytes of the scratch at `offset`; none if they do not fit. */
/*@ requires etl_writable(r);
  @ assigns \nothing;
  @ ensures etl_writable(\result);
  @ ensures offset + size <= r.size ==> \result.at == r.at + offset && \result.size == size;
  @ ensures offset + size > r.size ==> \result.size == 0; */
static inline etl_scratch etl_scratch_part(etl_scratch r, size_t offset, size_t size)
{
    etl_scratch part = {NULL, 0};
    if (etl_span_has(etl_scratch_span(r), offset, size)) {
        part.at = r.at + offset;
        part.size = size;
    }
    return part;
}

/*@ requires etl_writable(r);
  @ assigns r.at[0 .. r.size - 1];
  @ ensures offset < r.size ==> r.at[offset] == value;
  @ ensures \forall integer i; 0 <= i < r.size && i != offset ==> r.at[i] == \old(r.at[i]); */
static inline void etl_store_u8(etl_scratch r, size_t offset, uint8_t value)
{
    if (offset < r.size)
        r.at[offset] = value;
}

/*@ requires etl_writable(r);
  @ assigns r.at[0 .. r.size - 1];
  @ ensures \forall integer i; 0 <= i < r.size && (i < offset || i >= offset + 2 || offset + 2 > r.size) ==>
  @   r.at[i] == \old(r.at[i]); */
static inline void etl_store_u16(etl_scratch r, size_t offset, uint16_t value)
{
    if (!etl_span_has(etl_scratch_span(r), offset, 2))
        return;
    r.at[offset] = (uint8_t)value;
    r.at[offset + 1] = (uint8_t)(value >> 8);
}

/*@ requires etl_writable(r);
  @ assigns r.at[0 .. r.size - 1];
  @ ensures \forall integer i; 0 <= i < r.size && (i < offset || i >= offset + 4 || offset + 4 > r.size) ==>
  @   r.at[i] == \old(r.at[i]); */
static inline void etl_store_u32(etl_scratch r, size_t offset, uint32_t value)
{
    if (!etl_span_has(etl_scratch_span(r), offset, 4))
        return;
    uint8_t *p = r.at + offset;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

/*@ requires etl_writable(r);
  @ assigns r.at[0 .. r.size - 1];
  @ ensures \forall integer i; 0 <= i < r.size && (i < offset || i >= offset + 8 || offset + 8 > r.size) ==>
  @   r.at[i] == \old(r.at[i]); */
static inline void etl_store_u64(etl_scratch r, size_t offset, uint64_t value)
{
    if (!etl_span_has(etl_scratch_span(r), offset, 8))
        return;
    uint8_t *p = r.at + offset;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
}

/* The first `size` bytes of `from`, a multiple of 8, to the start of the scratch. */
/*@ requires etl_writable(r) && etl_readable(from) && size % 8 == 0;
  @ assigns r.at[0 .. r.size - 1]; */
static inline void etl_store_copy(etl_scratch r, etl_span from, size_t size)
{
    /*@ loop invariant at % 8 == 0 && at <= size;
      @ loop assigns at, r.at[0 .. r.size - 1];
      @ loop variant size - at; */
    for (size_t at = 0; at < size; at += 8)
        etl_store_u64(r, at, etl_load_u64(from, at));
}

#endif
