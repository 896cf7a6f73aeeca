/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `memory STRUCTURE WINDOWS ARCH { … }` into a filled structure, and finds the places of its members. Called by
 * recipe.c, and by the statements and expressions of its vectors.
 */
#include "recipe/memory_block.h"

#include <stdio.h>
#include <string.h>

#include "recipe/byte_functions.h"
#include "recipe/expression.h"
#include "recipe/interpolation.h"

/* Layouts. */

/* A name as a word, "WMI_LOGGER_CONTEXT", or as the text of an expression. */
static const char *read_name(build_parser *p, const char *what)
{
    const build_token *at = p->at;
    if (at->kind == BUILD_TOKEN_WORD && build_loop_variable_find(p, at->text, at->size) == NULL)
        return build_parser_words(p, "", what);
    const build_value value = build_expression(p);
    if (value.kind != BUILD_VALUE_TEXT)
        build_parser_fail(p, at, "expected %s, found %s", what, build_expression_kind(&value));
    return (const char *)value.bytes;
}

etl_memory_layout build_memory_block_layout(build_parser *p, const build_token *at, const char *const texts[3])
{
    const etl_memory_layout layout = {etl_memory_structure_find(texts[0]), etl_windows_find(texts[1]),
                                      etl_arch_find(texts[2])};
    if (layout.structure == ETL_MEMORY_STRUCTURE_COUNT)
        build_parser_fail(p, at, "expected a structure of layouts/structures.def, found \"%s\"", texts[0]);
    if (layout.windows == ETL_WINDOWS_COUNT)
        build_parser_fail(p, at, "expected a version of windows.def, found \"%s\"", texts[1]);
    if (layout.arch == ETL_ARCH_COUNT)
        build_parser_fail(p, at, "expected \"x86\", \"x64\" or \"arm64\", found \"%s\"", texts[2]);
    if (etl_memory_size(layout) == 0)
        build_parser_fail(p, at, "expected a layout that is known, found %s of %s for %s", texts[0], texts[1], texts[2]);
    return layout;
}

/* Members. */

/* The name of a member, or the text of a loop variable of that name. */
static const char *name_of(build_parser *p, const build_token *word)
{
    const build_loop_variable *variable = build_loop_variable_find(p, word->text, word->size);
    return variable != NULL && variable->value.kind == BUILD_VALUE_TEXT ? (const char *)variable->value.bytes
                                                                        : build_parser_copy(p, word->text, word->size);
}

bool build_memory_block_has_member(const build_parser *p, const build_value *value)
{
    etl_memory_member member;
    return p->memory != NULL && value->kind == BUILD_VALUE_TEXT &&
           build_memory_find(p->memory->layout, (const char *)value->bytes, &member);
}

/* The member that a path starts with: "LoggerId", or "at(0x58)" for a member without a name. */
static etl_memory_member read_outer(build_parser *p, const build_memory *memory)
{
    etl_memory_member member;
    const build_token *word = build_parser_word(p, "a member of the structure");
    if (!build_token_is(word, "at") || !build_parser_take(p, "(")) {
        if (!build_memory_find(memory->layout, name_of(p, word), &member))
            build_parser_fail(p, word, "expected a member of %s, found \"%.60s\"",
                              etl_memory_structure_get(memory->layout.structure)->name, name_of(p, word));
        return member;
    }
    const build_token *offset_at = p->at;
    const uint64_t offset = build_expression_number(p);
    build_parser_need(p, ")");
    if (!build_memory_find_at(memory->layout, offset, &member))
        build_parser_fail(p, offset_at, "expected the offset of a member, found 0x%llx, where none starts",
                          (unsigned long long)offset);
    return member;
}

