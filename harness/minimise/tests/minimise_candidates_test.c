/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimising finds the smallest input that is known to hold; no candidate is repeated or larger than the input. Tested
 * on traces made here, on every kind of input, and on vectors.
 *
 *     minimise_candidates_test DIRECTORY...
 */
#include <stdlib.h>

#include "victim_trace.h"
#include "minimise_candidates.h"
#include "shrink_vectors.h"
#include "simpler.h"
#include "test.h"

/* The smallest file with such an event: a buffer header, an event header, the header of an item. */
enum { LEAST = ETL_SIZE(WMI_BUFFER_HEADER_61) + ETL_SIZE(EVENT_HEADER) + ETL_SIZE(EXTENDED_DATA_ITEM) };

static bool has_victim_with_item(const uint8_t *at, size_t size)
{
    return decode(at, size).victim_items != 0;
}

static bool has_packed_victim_with_item(const uint8_t *at, size_t size)
{
    const sighting s = decode(at, size);
    return s.victim_items != 0 && s.victim_compressed;
}

static bool has_bomb(const uint8_t *at, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i++)
        if (memcmp(at + i, "BOMB", 4) == 0)
            return true;
    return false;
}

/* What a stream inflates to; only the byte at ODD may be removed. */
static const char content[] = "0123456789?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { ODD = 10, CONTENT = sizeof content - 1, LITERALS = 32 };

static size_t inflate(const uint8_t *at, size_t size, uint8_t out[CONTENT])
{
    if (size <= INPUT_CONTEXT_SIZE)
        return 0;
    const etl_span stream = {at + INPUT_CONTEXT_SIZE, size - INPUT_CONTEXT_SIZE};
    const uint32_t inflated_size = input_context_read(at).inflated_size;
    return etl_inflate(stream, (etl_scratch){out, inflated_size < CONTENT ? inflated_size : CONTENT}).produced;
}

static bool has_content(const uint8_t *at, size_t size)
{
    uint8_t out[CONTENT];
    const size_t got = inflate(at, size, out);
    const size_t behind = CONTENT - ODD - 1;
    return got >= CONTENT - 1 && memcmp(out, content, ODD) == 0 &&
           memcmp(out + got - behind, content + ODD + 1, behind) == 0;
}

static bool starts_with_ten(const uint8_t *at, size_t size)
{
    return size != 0 && at[0] >= 10;
}

/* Minimising. */

/* Candidates so far. */
typedef struct history {
    build_chunk *at;
    size_t count, capacity;
} history;

static bool is_known(const history *h, const uint8_t *at, size_t size)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->at[i].size == size && memcmp(h->at[i].at, at, size) == 0)
            return true;
    return false;
}

static void keep(history *h, const uint8_t *at, size_t size)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity != 0 ? 2 * h->capacity : 64;
        h->at = realloc(h->at, h->capacity * sizeof *h->at);
    }
    h->at[h->count] = (build_chunk){0};
    build_chunk_add(&h->at[h->count++], at, size);
}

static void forget(history *h)
{
    for (size_t i = 0; i < h->count; i++)
        build_chunk_free(&h->at[i]);
    free(h->at);
}

/* Minimises, and checks what must hold for every input. The caller frees the result. */
static shrunk minimise_in(input_kind input, const uint8_t *in, size_t in_size, size_t searches, predicate *holds)
{
    enum { KNOWN_MOST = 4000 };
    const uint8_t *candidate = NULL;
    size_t size;
    shrunk r = {.at = malloc(in_size + 1), .size = in_size};
    history known = {0};
    minimise_candidates *minimiser = minimise_candidates_new(input, in, in_size, searches);
    memcpy(r.at, in, in_size);
    keep(&known, in, in_size);
    while ((size = minimise_candidates_next(minimiser, &candidate)) != 0) {
        r.tries++;
        CHECK(size <= in_size);
        CHECK(!is_known(&known, candidate, size));
        if (size > in_size || is_known(&known, candidate, size))
            break;
        if (known.count < KNOWN_MOST) /* comparing all would take too long */
            keep(&known, candidate, size);
        const bool kept = holds(candidate, size);
        if (kept && minimise_is_simpler(candidate, size, r.at, r.size)) {
            memcpy(r.at, candidate, size);
            r.size = size;
        }
        minimise_candidates_tell(minimiser, kept);
    }
    minimise_candidates_free(minimiser);
    forget(&known);
    return r;
}

/* Without random candidates. */
static shrunk minimise(input_kind input, const uint8_t *in, size_t in_size, predicate *holds)
{
    return minimise_in(input, in, in_size, 0, holds);
}

