/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.c: the examples of MS-XCA, streams written by hand, and random streams whose output the writer knows. */
#include "etlproof/inflate.h"

#include "test.h"
#include "xpress.h"

static xpress stream;

/* Memory of exactly the given size, so that AddressSanitizer detects every access outside. */
static uint8_t *exact(const uint8_t *bytes, size_t size)
{
    uint8_t *memory = malloc(size != 0 ? size : 1);
    if (memory == NULL)
        abort();
    if (bytes != NULL)
        memcpy(memory, bytes, size);
    else
        memset(memory, 0xA5, size);
    return memory;
}

/* Inflates and compares the whole result with the expected one; `output` has `produced` bytes. */
static void check(const uint8_t *in, size_t size, size_t scratch_size, etl_inflate_status status, size_t consumed,
                  const uint8_t *output, size_t produced)
{
    uint8_t *input = exact(in, size), *out = exact(NULL, scratch_size);
    etl_inflated result = etl_inflate((etl_span){input, size}, (etl_scratch){out, scratch_size});
    CHECK_UINT(status, result.status);
    CHECK_UINT(consumed, result.consumed);
    CHECK_UINT(produced, result.produced);
    if (result.produced == produced)
        CHECK_BYTES(output, out, produced);
    free(input);
    free(out);
}

#define CHECK_STREAM(in, scratch_size, status, consumed, output, produced) \
    check((const uint8_t *)(in), sizeof(in) - 1, scratch_size, ETL_INFLATE_##status, consumed, (const uint8_t *)(output), \
          produced)

#define ALPHABET "abcdefghijklmnopqrstuvwxyz"

/* MS-XCA 3.1: the alphabet, and 100 times "abc". */
static const char alphabet[] = "\x3f\x00\x00\x00" ALPHABET;
static const char abc[] = "\xff\xff\xff\x1f" "abc" "\x17\x00\x0f\xff\x26\x01";

static void test_examples(void)
{
    char output[300];
    for (size_t i = 0; i < sizeof output; i++)
        output[i] = "abc"[i % 3];
    CHECK_STREAM(alphabet, 26, DONE, 30, ALPHABET, 26);
    CHECK_STREAM(alphabet, 27, SHORT, 30, ALPHABET, 26);
    CHECK_STREAM(alphabet, 25, DONE, 29, ALPHABET, 25);
    CHECK_STREAM(abc, 300, DONE, 13, output, 300);
    CHECK_STREAM(abc, 1000, SHORT, 13, output, 300);
    CHECK_STREAM(abc, 299, OVERRUN, 7, output, 299);
    CHECK_STREAM(abc, 3, DONE, 7, output, 3);
    CHECK_STREAM(abc, 4, OVERRUN, 7, output, 4);

    for (size_t size = 0; size < 30; size++)
        check((const uint8_t *)alphabet, size, 26, ETL_INFLATE_CUT, size < 4 ? 0 : size, (const uint8_t *)ALPHABET,
              size < 4 ? 0 : size - 4);
    for (size_t size = 0; size < 13; size++)
        check((const uint8_t *)abc, size, 300, size == 7 ? ETL_INFLATE_SHORT : ETL_INFLATE_CUT,
              size < 4 ? 0 : size < 7 ? size : 7, (const uint8_t *)output, size < 4 ? 0 : size < 7 ? size - 4 : 3);
}

static void test_nothing(void)
{
    CHECK_STREAM("", 0, DONE, 0, "", 0);
    CHECK_STREAM("abc", 0, DONE, 0, "", 0);
    CHECK_STREAM("", 1, CUT, 0, "", 0);
    CHECK_STREAM("\xff\xff\xff\xff", 1, SHORT, 4, "", 0);
    CHECK_STREAM("\x00\x00\x00\x00", 1, CUT, 4, "", 0);
    etl_inflated none = etl_inflate((etl_span){NULL, 0}, (etl_scratch){NULL, 0});
    CHECK_UINT(ETL_INFLATE_DONE, none.status);
}

