/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural candidates keep what the predicate needs and remove almost all else; none is larger than the last that
 * held, and their number stays within the announced bound. Tested on traces made here, and on vectors.
 *
 *     structural_trim_test DIRECTORY...
 */
#include <stdlib.h>

#include "victim_trace.h"
#include "shrink_vectors.h"
#include "structural_trim.h"
#include "test.h"

/* Predicates. */

/* The file conforms, so the sizes around the event are right. */
static bool has_victim_and_conforms(const uint8_t *at, size_t size)
{
    const sighting s = decode(at, size);
    return s.has_victim && s.complaints == 0;
}

/* For a reader that takes the BufferSize of the logfile header for that of all buffers. */
static bool has_even_victim(const uint8_t *at, size_t size)
{
    const sighting s = decode(at, size);
    return s.has_victim && s.complaints == 0 && !s.uneven;
}

static bool has_compressed_victim(const uint8_t *at, size_t size)
{
    const sighting s = decode(at, size);
    return s.has_victim && s.complaints == 0 && s.compressed_buffers != 0;
}

static bool nothing(const uint8_t *at, size_t size)
{
    (void)at;
    return size == SIZE_MAX;
}

/* Trimming. */

/* Trims, and checks what must hold for every input. The caller frees the result. */
static shrunk trim(input_kind input, const uint8_t *at, size_t size, predicate *holds)
{
    const uint8_t *candidate = NULL;
    size_t next;
    shrunk r = {.at = malloc(size + 1), .size = size};
    minimise_trim *trimmer = minimise_trim_new(input);
    memcpy(r.at, at, size);
    r.bound = minimise_trim_begin(trimmer, at, size);
    while ((next = minimise_trim_next(trimmer, &candidate)) != 0) {
        r.tries++;
        r.equal += next == r.size;
        if (next > r.size || (next == r.size && memcmp(candidate, r.at, next) == 0) || r.tries > r.bound) {
            CHECK_UINT(r.size, next);
            CHECK(r.tries <= r.bound);
            break;
        }
        const bool kept = holds(candidate, next);
        if (kept) {
            memcpy(r.at, candidate, next);
            r.size = next;
        }
        minimise_trim_tell(trimmer, kept);
    }
    minimise_trim_free(trimmer);
    return r;
}

/* How many candidates may be as large as the last that held: padding grows where data shrinks. */
enum { PADDED = 20 };

typedef struct trace_case {
    const char *what;
    bool broken, compressed, even; /* even: slack must stay */
    predicate *holds;
    size_t most, most_steps;
} trace_case;

/* Halving takes few steps; removing events and items one by one would take 560. */
static void check_trace(const trace_case *c)
{
    build_chunk file = make_trace(c->broken, c->compressed);
    CHECK(c->compressed || file.size == MADE_FILE_SIZE);
    CHECK(c->holds(file.at, file.size));
    const shrunk r = trim(INPUT_FILE, file.at, file.size, c->holds);
    const sighting s = decode(r.at, r.size);
    printf("%s: %zu -> %zu bytes, %zu steps of %zu at most, %zu of equal size\n", c->what, file.size, r.size, r.tries,
           r.bound, r.equal);
    CHECK(c->holds(r.at, r.size));
    CHECK(r.size <= c->most);
    CHECK(r.tries <= c->most_steps);
    CHECK(c->even || r.equal <= PADDED);
    if (!c->broken)
        CHECK_UINT(ETL_SIZE(EVENT_HEADER), s.victim_size); /* neither items nor data */
    free(r.at);
    build_chunk_free(&file);
}

static void test_traces(void)
{
    /* A conforming file has a logfile header, in a buffer of its own. */
    const size_t event = ETL_SIZE(WMI_BUFFER_HEADER_61) + ETL_SIZE(EVENT_HEADER);
    const size_t logfile = ETL_SIZE(WMI_BUFFER_HEADER_61) + ETL_SIZE(SYSTEM_TRACE_HEADER) +
                           ETL_SIZE(TRACE_LOGFILE_HEADER64);
    const trace_case cases[] = {
        {"one fault", true, false, false, has_size_0, event, 80},
        {"one fault, compressed", true, true, false, has_size_0, event, 140},
        {"one event", false, false, false, has_victim_and_conforms, logfile + event + 16, 160},
        {"one event, compressed", false, true, false, has_compressed_victim, logfile + event + 16, 230},
        {"one event, even buffers", false, false, true, has_even_victim, 2 * logfile + 16, 160},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_trace(&cases[i]);
}

static void test_extremes(void)
{
    build_chunk file = make_trace(false, false);
    shrunk r = trim(INPUT_FILE, file.at, file.size, anything);
    CHECK(r.size <= ETL_SIZE(WMI_BUFFER_HEADER_61));
    free(r.at);
    r = trim(INPUT_FILE, file.at, 2 * MADE_BUFFER_SIZE, nothing);
    CHECK_UINT(2 * MADE_BUFFER_SIZE, r.size);
    CHECK(r.tries > MADE_BUFFERS);
    free(r.at);
    r = trim(INPUT_FILE, file.at, 0, anything);
    CHECK_UINT(0, r.tries);
    free(r.at);
    r = trim(INPUT_TEXT, (const uint8_t *)"a line of text\n", 15, anything);
    CHECK_UINT(1, r.size);
    free(r.at);
    build_chunk_free(&file);
}

/* One in SHARE of the vectors and their parts: all would take too long. */
static void test_vectors(int count, char **directories)
{
    enum { SHARE = 50 };
    const tally sum = shrink_vectors(count, directories, trim, SHARE, SIZE_MAX);
    printf("%zu vectors and parts: %zu -> %zu bytes, %zu steps of %zu at most\n", sum.inputs, sum.before, sum.after,
           sum.tries, sum.bound);
    CHECK(sum.files > 0);
    CHECK_UINT(0, sum.wrong);
    CHECK(sum.after < sum.before);
}

int main(int argc, char **argv)
{
    test_traces();
    test_extremes();
    test_vectors(argc - 1, argv + 1);
    return test_result();
}
