/* SPDX-License-Identifier: Apache-2.0 */
#include "test_bytes.h"

#include <stdlib.h>
#include <string.h>

/* Allocates one byte for an empty span: the result of malloc(0) differs between systems. */
static void resize(test_bytes *b, size_t size)
{
    b->at = realloc(b->at, size != 0 ? size : 1);
    if (b->at == NULL)
        abort();
    if (size > b->size)
        memset(b->at + b->size, 0, size - b->size);
    b->size = size;
}

void put_bytes(test_bytes *b, size_t offset, const void *bytes, size_t size)
{
    if (offset + size > b->size)
        resize(b, offset + size);
    if (size != 0)
        memcpy(b->at + offset, bytes, size);
}

static void put_number(test_bytes *b, size_t offset, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    put_bytes(b, offset, bytes, size);
}

void put_u8(test_bytes *b, size_t offset, uint8_t value)
{
    put_number(b, offset, value, 1);
}

void put_u16(test_bytes *b, size_t offset, uint16_t value)
{
    put_number(b, offset, value, 2);
}

void put_u32(test_bytes *b, size_t offset, uint32_t value)
{
    put_number(b, offset, value, 4);
}

void put_u64(test_bytes *b, size_t offset, uint64_t value)
{
    put_number(b, offset, value, 8);
}

void put_fill(test_bytes *b, size_t offset, size_t size, uint8_t value)
{
    if (offset + size > b->size)
        resize(b, offset + size);
    if (size != 0)
        memset(b->at + offset, value, size);
}

void put_guid(test_bytes *b, size_t offset, uint8_t first)
{
    for (uint8_t i = 0; i < 16; i++)
        put_u8(b, offset + i, (uint8_t)(first + i));
}

void put_text16(test_bytes *b, size_t offset, const char *text)
{
    size_t length = strlen(text) + 1;
    for (size_t i = 0; i < length; i++)
        put_u16(b, offset + 2 * i, (uint8_t)text[i]);
}

void take_out(test_bytes *b, size_t offset, size_t size)
{
    memmove(b->at + offset, b->at + offset + size, b->size - offset - size);
    resize(b, b->size - size);
}

void put_in(test_bytes *b, size_t offset, size_t size, uint8_t value)
{
    size_t rest = b->size - offset;
    resize(b, b->size + size);
    memmove(b->at + offset + size, b->at + offset, rest);
    memset(b->at + offset, value, size);
}

test_bytes copy_of(const test_bytes *b, size_t size)
{
    test_bytes copy = {NULL, 0};
    resize(&copy, size);
    if (size != 0)
        memcpy(copy.at, b->at, size);
    return copy;
}

void release(test_bytes *b)
{
    free(b->at);
    b->at = NULL;
    b->size = 0;
}

etl_span span_of(const test_bytes *b)
{
    etl_span span = {b->at, b->size};
    return span;
}

int is_guid(const etl_guid *guid, uint8_t first)
{
    uint8_t b[16];
    for (uint8_t i = 0; i < 16; i++)
        b[i] = (uint8_t)(first + i);
    return guid->data1 == ((uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0]) &&
           guid->data2 == (b[5] << 8 | b[4]) && guid->data3 == (b[7] << 8 | b[6]) && memcmp(guid->data4, b + 8, 8) == 0;
}
