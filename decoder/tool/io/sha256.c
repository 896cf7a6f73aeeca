/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of bytes that come piece by piece. `etlproof recover` calls this.
 */
#include "io/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void schedule(const uint8_t *block, uint32_t w[64])
{
    for (size_t i = 0; i < 16; i++)
        w[i] = big_endian(block + 4 * i);
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* Names as in FIPS 180-4. */
static void compress(tool_sha256 *hash, const uint8_t *block)
{
    uint32_t w[64], *const s = hash->state;
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    schedule(block, w);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        const uint32_t first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + constants[i] + w[i];
        const uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        s[i] += sums[i];
}

void tool_sha256_begin(tool_sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, start, sizeof start);
}

void tool_sha256_take(tool_sha256 *hash, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const size_t used = (size_t)(hash->size % sizeof hash->block);
        const size_t part = size < sizeof hash->block - used ? size : sizeof hash->block - used;
        memcpy(hash->block + used, bytes, part);
        hash->size += part;
        bytes += part;
        size -= part;
        if (hash->size % sizeof hash->block == 0)
            compress(hash, hash->block);
    }
}

void tool_sha256_end(tool_sha256 *hash, char text[TOOL_SHA256_TEXT])
{
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = 8 * hash->size;
    uint8_t length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    const size_t used = (size_t)(hash->size % sizeof hash->block);
    tool_sha256_take(hash, padding, (used < 56 ? 56 : 120) - used);
    tool_sha256_take(hash, length, sizeof length);
    for (size_t i = 0; i < 64; i++)
        text[i] = "0123456789abcdef"[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = '\0';
}
