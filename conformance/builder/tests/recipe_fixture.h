/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes for tests, and checks of their vectors.
 */
#ifndef ETLPROOF_RECIPE_FIXTURE_H
#define ETLPROOF_RECIPE_FIXTURE_H

#include "recipe/recipe.h"
#include "test.h"

#define NAME "size/x.recipe"
#define HEAD "recipe \"r\" source \"s\" rule SIZ-001\n"
/* A plain buffer with an event and an item at 0x400, a compressed one at 0x800, and a tail. */
#define TRACE                                                                                                              \
    "trace {\n"                                                                                                            \
    "  buffer b { event e EVENT_HEADER64 { data = count(11) item i SID { data = sid(1, 5, 18) } } }\n"                     \
    "  buffer c { compress = \"literal\" event f SYSTEM64 { data = count(8) } event g MESSAGE { data = count(2) } }\n"     \
    "  bytes t tail { data = count(3) }\n"                                                                                 \
    "}\n"
/* One vector with statements of its own. */
#define VECTOR(body) HEAD TRACE "vector v { title \"t\"\n" body "\n}\n"
#define ACCEPTED(body) VECTOR("accept " body)
/* One vector of a trace. */
#define OF_TRACE(body) HEAD "trace {" body "}\nvector v { title \"t\" accept }\n"

static inline build_model_node node_of(const build_vector *vector, const char *name)
{
    build_model_node node = {0};
    CHECK(build_model_find(vector->model, name, &node));
    return node;
}

static inline uint64_t member_of(const build_vector *vector, const char *name, const char *member)
{
    const build_model_node node = node_of(vector, name);
    const build_structure *part = node.buffer != NULL ? build_model_structure(&node, member) : NULL;
    CHECK(part != NULL);
    return part != NULL ? build_structure_get(part, member) : 0;
}

static inline void check_chunk(const build_chunk *chunk, const void *bytes, size_t size, const char *file, int line,
                               const char *text)
{
    test_check_uint(size, chunk->size, file, line, text);
    if (chunk->size == size && size != 0)
        test_check_bytes(bytes, chunk->at, size, file, line, text);
}

/* `literal` is a string literal; its NUL does not count. */
#define CHECK_CHUNK(literal, chunk) check_chunk((chunk), (literal), sizeof(literal) - 1, __FILE__, __LINE__, #chunk)

/* Checks each vector of a well-formed recipe, which must give `count` vectors. */
typedef void (*look)(const build_vector *vector, size_t number);

typedef struct looking {
    look at;
    size_t count;
} looking;

static inline bool look_at(void *context, const build_vector *vector)
{
    looking *l = context;
    if (l->at != NULL)
        l->at(vector, l->count);
    l->count++;
    return true;
}

static inline void read_good(const char *text, size_t count, look at, int line)
{
    looking l = {at, 0};
    build_recipe_error error = {0};
    const bool read = build_recipe_read(text, strlen(text), NAME, BUILD_RECIPE_WORK_MAX, look_at, &l, &error);
    test_check_text("", error.text, __FILE__, line, "error");
    test_check(read, __FILE__, line, "the recipe is accepted");
    test_check_uint(count, l.count, __FILE__, line, "vectors");
}

#define GOOD(text, count, at) read_good((text), (count), (at), __LINE__)

#endif
