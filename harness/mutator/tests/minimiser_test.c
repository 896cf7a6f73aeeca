/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimising: what is left is the least that is known to show it, no candidate comes twice, and none is larger than the
 * input. On traces made for it, on every kind of input, and on vectors.
 *
 *     minimiser_test DIRECTORY...
 */
#include <stdlib.h>

#include "made.h"
#include "minimiser.h"
#include "test.h"
#include "vectors.h"

typedef bool predicate(const uint8_t *at, size_t size);

/* The least file with such an event: a buffer header, an event header, the header of an item. */
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

/* What a stream inflates to, of which the byte at ODD alone may go. */
static const char content[] = "0123456789?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { ODD = 10, CONTENT = sizeof content - 1, LITERALS = 32 };

static size_t inflate(const uint8_t *at, size_t size, uint8_t out[CONTENT])
{
    if (size <= ETL_INPUT_CONTEXT_SIZE)
        return 0;
    const etl_span stream = {at + ETL_INPUT_CONTEXT_SIZE, size - ETL_INPUT_CONTEXT_SIZE};
    const uint32_t room = etl_input_context_read(at).room;
    return etl_inflate(stream, (etl_room){out, room < CONTENT ? room : CONTENT}).produced;
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

static bool anything(const uint8_t *at, size_t size)
{
    (void)at;
    return size != 0;
}

/* As good as at random, and the same every time. */
static bool odd_sum(const uint8_t *at, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + at[i];
    return (sum >> 3) % 3 == 0;
}

/* Minimising. */

typedef struct result {
    uint8_t *at;
    size_t size, tries;
} result;

/* Candidates so far. */
typedef struct history {
    etl_chunk *at;
    size_t count, room;
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
    if (h->count == h->room) {
        h->room = h->room != 0 ? 2 * h->room : 64;
        h->at = realloc(h->at, h->room * sizeof *h->at);
    }
    h->at[h->count] = (etl_chunk){0};
    etl_chunk_add(&h->at[h->count++], at, size);
}

static void forget(history *h)
{
    for (size_t i = 0; i < h->count; i++)
        etl_chunk_free(&h->at[i]);
    free(h->at);
}

/* Checks what holds of any minimising. The caller frees what is left. */
static result minimise(etl_input input, const uint8_t *in, size_t in_size, predicate *holds)
{
    const uint8_t *candidate = NULL;
    size_t size;
    result r = {.at = malloc(in_size + 1), .size = in_size};
    history known = {0};
    etl_minimiser *minimiser = etl_minimiser_new(input, in, in_size);
    memcpy(r.at, in, in_size);
    keep(&known, in, in_size);
    while ((size = etl_minimiser_next(minimiser, &candidate)) != 0) {
        r.tries++;
        CHECK(size <= in_size);
        CHECK(!is_known(&known, candidate, size));
        if (size > in_size || is_known(&known, candidate, size))
            break;
        keep(&known, candidate, size);
        const bool kept = holds(candidate, size);
        if (kept) {
            memcpy(r.at, candidate, size);
            r.size = size;
        }
        etl_minimiser_tell(minimiser, kept);
    }
    etl_minimiser_free(minimiser);
    forget(&known);
    return r;
}

static size_t count_set(const result *r)
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
    etl_chunk file = make_trace(false, c->compressed);
    CHECK(c->holds(file.at, file.size));
    const result r = minimise(ETL_INPUT_FILE, file.at, file.size, c->holds);
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
    const result again = minimise(ETL_INPUT_FILE, r.at, r.size, c->holds);
    CHECK_UINT(r.size, again.size);
    free(again.at);
    free(r.at);
    etl_chunk_free(&file);
}

/* What is in a compressed buffer is found there, and the buffer made plain where nothing asks for a compressed one. */
static void test_traces(void)
{
    const trace_case cases[] = {
        {"an item", false, has_victim_with_item, LEAST, LEAST, 24, 1000},
        {"an item, compressed at first", true, has_victim_with_item, LEAST, LEAST, 24, 1000},
        {"an item, compressed", true, has_packed_victim_with_item, ETL_SIZE(WMI_BUFFER_HEADER_61), LEAST + 8, 24, 1500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_trace(&cases[i]);
}

/* One byte is less than what trimming cuts out of so many; deleted from the stream, what is behind it is lost. */
static void test_finely(void)
{
    uint8_t out[CONTENT], context[ETL_INPUT_CONTEXT_SIZE];
    etl_chunk in = {0};
    etl_input_context_write(&(etl_input_context){.room = CONTENT}, context);
    etl_chunk_add(&in, context, sizeof context);
    for (size_t i = 0; i < CONTENT; i++) {
        if (i % LITERALS == 0)
            etl_chunk_fill(&in, 0, sizeof(uint32_t)); /* a flag word: literals follow */
        etl_chunk_add(&in, (const uint8_t *)content + i, 1);
    }
    CHECK(has_content(in.at, in.size));
    const result r = minimise(ETL_INPUT_STREAM, in.at, in.size, has_content);
    CHECK_UINT(CONTENT - 1, inflate(r.at, r.size, out));
    CHECK_UINT(in.size - 1, r.size);
    free(r.at);
    etl_chunk_free(&in);
}

/* Where there is no structure, or none that helps. */
static void test_bytes(void)
{
    static const uint8_t zero = 0;
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    memcpy(bytes + 500, "BOMB", 4);
    for (etl_input input = 0; input < ETL_INPUT_COUNT; input++) {
        result r = minimise(input, bytes, sizeof bytes, has_bomb);
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

/* Every vector of a few, and the parts of it. */

/* There are many, so that one in so many has to do. */
enum { SHARE = 400, SIZE_MOST = 512 };

typedef struct tally {
    size_t visited, inputs, before, after, tries;
} tally;

static void minimise_vector(const vector *v, void *state)
{
    tally *sum = state;
    if (sum->visited++ % SHARE != 0 || v->size > SIZE_MOST)
        return;
    const result r = minimise(v->input, v->bytes, v->size, odd_sum);
    sum->inputs++;
    sum->before += v->size;
    sum->after += r.size;
    sum->tries += r.tries;
    if (r.size != v->size)
        CHECK(odd_sum(r.at, r.size));
    free(r.at);
}

static void visit_file(const vector *v, void *state)
{
    minimise_vector(v, state);
    visit_parts(v, minimise_vector, state);
}

static void test_vectors(int count, char **directories)
{
    tally sum = {0};
    CHECK(visit_files(count, directories, visit_file, &sum) > 0);
    printf("%zu vectors and parts: %zu -> %zu bytes, %zu tries\n", sum.inputs, sum.before, sum.after, sum.tries);
    CHECK(sum.after < sum.before / 4);
}

int main(int argc, char **argv)
{
    test_traces();
    test_finely();
    test_bytes();
    test_vectors(argc - 1, argv + 1);
    return test_result();
}