static size_t count_set(const shrunk *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->size; i++)
        count += r->at[i] != 0;
    return count;
}

typedef struct trace_case {
    const char *what;
    bool compressed;
    predicate *holds;
    size_t least, most, most_set, most_tries;
} trace_case;

static void check_trace(const trace_case *c)
{
    build_chunk file = make_trace(false, c->compressed);
    CHECK(c->holds(file.at, file.size));
    const shrunk r = minimise(INPUT_FILE, file.at, file.size, c->holds);
    const sighting s = decode(r.at, r.size);
    printf("%s: %zu -> %zu bytes, %zu of them not 0, %zu tries\n", c->what, file.size, r.size, count_set(&r), r.tries);
    CHECK(c->holds(r.at, r.size));
    CHECK(r.size >= c->least && r.size <= c->most);
    CHECK(count_set(&r) <= c->most_set);
    CHECK(r.tries <= c->most_tries);
    CHECK_UINT(1, s.buffers);
    CHECK_UINT(1, s.events);
    CHECK_UINT(1, s.victim_items);
    CHECK_UINT(ETL_SIZE(EVENT_HEADER) + ETL_SIZE(EXTENDED_DATA_ITEM), s.victim_size);
    const shrunk again = minimise(INPUT_FILE, r.at, r.size, c->holds);
    CHECK_UINT(r.size, again.size);
    free(again.at);
    free(r.at);
    build_chunk_free(&file);
}

/* An item in a compressed buffer is found, and the buffer made plain unless the predicate needs a compressed one. */
static void test_traces(void)
{
    const trace_case cases[] = {
        {"an item", false, has_victim_with_item, LEAST, LEAST, 24, 1000},
        {"an item, initially compressed", true, has_victim_with_item, LEAST, LEAST, 24, 1000},
        {"an item, compressed", true, has_packed_victim_with_item, ETL_SIZE(WMI_BUFFER_HEADER_61), LEAST + 8, 24, 2500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_trace(&cases[i]);
}

/* One byte is less than trimming removes from this many bytes; deleting it from the stream would lose the bytes after
   it. */
static void test_finely(void)
{
    uint8_t out[CONTENT], context[INPUT_CONTEXT_SIZE];
    build_chunk in = {0};
    input_context_write(&(input_context){.inflated_size = CONTENT}, context);
    build_chunk_add(&in, context, sizeof context);
    for (size_t i = 0; i < CONTENT; i++) {
        if (i % LITERALS == 0)
            build_chunk_fill(&in, 0, sizeof(uint32_t)); /* a flag word: literals follow */
        build_chunk_add(&in, (const uint8_t *)content + i, 1);
    }
    CHECK(has_content(in.at, in.size));
    const shrunk r = minimise(INPUT_STREAM, in.at, in.size, has_content);
    CHECK_UINT(CONTENT - 1, inflate(r.at, r.size, out));
    CHECK_UINT(in.size - 1, r.size);
    free(r.at);
    build_chunk_free(&in);
}

/* Inputs without structure, or whose structure does not help. */
static void test_bytes(void)
{
    static const uint8_t zero = 0;
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    memcpy(bytes + 500, "BOMB", 4);
    for (input_kind input = 0; input < INPUT_COUNT; input++) {
        shrunk r = minimise(input, bytes, sizeof bytes, has_bomb);
        CHECK_UINT(4, r.size);
        CHECK(r.size == 4 && memcmp(r.at, "BOMB", 4) == 0);
        free(r.at);
        r = minimise(input, bytes, sizeof bytes, anything);
        CHECK_UINT(1, r.size);
        CHECK(memcmp(r.at, &zero, 1) == 0);
        free(r.at);
        r = minimise(input, bytes + 500, sizeof bytes - 500, starts_with_ten);
        CHECK(r.size == 1 && r.at[0] == 10);
        free(r.at);
        r = minimise(input, bytes, 0, anything);
        CHECK_UINT(0, r.tries);
        free(r.at);
    }
}

/* Inputs that only one phase can make smaller or simpler. */

/* A run of five bytes, which no halving reaches and which can only be removed as a whole. */
static const char with_run[] = "abc12345defgh", without_run[] = "abcdefgh";

static bool has_run_or_not(const uint8_t *at, size_t size)
{
    return (size == sizeof with_run - 1 && memcmp(at, with_run, size) == 0) ||
           (size == sizeof without_run - 1 && memcmp(at, without_run, size) == 0);
}

/* Neither half of the value, nor a quarter and so on, can be subtracted from the byte; only bit 6 can be cleared. */
static bool has_flags(const uint8_t *at, size_t size)
{
    return size == 1 && (at[0] == 0xC4 || at[0] == 0x84);
}

/* The first byte states the size: removing bytes and lowering the byte must happen together. */
static bool says_its_size(const uint8_t *at, size_t size)
{
    return size >= 4 && (at[0] & 0x87) == (0x80 | (size & 7));
}

/* Exactly GONE bytes can be removed at once, from a given place. At the end only CUT removes 64, inside only DELETE. */
enum { LONG = 300, GONE = 64, INSIDE = 128 };

static bool is_all_or_without(const uint8_t *at, size_t size, size_t from)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != 1 + (size < LONG && i >= from ? i + GONE : i) % 250)
            return false;
    return size == LONG || size == LONG - GONE;
}

