/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures in memory: `memory STRUCTURE WINDOWS ARCH { MEMBER = value … }`, and their members as places.
 */
#include <stdio.h>
#include <string.h>

#include "reading.h"

/* Layouts. */

/* "WMI_LOGGER_CONTEXT", as a word, or what an expression says. */
static const char *read_name(etl_reading *r, const char *what)
{
    const etl_token *at = r->at;
    if (at->kind == ETL_TOKEN_WORD && etl_text_variable(r, at->text, at->size) == NULL)
        return etl_reading_words(r, "", what);
    const etl_value value = etl_expression(r);
    if (value.kind != ETL_VALUE_TEXT)
        etl_reading_fail(r, at, "expected %s, found %s", what, etl_expression_kind(&value));
    return (const char *)value.bytes;
}

etl_memory_layout etl_recipe_memory_layout(etl_reading *r, const etl_token *at, const char *const texts[3])
{
    const etl_memory_layout layout = {etl_memory_structure_find(texts[0]), etl_windows_find(texts[1]),
                                      etl_arch_find(texts[2])};
    if (layout.structure == ETL_MEMORY_STRUCTURE_COUNT)
        etl_reading_fail(r, at, "expected a structure of layouts/structures.def, found \"%s\"", texts[0]);
    if (layout.windows == ETL_WINDOWS_COUNT)
        etl_reading_fail(r, at, "expected a version of layouts/windows.def, found \"%s\"", texts[1]);
    if (layout.arch == ETL_ARCH_COUNT)
        etl_reading_fail(r, at, "expected \"x86\" or \"x64\", found \"%s\"", texts[2]);
    if (etl_memory_size(layout) == 0)
        etl_reading_fail(r, at, "expected a layout that there is, found %s of %s for %s", texts[0], texts[1], texts[2]);
    return layout;
}

/* Members. */

/* The name of a member, or what a variable of that name holds. */
static const char *name_of(etl_reading *r, const etl_token *word)
{
    const etl_variable *variable = etl_text_variable(r, word->text, word->size);
    return variable != NULL && variable->value.kind == ETL_VALUE_TEXT ? (const char *)variable->value.bytes
                                                                     : etl_reading_copy(r, word->text, word->size);
}

bool etl_recipe_memory_names(const etl_reading *r, const etl_value *value)
{
    etl_memory_member member;
    return r->dump != NULL && value->kind == ETL_VALUE_TEXT &&
           etl_dump_find(r->dump->layout, (const char *)value->bytes, &member);
}

/* What holds the whole path: "LoggerId", or "at(0x58)" for one that has no name. */
static etl_memory_member read_outer(etl_reading *r, const etl_dump *dump)
{
    etl_memory_member member;
    const etl_token *word = etl_reading_word(r, "a member of the structure");
    if (!etl_token_is(word, "at") || !etl_reading_take(r, "(")) {
        if (!etl_dump_find(dump->layout, name_of(r, word), &member))
            etl_reading_fail(r, word, "expected a member of %s, found \"%.60s\"",
                             etl_memory_structure_get(dump->layout.structure)->name, name_of(r, word));
        return member;
    }
    const etl_token *offset_at = r->at;
    const uint64_t offset = etl_expression_number(r);
    etl_reading_need(r, ")");
    if (!etl_dump_find_at(dump->layout, offset, &member))
        etl_reading_fail(r, offset_at, "expected where a member starts, found another place");
    return member;
}

etl_memory_member etl_recipe_memory_path(etl_reading *r, const etl_dump *dump)
{
    etl_memory_member member = read_outer(r, dump), part;
    const etl_token *at = r->at;
    if (etl_reading_take(r, "[")) {
        const uint64_t index = etl_expression_number(r);
        if (index >= member.count || member.count == 1)
            etl_reading_fail(r, at, member.count == 1 ? "expected no index, of a member that is no array, found one"
                                                      : "expected an index of the array, found a larger one");
        etl_reading_need(r, "]");
        member = etl_dump_element(&member, (uint32_t)index);
    }
    if (!etl_reading_take(r, "."))
        return member;
    const etl_token *word = etl_reading_word(r, "a part of the member");
    if (!etl_dump_find_part(&member, dump->layout.arch, name_of(r, word), &part))
        etl_reading_fail(r, word, "expected a part of %.60s, found \"%.60s\"", member.name, name_of(r, word));
    return part;
}

/* Values. */

static void put(etl_reading *r, const etl_token *at, etl_dump *dump, const etl_memory_member *member,
                const etl_value *value)
{
    uint8_t guid[ETL_GUID_BYTES];
    const uint8_t *bytes = value->bytes;
    if (value->kind == ETL_VALUE_NUMBER && etl_dump_is_number(member)) {
        etl_expression_need_fit(r, at, value->number, member->size);
        etl_dump_put(dump, member, value->number);
        return;
    }
    if (member->kind == ETL_MEMORY_KIND_GUID && member->count == 1) {
        etl_bytes_guid(r, at, value, guid);
        bytes = guid;
    } else if (value->kind != ETL_VALUE_BYTES || value->size != member->size) {
        etl_reading_fail(r, at, "expected %u bytes%s, found %s", (unsigned)member->size,
                         etl_dump_is_number(member) ? " or a number" : "", etl_expression_kind(value));
    }
    memcpy(dump->bytes + member->offset, bytes, member->size);
}

void etl_recipe_memory_assign(etl_reading *r, etl_dump *dump)
{
    const etl_memory_member member = etl_recipe_memory_path(r, dump);
    etl_reading_need(r, "=");
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    put(r, at, dump, &member, &value);
}

const etl_dump *etl_recipe_memory(etl_reading *r)
{
    const etl_token *at = r->at;
    const char *texts[3];
    texts[0] = read_name(r, "a structure");
    texts[1] = read_name(r, "a version of Windows, such as \"1903\"");
    texts[2] = read_name(r, "\"x86\" or \"x64\"");
    etl_dump *dump = etl_reading_memory(r, sizeof *dump);
    etl_dump_fill(dump, etl_recipe_memory_layout(r, at, texts));
    etl_reading_need(r, "{");
    while (!etl_reading_take(r, "}"))
        etl_recipe_memory_assign(r, dump);
    return dump;
}

/* Functions. */

static etl_value number_value(uint64_t number)
{
    const etl_value value = {.kind = ETL_VALUE_NUMBER, .number = number};
    return value;
}

static uint64_t value_of(etl_reading *r, const etl_token *at, const etl_memory_member *member)
{
    if (!etl_dump_is_number(member))
        etl_reading_expected_at(r, at, "a member that is a number");
    return etl_dump_get(r->dump, member);
}

bool etl_recipe_memory_function(etl_reading *r, const etl_token *name, etl_value *value)
{
    if (etl_token_is(name, "at")) {
        r->at = name;
        *value = number_value(etl_recipe_memory_path(r, r->dump).offset);
        return true;
    }
    const bool is_file = etl_token_is(name, "file");
    const bool is_end = etl_token_is(name, "end"), is_size = etl_token_is(name, "size");
    if (!is_file && !is_end && !is_size && !etl_token_is(name, "value"))
        return false;
    etl_reading_need(r, "(");
    const etl_token *at = r->at;
    if (is_file) {
        *value = number_value(r->dump->size);
    } else {
        const etl_memory_member member = etl_recipe_memory_path(r, r->dump);
        *value = number_value(is_end    ? member.offset + member.size
                              : is_size ? member.size
                                        : value_of(r, at, &member));
    }
    etl_reading_need(r, ")");
    return true;
}
