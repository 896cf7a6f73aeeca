/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the lists of a `repeat` from tables of the format, so that vectors follow the tables. Called by recipe.c.
 */
#include "recipe/table_lists.h"

#include <string.h>

#include "recipe/expression.h"
#include "recipe/memory_block.h"

enum { ARGUMENTS_MAX = 3 };

typedef struct list {
    build_parser *parser;
    const build_token *at;
    const char *arguments[ARGUMENTS_MAX];
    size_t argument_count;
    build_value *values;
    size_t value_count;
} list;

static void add_text(list *l, const char *text)
{
    l->values = build_parser_grow(l->parser, l->values, l->value_count, sizeof *l->values);
    char *copy = build_parser_copy(l->parser, text, strlen(text));
    l->values[l->value_count++] = (build_value){.kind = BUILD_VALUE_TEXT, .bytes = (uint8_t *)copy, .size = strlen(text)};
}

static void add_number(list *l, uint64_t number)
{
    l->values = build_parser_grow(l->parser, l->values, l->value_count, sizeof *l->values);
    l->values[l->value_count++] = (build_value){.kind = BUILD_VALUE_NUMBER, .number = number};
}

/* The lists. */

static const char *const disputes[] = {
    [BUILD_MEMORY_SETTLED] = "settled", [BUILD_MEMORY_CONTRADICTED] = "contradicted", [BUILD_MEMORY_MISFIT] = "misfit"};

/* layouts("WMI_LOGGER_CONTEXT", "settled"): version and architecture of each. */
static void list_layouts(list *l)
{
    const etl_memory_structure structure = etl_memory_structure_find(l->arguments[0]);
    if (structure == ETL_MEMORY_STRUCTURE_COUNT)
        build_parser_fail(l->parser, l->at, "expected a structure of layouts/structures.def, found \"%.60s\"",
                          l->arguments[0]);
    for (etl_windows windows = 0; windows < ETL_WINDOWS_COUNT; windows++)
        for (etl_arch arch = 0; arch < ETL_ARCH_COUNT; arch++) {
            const etl_memory_layout layout = {structure, windows, arch};
            if (etl_memory_size(layout) == 0 || strcmp(disputes[build_memory_dispute_of(layout)], l->arguments[1]) != 0)
                continue;
            add_text(l, etl_windows_get(windows)->text);
            add_text(l, etl_arch_text(arch));
        }
}

/* members("WMI_LOGGER_CONTEXT", "1903", "x64"): name and offset of each; those of a union under the name of the first. */
static void list_members(list *l)
{
    const etl_memory_layout layout = build_memory_block_layout(l->parser, l->at, l->arguments);
    etl_memory_member member;
    uint32_t end = 0;
    for (size_t row = 0; build_memory_next(layout, &row, &member);) {
        if (member.offset < end)
            continue;
        end = member.offset + member.size;
        add_text(l, member.name);
        add_number(l, member.offset);
    }
}

/* Adds the runs of bits that have a meaning, or with `spare` the single bits that have none. */
static void add_bits(list *l, bool spare)
{
    const char *const names[] = {etl_memory_structure_get(ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT)->name, l->arguments[1],
                                 etl_arch_text(ETL_ARCH_X64)};
    const etl_memory_layout layout = build_memory_block_layout(l->parser, l->at, names);
    etl_memory_member member;
    etl_memory_bits bits;
    if (!build_memory_find(layout, l->arguments[0], &member))
        build_parser_fail(l->parser, l->at, "expected a member of %s, found \"%.60s\"", names[0], l->arguments[0]);
    for (uint32_t i = 0; build_memory_bits(layout, member.meaning, i, &bits); i++) {
        if (!spare && !bits.spare) {
            add_text(l, bits.name);
            add_number(l, bits.mask);
        }
        for (unsigned bit = 0; spare && bits.spare && bit < 32; bit++)
            if (bits.mask >> bit & 1)
                add_number(l, bit);
    }
}

/* bits("Flags", "1903"): name and mask of each run of bits with a meaning. */
static void list_bits(list *l)
{
    add_bits(l, false);
}

/*
 * header_types(): name, value and size of the header of each type that stores a header of known layout under marker 0xC0.
 * The size of INSTANCE is the one in files of 5.2 and later.
 */
static void list_header_types(list *l)
{
    static const struct {
        const char *name;
        uint8_t value;
        etl_layout layout;
    } types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {#name, value, ETL_LAYOUT_##layout},
#include "format/header_types.def"
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        etl_layout layout = types[i].layout;
        if (layout == ETL_LAYOUT_OPAQUE || layout == ETL_LAYOUT_MESSAGE)
            continue;
        if (layout == ETL_LAYOUT_INSTANCE)
            layout = ETL_LAYOUT_INSTANCE_GUID;
        add_text(l, types[i].name);
        add_number(l, types[i].value);
        add_number(l, etl_structure_size_of(etl_layout_structure(layout)));
    }
}

/* spare_bits("Flags", "6.3"): the number of each bit without a meaning. */
static void list_spare_bits(list *l)
{
    add_bits(l, true);
}

/* Reading. */

static const struct {
    const char *name;
    void (*make)(list *l);
    size_t arguments, width;
} lists[] = {{"layouts", list_layouts, 2, 2},
             {"members", list_members, 3, 2},
             {"bits", list_bits, 2, 2},
             {"spare_bits", list_spare_bits, 2, 1},
             {"header_types", list_header_types, 0, 3}};

static void read_arguments(list *l, size_t count)
{
    build_parser_need(l->parser, "(");
    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            build_parser_need(l->parser, ",");
        const build_token *at = l->parser->at;
        const build_value value = build_expression(l->parser);
        if (value.kind != BUILD_VALUE_TEXT)
            build_parser_fail(l->parser, at, "expected a string, found %s", build_expression_kind(&value));
        l->arguments[i] = (const char *)value.bytes;
    }
    build_parser_need(l->parser, ")");
}

bool build_table_list(build_parser *p, size_t width, build_value **values, size_t *count)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        list l = {.parser = p, .at = p->at};
        if (!build_token_is(p->at, lists[i].name))
            continue;
        if (width != lists[i].width)
            build_parser_fail(p, l.at, "expected %zu loop variable%s for %s, found %zu", lists[i].width,
                              lists[i].width == 1 ? "" : "s", lists[i].name, width);
        p->at++;
        read_arguments(&l, lists[i].arguments);
        lists[i].make(&l);
        if (l.value_count == 0)
            build_parser_fail(p, l.at, "expected a list with elements, found an empty one");
        *values = l.values;
        *count = l.value_count / width;
        return true;
    }
    return false;
}