/* 32 literals fill a flag word; another, unused flag word may follow. */
static void test_flag_boundary(void)
{
#define LITERALS "0123456789abcdefghijklmnopqrstuv"
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS, 32, DONE, 36, LITERALS, 32);
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS "\xff\xff\xff\xff", 32, DONE, 36, LITERALS, 32);
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS "\xff\xff\xff\xff", 33, SHORT, 40, LITERALS, 32);
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS, 33, CUT, 36, LITERALS, 32);
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS "\xff\xff\xff", 33, CUT, 36, LITERALS, 32);
    CHECK_STREAM("\x00\x00\x00\x00" LITERALS "\x00\x00\x00\x00!", 33, DONE, 41, LITERALS "!", 33);
}

/* "AB", then matches that repeat it: 1, 1, 1 in the flags after two literals. */
#define AB_FLAGS "\xff\xff\xff\x3f"

static void test_nibbles(void)
{
    char output[200];
    for (size_t i = 0; i < sizeof output; i++)
        output[i] = "AB"[i % 2];
    /* Low nibble 2, high nibble 5 of one byte, low nibble 1 of the next: 2 + 12 + 15 + 11. */
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\x52" "\x0f\x00" "\x0f\x00\x01", 40, DONE, 14, output, 40);
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\x52" "\x0f\x00" "\x0f\x00\x01", 50, SHORT, 14, output, 40);
    /* A match without nibble between the two does not use the high nibble: 2 + 12 + 9 + 15. */
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\x52" "\x0e\x00" "\x0f\x00", 60, SHORT, 13, output, 38);
    /* Nibble 15 and a byte, 25 and more; then the high nibble: 2 + 29 + 13. */
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\x3f\x04" "\x0f\x00", 60, SHORT, 12, output, 44);
    /* A high nibble 15 continues in a byte too: 2 + 10 + 25. */
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\xf0" "\x0f\x00\x00", 60, SHORT, 12, output, 37);
    /* A match that is cut or has a fault does not use up the nibble. */
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00", 60, CUT, 6, output, 2);
    CHECK_STREAM(AB_FLAGS "AB" "\x0f\x00\xf0" "\x0f\x00", 60, CUT, 9, output, 12);
}

/* The five forms of a length at their limits, after "A" at distance 1. */
static void check_length(const char *token, size_t size, etl_inflate_status status, size_t length)
{
    static uint8_t in[32], output[80000];
    memcpy(in, "\xff\xff\xff\x7f" "A", 5);
    memcpy(in + 5, token, size);
    memset(output, 'A', sizeof output);
    bool whole = status == ETL_INFLATE_DONE;
    check(in, 5 + size, whole ? 1 + length : sizeof output, status, whole ? 5 + size : 5, output,
          status == ETL_INFLATE_OVERRUN ? sizeof output : 1 + length);
}