etl_memory_member build_memory_block_path(build_parser *p, const build_memory *memory)
{
    etl_memory_member member = read_outer(p, memory), part;
    const build_token *at = p->at;
    if (build_parser_take(p, "[")) {
        const uint64_t index = build_expression_number(p);
        if (member.count == 1)
            build_parser_fail(p, at, "expected no index, since %.60s is not an array, found one", member.name);
        if (index >= member.count)
            build_parser_fail(p, at, "expected an index below %u, found %llu", (unsigned)member.count,
                              (unsigned long long)index);
        build_parser_need(p, "]");
        member = build_memory_element(&member, (uint32_t)index);
    }
    if (!build_parser_take(p, "."))
        return member;
    const build_token *word = build_parser_word(p, "a part of the member");
    if (!build_memory_find_part(&member, memory->layout.arch, name_of(p, word), &part))
        build_parser_fail(p, word, "expected a part of %.60s, found \"%.60s\"", member.name, name_of(p, word));
    return part;
}

/* Values. */

static void put(build_parser *p, const build_token *at, build_memory *memory, const etl_memory_member *member,
                const build_value *value)
{
    uint8_t guid[BUILD_GUID_BYTES];
    const uint8_t *bytes = value->bytes;
    if (value->kind == BUILD_VALUE_NUMBER && build_memory_is_number(member)) {
        build_expression_need_fit(p, at, value->number, member->size);
        build_memory_put(memory, member, value->number);
        return;
    }
    if (member->kind == ETL_MEMORY_KIND_GUID && member->count == 1) {
        build_value_to_guid(p, at, value, guid);
        bytes = guid;
    } else if (value->kind != BUILD_VALUE_BYTES || value->size != member->size) {
        build_parser_fail(p, at, "expected %u bytes%s, found %s", (unsigned)member->size,
                          build_memory_is_number(member) ? " or a number" : "", build_expression_kind(value));
    }
    memcpy(memory->bytes + member->offset, bytes, member->size);
}

void build_memory_block_assign(build_parser *p, build_memory *memory)
{
    const etl_memory_member member = build_memory_block_path(p, memory);
    build_parser_need(p, "=");
    const build_token *at = p->at;
    const build_value value = build_expression(p);
    put(p, at, memory, &member, &value);
}

const build_memory *build_memory_block(build_parser *p)
{
    const build_token *at = p->at;
    const char *texts[3];
    texts[0] = read_name(p, "a structure");
    texts[1] = read_name(p, "a version of Windows, such as \"1903\"");
    texts[2] = read_name(p, "\"x86\", \"x64\" or \"arm64\"");
    build_memory *memory = build_parser_allocate(p, sizeof *memory);
    build_memory_fill(memory, build_memory_block_layout(p, at, texts));
    build_parser_need(p, "{");
    while (!build_parser_take(p, "}"))
        build_memory_block_assign(p, memory);
    return memory;
}

/* Functions. */

static uint64_t value_of(build_parser *p, const build_token *at, const etl_memory_member *member)
{
    if (!build_memory_is_number(member))
        build_parser_expected_at(p, at, "a member that is a number");
    return build_memory_get(p->memory, member);
}

bool build_memory_block_function(build_parser *p, const build_token *name, build_value *value)
{
    if (build_token_is(name, "at")) {
        p->at = name;
        *value = build_value_of_number(build_memory_block_path(p, p->memory).offset);
        return true;
    }
    const bool is_file = build_token_is(name, "file");
    const bool is_end = build_token_is(name, "end"), is_size = build_token_is(name, "size");
    if (!is_file && !is_end && !is_size && !build_token_is(name, "value"))
        return false;
    build_parser_need(p, "(");
    const build_token *at = p->at;
    if (is_file) {
        *value = build_value_of_number(p->memory->size);
    } else {
        const etl_memory_member member = build_memory_block_path(p, p->memory);
        *value = build_value_of_number(is_end    ? member.offset + member.size
                                       : is_size ? member.size
                                                 : value_of(p, at, &member));
    }
    build_parser_need(p, ")");
    return true;
}