static bool is_whole_or_cut(const uint8_t *at, size_t size)
{
    return is_all_or_without(at, size, LONG - GONE);
}

static bool is_whole_or_open(const uint8_t *at, size_t size)
{
    return is_all_or_without(at, size, INSIDE);
}

/* Inputs of the same size hold; smaller ones need three other bytes, which a walk must find one by one. */
static bool has_steps(const uint8_t *at, size_t size)
{
    return size == 11 ? at[0] == 0x8B : size >= 4 && at[0] == 0x8B && at[1] == 1 && at[2] == 2 && at[3] == 4;
}

static bool nothing(const uint8_t *at, size_t size)
{
    (void)at;
    return size == SIZE_MAX;
}

static void test_phases(void)
{
    uint8_t numbers[LONG];
    static const uint8_t flags = 0xC4, says[] = {0x8B, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26};
    shrunk r = minimise(INPUT_TEXT, (const uint8_t *)with_run, sizeof with_run - 1, has_run_or_not);
    CHECK_UINT(sizeof without_run - 1, r.size);
    free(r.at);
    for (size_t i = 0; i < sizeof numbers; i++)
        numbers[i] = (uint8_t)(1 + i % 250);
    r = minimise(INPUT_TEXT, numbers, sizeof numbers, is_whole_or_cut);
    CHECK_UINT(LONG - GONE, r.size);
    free(r.at);
    r = minimise(INPUT_TEXT, numbers, sizeof numbers, is_whole_or_open);
    CHECK_UINT(LONG - GONE, r.size);
    free(r.at);
    r = minimise(INPUT_TEXT, &flags, 1, has_flags);
    CHECK_UINT(0x84, r.at[0]);
    free(r.at);
    r = minimise(INPUT_TEXT, says, sizeof says, says_its_size);
    CHECK_UINT(sizeof says, r.size);
    free(r.at);
    r = minimise_in(INPUT_TEXT, says, sizeof says, 4096, says_its_size);
    CHECK_UINT(4, r.size);
    CHECK(r.at[0] == 0x84 && r.at[1] == 0 && r.at[2] == 0 && r.at[3] == 0); /* simpler than the first that was found */
    free(r.at);
    r = minimise_in(INPUT_TEXT, says, sizeof says, 8000, has_steps);
    CHECK_UINT(4, r.size);
    free(r.at);
}

/* The number of candidates that may fail counts anew in each round. */
static void test_patience(void)
{
    enum { SEARCHES = 1000, ROUNDS = 2 };
    static const uint8_t bytes[] = "no byte of this text can be removed";
    const shrunk without = minimise(INPUT_TEXT, bytes, sizeof bytes, nothing);
    const shrunk with = minimise_in(INPUT_TEXT, bytes, sizeof bytes, SEARCHES, nothing);
    CHECK(with.tries > without.tries + SEARCHES / 2);
    CHECK(with.tries <= without.tries + ROUNDS * SEARCHES);
    free(without.at);
    free(with.at);
}

/* One in SHARE of the vectors and their parts: all would take too long. */
static void test_vectors(int count, char **directories)
{
    enum { SHARE = 400, SIZE_MOST = 512 };
    const tally sum = shrink_vectors(count, directories, minimise, SHARE, SIZE_MOST);
    printf("%zu vectors and parts: %zu -> %zu bytes, %zu tries\n", sum.inputs, sum.before, sum.after, sum.tries);
    CHECK(sum.files > 0);
    CHECK_UINT(0, sum.wrong);
    CHECK(sum.after < sum.before / 4);
}

int main(int argc, char **argv)
{
    test_traces();
    test_finely();
    test_bytes();
    test_phases();
    test_patience();
    test_vectors(argc - 1, argv + 1);
    return test_result();
}
