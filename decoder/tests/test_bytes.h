/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes test input: little-endian numbers at offsets. The memory is exactly as long as the input, so that
 * AddressSanitizer detects each read past it.
 */
#ifndef ETLPROOF_TEST_BYTES_H
#define ETLPROOF_TEST_BYTES_H

#include "etlproof/bytes.h"
#include "etlproof/guid.h"

typedef struct test_bytes {
    uint8_t *at;
    size_t size;
} test_bytes;

/* Each grows `b` as needed, with zeros. */
void put_u8(test_bytes *b, size_t offset, uint8_t value);
void put_u16(test_bytes *b, size_t offset, uint16_t value);
void put_u32(test_bytes *b, size_t offset, uint32_t value);
void put_u64(test_bytes *b, size_t offset, uint64_t value);
void put_fill(test_bytes *b, size_t offset, size_t size, uint8_t value);
void put_bytes(test_bytes *b, size_t offset, const void *bytes, size_t size);
/* The 16 bytes `first`, `first` + 1 and so on. */
void put_guid(test_bytes *b, size_t offset, uint8_t first);
/* ASCII as UTF-16LE, with its NUL. */
void put_text16(test_bytes *b, size_t offset, const char *text);

/* Removes `size` bytes, or inserts `size` bytes of `value`. */
void take_out(test_bytes *b, size_t offset, size_t size);
void put_in(test_bytes *b, size_t offset, size_t size, uint8_t value);

/* A copy of the first `size` bytes. */
test_bytes copy_of(const test_bytes *b, size_t size);
void release(test_bytes *b);

etl_span span_of(const test_bytes *b);
/* 1 if `guid` is what put_guid wrote for `first`. */
int is_guid(const etl_guid *guid, uint8_t first);

#endif
