/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the used bytes of an XPRESS stream, from the lengths in it. Called by the expected regions of compressed buffers.
 * Source: MS-XCA 2.3.
 */
#include "expect/xpress_stream_length.h"

#include "model/structure_bytes.h"

/* The stream, the offset reached in it, and the size that the bytes so far inflate to. */
typedef struct cursor {
    build_span bytes;
    size_t at, half; /* offset of a length byte whose high half is free; 0 if there is none */
    uint64_t output;
} cursor;

static uint64_t take(cursor *s, size_t size)
{
    const uint64_t number = s->at + size <= s->bytes.size ? build_span_number(s->bytes, s->at, size) : 0;
    s->at += size;
    return number;
}

static uint64_t take_half(cursor *s)
{
    const size_t half = s->half;
    s->half = half == 0 ? s->at : 0;
    return half == 0 ? take(s, 1) & 15 : build_span_number(s->bytes, half, 1) >> 4;
}

/* The length of a match whose token holds `low`. Each longer form continues where the one before is at its maximum. */
static uint64_t take_length(cursor *s, uint64_t low)
{
    uint64_t length = low;
    if (low == 7)
        length += take_half(s);
    if (length == 7 + 15)
        length += take(s, 1);
    if (length == 7 + 15 + 255) {
        length = take(s, 2);
        if (length == 0)
            length = take(s, 4);
    }
    return length + 3;
}

uint32_t build_xpress_stream_length(const build_chunk *stream, uint64_t output)
{
    cursor s = {.bytes = {stream->at, stream->size}};
    uint64_t flags = 0;
    for (unsigned left = 0; s.output < output && s.at < stream->size; left--) {
        if (left == 0) {
            flags = take(&s, 4);
            left = 32;
        }
        if ((flags >> (left - 1) & 1) == 0) {
            s.at++;
            s.output++;
        } else {
            s.output += take_length(&s, take(&s, 2) & 7);
        }
    }
    return (uint32_t)s.at;
}
