/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a compressed stream (MS-XCA, plain LZ77) against the bytes that the decoder made of it: each token must make the
 * bytes that are there. Called by due_buffer.c.
 */
#include "stream_replay.h"

#include "input_bytes.h"

typedef struct stream {
    etl_span in, out;
    size_t at, to;
    const uint8_t *shared; /* the byte whose high nibble is the next length; NULL: none */
    bool over;             /* the input ended inside a token */
} stream;

static uint32_t next(stream *s, unsigned size)
{
    if (size > s->in.size - s->at) {
        s->over = true;
        return 0;
    }
    const uint32_t value = (uint32_t)oracle_raw(s->in.at + s->at, size);
    s->at += size;
    return value;
}

/* The length of a match, by the shortest form that holds it: three bits, a nibble, a byte, a word or a dword. */
static uint64_t next_length(stream *s, uint32_t code)
{
    if (code < 7)
        return code + 3;
    const uint8_t *byte = s->in.at + s->at;
    uint32_t value;
    if (s->shared) {
        value = *s->shared / 16u;
        s->shared = NULL;
    } else {
        value = next(s, 1) % 16;
        s->shared = byte;
    }
    if (value < 15)
        return value + 10;
    value = next(s, 1);
    if (value < 255)
        return value + 25;
    value = next(s, 2);
    if (value == 0)
        value = next(s, 4);
    s->over = s->over || value < 22;
    return (uint64_t)value + 3;
}

/* True if the match is whole and its bytes are there. At a fault, `s` stays at the token. */
static oracle_stream_end replay_match(stream *s)
{
    const stream before = *s;
    if (s->at == s->in.size)
        return ORACLE_STREAM_ENDED;
    const uint32_t word = next(s, 2);
    const size_t distance = word / 8 + 1;
    const uint64_t length = next_length(s, word % 8), rest = s->out.size - s->to;
    if (s->over || distance > s->to) {
        *s = before;
        return ORACLE_STREAM_FAULT;
    }
    for (uint64_t i = 0; i < length && i < rest; i++, s->to++)
        if (s->out.at[s->to] != s->out.at[s->to - distance])
            return ORACLE_STREAM_DIFFERS;
    if (length <= rest)
        return ORACLE_STREAM_GOES_ON;
    const size_t to = s->to;
    *s = before;
    s->to = to;
    return ORACLE_STREAM_OVERRUN;
}

static oracle_stream_end replay_literal(stream *s)
{
    if (s->at == s->in.size)
        return ORACLE_STREAM_FAULT;
    return s->in.at[s->at++] == s->out.at[s->to++] ? ORACLE_STREAM_GOES_ON : ORACLE_STREAM_DIFFERS;
}

oracle_stream_replay oracle_replay_stream(etl_span in, etl_span out)
{
    stream s = {.in = in, .out = out};
    oracle_stream_end end = ORACLE_STREAM_GOES_ON;
    uint32_t flags = 0, left = 0;
    while (end == ORACLE_STREAM_GOES_ON && s.to < out.size) {
        if (left == 0) {
            flags = next(&s, 4);
            left = 32;
            if (s.over)
                end = ORACLE_STREAM_FAULT;
            continue;
        }
        left--;
        end = flags >> left & 1 ? replay_match(&s) : replay_literal(&s);
    }
    return (oracle_stream_replay){end, s.at, s.to, left == 0};
}
