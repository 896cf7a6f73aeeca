/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector in a test: its trace, its claims, and the JSON made from them, line by line.
 */
#ifndef ETLPROOF_EXPECT_FIXTURE_H
#define ETLPROOF_EXPECT_FIXTURE_H

#include "expect/expected_decode.h"
#include "image/file_layout.h"

#include "test.h"

enum { HEADER_BUFFER = 0x400, CLAIMS_MAX = 8 };

/* A vector and the last JSON made from it. */
typedef struct test_vector {
    build_model *model;
    build_vector vector;
    build_claim claims[CLAIMS_MAX];
    build_claimed_finding finding;
    build_chunk image, json;
    char line[8192];
    const char *why;
    build_position where;
    bool made;
} test_vector;

static inline void no_hash(const build_chunk *image, char hex[65])
{
    (void)image;
    memset(hex, 'f', 64);
    hex[64] = '\0';
}

/* The header buffer with fixed members, and a buffer "b" in it. Clock: 10 MHz, 1000000 at 2020-02-17 09:00:00. */
static inline void open_vector(test_vector *b, uint8_t pointer_size)
{
    static char id[] = "an-id", title[] = "A \"title\"", source[] = "here", recipe[] = "size/x.recipe:7";
    *b = (test_vector){.model = build_model_new(pointer_size), .why = ""};
    b->vector =
        (build_vector){.id = id, .title = title, .source = source, .recipe = recipe, .must = true, .model = b->model};
    b->vector.rule = ETL_RULE_SIZ_004;
    b->vector.claims = b->claims;
    b->vector.findings = &b->finding;
    build_model_add_buffer(b->model, "b");
}

static inline void make(test_vector *b)
{
    if (b->made) {
        build_chunk_free(&b->image);
        build_chunk_free(&b->json);
    }
    build_model_lay_out(b->model);
    CHECK(build_expected_decode(&b->vector, no_hash, &b->image, &b->json, &b->why, &b->where));
    CHECK_TEXT("", b->why);
    build_chunk_number(&b->json, 0, 1);
    b->made = true;
}

/* Building the vector fails with a message that contains `text`. */
static inline void refuse(test_vector *b, const char *text)
{
    build_chunk image, json;
    const char *why = "";
    build_model_lay_out(b->model);
    CHECK(!build_expected_decode(&b->vector, no_hash, &image, &json, &why, &b->where));
    if (strstr(why, text) == NULL)
        CHECK_TEXT(text, why);
    build_chunk_free(&image);
    build_chunk_free(&json);
}

static inline void close_vector(test_vector *b)
{
    if (b->made) {
        build_chunk_free(&b->image);
        build_chunk_free(&b->json);
    }
    build_model_free(b->model);
}

static inline build_model_event *add(test_vector *b, const char *name, uint8_t type, size_t data)
{
    build_model_event *event = build_model_add_event(b->model, 1, name, type);
    build_chunk_fill(&event->data, 0xD7, data);
    return event;
}

/* A vector with verdict reject needs a finding of severity error. */
static inline void reject(test_vector *b)
{
    b->vector.verdict = BUILD_VECTOR_REJECT;
    b->finding = (build_claimed_finding){.rule = ETL_RULE_SIZ_002, .action = -1};
    b->vector.finding_count = 1;
}

static inline build_claim *claim(test_vector *b, build_claim_kind kind, const char *node)
{
    build_claim *c = &b->claims[b->vector.claim_count++];
    static char names[CLAIMS_MAX][32];
    char *name = names[b->vector.claim_count - 1];
    (void)snprintf(name, sizeof names[0], "%s", node);
    *c = (build_claim){.kind = kind, .node = name, .region = ETL_REGION_DAMAGED};
    return c;
}

/* The line of the JSON with `text`, after skipping `n` such lines; "" if there is none. */
static inline const char *line(test_vector *b, const char *text, unsigned n)
{
    const char *at = strstr((const char *)b->json.at, text);
    for (; n > 0 && at != NULL; n--)
        at = strstr(at + 1, text);
    b->line[0] = '\0';
    if (at == NULL)
        return b->line;
    while (at > (const char *)b->json.at && at[-1] != '\n')
        at--;
    at += strspn(at, " ");
    size_t size = strcspn(at, "\n");
    if (size > 0 && at[size - 1] == ',')
        size--;
    (void)snprintf(b->line, sizeof b->line, "%.*s", (int)size, at);
    return b->line;
}

static inline const char *event(test_vector *b, const char *index)
{
    char text[64];
    (void)snprintf(text, sizeof text, "\"index\":\"%s\",\"offset\":", index);
    const char *found = line(b, text, 0);
    return strncmp(found, "{\"rec\":\"buffer\"", 15) == 0 ? line(b, text, 1) : found;
}

#define CHECK_HAS(text, where)                                                                                             \
    do {                                                                                                                   \
        const char *where_ = (where);                                                                                      \
        if (strstr(where_, (text)) == NULL)                                                                                \
            CHECK_TEXT(text, where_);                                                                                      \
        else                                                                                                               \
            CHECK(true);                                                                                                   \
    } while (0)
/* A region of exactly that place and kind exists; `of` is NULL if it names no node. */
#define CHECK_REGION(b, offset, size, kind, of) check_region(b, offset, size, kind, of, __FILE__, __LINE__)
#define CHECK_HAS_NOT(text, where) CHECK(strstr((where), (text)) == NULL)

static inline void check_region(test_vector *b, unsigned offset, unsigned size, const char *kind, const char *of,
                                const char *file, int at)
{
    char text[192];
    (void)snprintf(text, sizeof text, "{\"offset\":\"%u\",\"size\":\"%u\",\"kind\":\"%s\"%s%s%s}", offset, size, kind,
                   of != NULL ? ",\"of\":\"" : "", of != NULL ? of : "", of != NULL ? "\"" : "");
    test_check_text(text, line(b, text, 0), file, at, "region");
}

static inline void set(build_structure *part, const char *member, uint64_t value)
{
    CHECK(build_structure_set(part, member, value));
}

static inline build_structure *logfile_of(test_vector *b)
{
    return &b->model->buffers[0].events[0].logfile;
}

#endif
