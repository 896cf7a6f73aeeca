/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `patch …` into a build_patch. Called for the patch of a vector, once its trace is laid out.
 */
#include "recipe/patch_statement.h"

#include <inttypes.h>

#include "recipe/assignment.h"
#include "recipe/expression.h"
#include "recipe/memory_block.h"
#include "recipe/trace_places.h"

static void place_patch(build_patch *patch, build_place place)
{
    patch->inflated = place.inflated;
    patch->offset = place.offset;
    patch->position = place.position;
}

/* The patch borrows the bytes; the parser owns them. */
static void fill_patch(build_patch *patch, uint8_t *bytes, size_t size)
{
    patch->bytes = (build_chunk){.at = bytes, .size = size};
    patch->size = size;
}

/* `= bytes` */
static void read_new_bytes(build_parser *p, build_patch *patch)
{
    build_parser_need(p, "=");
    const build_value value = build_expression_bytes(p);
    fill_patch(patch, value.bytes, value.size);
}

/* Keeps the recipe's spelling of the place, for the JSON. */
static void keep_spelling(build_vector_parser *v, const build_token *from)
{
    v->vector.place = build_parser_source(v->parser, from, v->parser->at);
}

/* `at PLACE` */
static void read_place(build_vector_parser *v, build_patch *patch)
{
    const build_token *from = v->parser->at - 1;
    build_parser_need(v->parser, "at");
    place_patch(patch, build_expression_place(v->parser));
    keep_spelling(v, from);
}

static void read_bytes(build_vector_parser *v, build_patch *patch)
{
    patch->kind = BUILD_PATCH_BYTES;
    read_place(v, patch);
    read_new_bytes(v->parser, patch);
}

static void read_insert(build_vector_parser *v, build_patch *patch)
{
    patch->kind = BUILD_PATCH_INSERT;
    read_place(v, patch);
    read_new_bytes(v->parser, patch);
}

static void read_append(build_vector_parser *v, build_patch *patch)
{
    patch->kind = BUILD_PATCH_INSERT;
    const uint64_t end = v->memory != NULL ? v->memory->size : v->parser->laid_out->size;
    place_patch(patch, (build_place){NULL, end, build_token_position(v->parser->at - 1)});
    keep_spelling(v, v->parser->at - 1);
    read_new_bytes(v->parser, patch);
}

static void read_cut(build_vector_parser *v, build_patch *patch)
{
    const build_token *at = v->parser->at;
    patch->kind = BUILD_PATCH_CUT;
    read_place(v, patch);
    if (patch->inflated != NULL)
        build_parser_fail(v->parser, at + 1, "expected a place in the file to cut at, found one in an inflated buffer");
}

static void read_remove(build_vector_parser *v, build_patch *patch)
{
    const build_token *from = v->parser->at - 1;
    build_place start, end;
    patch->kind = BUILD_PATCH_REMOVE;
    build_expression_places(v->parser, &start, &end);
    if (!v->parser->skipping && start.offset == end.offset)
        build_parser_fail(v->parser, from + 1, "expected bytes to remove, found none");
    place_patch(patch, start);
    patch->position = end.position;
    patch->size = end.offset - start.offset;
    keep_spelling(v, from);
}

static void read_move(build_vector_parser *v, build_patch *patch)
{
    build_parser *p = v->parser;
    const build_token *from = p->at - 1, *name = build_parser_word(p, "an event");
    const build_model_node node = build_place_node(p, name);
    if (node.event == NULL || node.item != NULL)
        build_parser_expected_at(p, name, "an event");
    const build_value start = build_place_start(p, &node);
    patch->kind = BUILD_PATCH_MOVE;
    place_patch(patch, (build_place){start.inflated, start.number, build_token_position(name)});
    patch->size = node.event->size;
    build_parser_need(p, "by");
    patch->by = (int64_t)build_expression_number(p);
    keep_spelling(v, from);
}

/* Assigns the value to a copy of the member's structure, and takes the bytes from there. */
static void read_member(build_vector_parser *v, build_patch *patch)
{
    build_parser *p = v->parser;
    const build_token *name = build_parser_word(p, "\"bytes\", \"cut\", \"append\", \"insert\", \"remove\", \"move\" "
                                                   "or a name of the trace");
    const build_model_node node = build_place_node(p, name);
    const char *member;
    build_value place;
    const build_structure *structure = build_place_of_member(p, &node, &member, &place);
    keep_spelling(v, name);
    build_parser_need(p, "=");
    const build_token *value_at = p->at;
    const build_value value = build_expression(p);
    if (structure == NULL)
        return;
    build_structure *copy = build_parser_allocate(p, sizeof *copy);
    uint32_t offset = 0;
    etl_member_kind kind = ETL_MEMBER_KIND_U8;
    *copy = *structure;
    build_assign_member(p, value_at, copy, member, &value);
    (void)build_structure_find(copy, member, &offset, &kind);
    patch->kind = BUILD_PATCH_BYTES;
    place_patch(patch, (build_place){place.inflated, place.number, build_token_position(name)});
    fill_patch(patch, copy->bytes + offset, etl_member_kind_size(kind));
}

/* Patches a member of a structure in memory. */
static void read_memory_member(build_vector_parser *v, build_patch *patch)
{
    build_parser *p = v->parser;
    const build_token *from = p->at;
    build_memory *copy = build_parser_allocate(p, sizeof *copy);
    *copy = *v->memory;
    const etl_memory_member member = build_memory_block_path(p, copy);
    keep_spelling(v, from);
    p->at = from;
    build_memory_block_assign(p, copy);
    patch->kind = BUILD_PATCH_BYTES;
    place_patch(patch, (build_place){NULL, member.offset, build_token_position(from)});
    fill_patch(patch, copy->bytes + member.offset, member.size);
}

void build_patch_statement(build_vector_parser *v)
{
    static const struct {
        const char *name;
        void (*read)(build_vector_parser *v, build_patch *patch);
        bool of_trace; /* moves bytes, which a structure in memory cannot */
    } patches[] = {{"bytes", read_bytes, false},  {"cut", read_cut, false},      {"append", read_append, false},
                   {"insert", read_insert, true}, {"remove", read_remove, true}, {"move", read_move, true}};
    const build_token *at = v->parser->at - 1;
    if (v->patch_at != NULL)
        build_parser_fail(v->parser, at,
                          "expected at most one patch, found a second one (the first is on line %" PRIu32 ")",
                          v->patch_at->line);
    v->patch_at = at;
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++)
        if ((v->memory == NULL || !patches[i].of_trace) && build_parser_take(v->parser, patches[i].name)) {
            patches[i].read(v, &v->vector.patch);
            return;
        }
    (v->memory != NULL ? read_memory_member : read_member)(v, &v->vector.patch);
}

/* The place that a vector states is that of its patch. */
void build_also_statement(build_vector_parser *v)
{
    char *const place = v->vector.place;
    if (v->vector.also_count == BUILD_ALSO_MOST)
        build_parser_fail(v->parser, v->parser->at - 1, "expected at most %d further changes, found more", BUILD_ALSO_MOST);
    build_patch *patch = &v->vector.also[v->vector.also_count++];
    (build_parser_take(v->parser, "bytes") ? read_bytes : read_member)(v, patch);
    v->vector.place = place;
}