static void test_lengths(void)
{
#define CHECK_LENGTH(token, status, length) check_length(token, sizeof(token) - 1, ETL_INFLATE_##status, length)
    CHECK_LENGTH("\x00\x00", DONE, 3);
    CHECK_LENGTH("\x06\x00", DONE, 9);
    CHECK_LENGTH("\x07\x00\x00", DONE, 10);
    CHECK_LENGTH("\x07\x00\x0e", DONE, 24);
    CHECK_LENGTH("\x07\x00\x0f\x00", DONE, 25);
    CHECK_LENGTH("\x07\x00\x0f\xfe", DONE, 279);
    CHECK_LENGTH("\x07\x00\x0f\xff\x16\x00", DONE, 25);
    CHECK_LENGTH("\x07\x00\x0f\xff\x15\x01", DONE, 280);
    CHECK_LENGTH("\x07\x00\x0f\xff\xff\xff", DONE, 65538);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\x00\x00\x01\x00", DONE, 65539);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\x16\x00\x00\x00", DONE, 25);
    CHECK_LENGTH("\x07\x00\x0f\xff\x15\x00", LENGTH, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x01\x00", LENGTH, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\x15\x00\x00\x00", LENGTH, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\x00\x00\x00\x00", LENGTH, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\xff\xff\xff\xff", OVERRUN, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\xfc\xff\xff\xff", OVERRUN, 0);
    CHECK_LENGTH("\x07", CUT, 0);
    CHECK_LENGTH("\x07\x00", CUT, 0);
    CHECK_LENGTH("\x07\x00\x0f", CUT, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff", CUT, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x16", CUT, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00", CUT, 0);
    CHECK_LENGTH("\x07\x00\x0f\xff\x00\x00\x00\x00\x01", CUT, 0);
}

static void test_distances(void)
{
    CHECK_STREAM("\xff\xff\xff\xff\x00\x00", 9, DISTANCE, 4, "", 0);
    CHECK_STREAM("\xff\xff\xff\x7f" "A\x08\x00", 9, DISTANCE, 5, "A", 1);
    CHECK_STREAM("\xff\xff\xff\x3f" "AB\x08\x00", 9, SHORT, 8, "ABABA", 5);
    CHECK_STREAM("\xff\xff\xff\x3f" "AB\xf8\xff", 9, DISTANCE, 6, "AB", 2);

    /* The largest distance is 8192: allowed only once there are 8192 bytes of output. */
    for (size_t before = 8191; before <= 8192; before++) {
        xpress_begin(&stream);
        for (size_t i = 0; i < before; i++)
            xpress_literal(&stream, (uint8_t)(i * 7 + i / 256));
        size_t at = stream.size;
        if (before == 8192)
            xpress_match(&stream, 8192, 100);
        else
            xpress_match_token(&stream, 8192, 100);
        xpress_end(&stream);
        bool fits = before == 8192;
        check(stream.stream, stream.size, stream.produced + 50, fits ? ETL_INFLATE_SHORT : ETL_INFLATE_DISTANCE,
              fits ? stream.size : at, stream.output, stream.produced);
    }
}

/* Matches that overlap themselves, at every distance near the size of a copy step, into output of exactly their size. */
static void test_overlaps(void)
{
    for (size_t distance = 1; distance <= 20; distance++) {
        for (size_t length = 3; length <= 60; length++) {
            xpress_begin(&stream);
            for (size_t i = 0; i < 20; i++)
                xpress_literal(&stream, (uint8_t)('a' + i));
            xpress_match(&stream, distance, length);
            xpress_literal(&stream, '!');
            xpress_match(&stream, 21, 12);
            xpress_end(&stream);
            for (size_t more = 0; more <= 8; more++)
                check(stream.stream, stream.size, stream.produced + more, more == 0 ? ETL_INFLATE_DONE : ETL_INFLATE_SHORT,
                      stream.size, stream.output, stream.produced);
        }
    }
}

/* The output of a cut stream is a prefix of the whole output, and no shorter than that of a shorter cut. */
static void check_truncations(void)
{
    static uint8_t out[XPRESS_OUTPUT_MAX];
    size_t last = 0;
    for (size_t size = 0; size < stream.size; size++) {
        uint8_t *in = exact(stream.stream, size);
        etl_inflated result = etl_inflate((etl_span){in, size}, (etl_scratch){out, stream.produced});
        CHECK(result.status == ETL_INFLATE_CUT || result.status == ETL_INFLATE_SHORT ||
              (result.status == ETL_INFLATE_DONE && stream.size - size <= 4));
        CHECK(result.consumed <= size && result.produced >= last);
        CHECK_BYTES(stream.output, out, result.produced);
        last = result.produced;
        free(in);
    }
}

static void test_random(void)
{
    uint64_t state = 1;
    for (unsigned round = 0; round < 400; round++) {
        xpress_write_random(&stream, &state, 1 + xpress_random(&state, round < 200 ? 300 : 100000), 80000);
        size_t unused = stream.count == 0 ? 4 : 0;
        check(stream.stream, stream.size, stream.produced, ETL_INFLATE_DONE, stream.size - unused, stream.output,
              stream.produced);
        check(stream.stream, stream.size, stream.produced + 1, ETL_INFLATE_SHORT, stream.size, stream.output,
              stream.produced);
        if (round < 40)
            check_truncations();
    }
}

int main(void)
{
    test_examples();
    test_nothing();
    test_flag_boundary();
    test_nibbles();
    test_lengths();
    test_distances();
    test_overlaps();
    test_random();
    return test_result();
}
