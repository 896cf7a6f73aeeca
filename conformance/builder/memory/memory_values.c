/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses default values for the members of a layout. Called for each `memory` block of a recipe. Values differ from one
 * another, so that a value read from the wrong place is noticed, and none breaks a rule.
 */
#include "memory/memory_structure.h"
#include "memory/layout_tables.h"

#include <string.h>

/* The element of a TRACE_ENABLE_INFO array that is not enabled: it does not count in the union of all. */
enum { DISABLED = 3 };

/* Bits of MatchAllKeyword that all enabled elements have. */
#define ALL_KEYWORD UINT64_C(0xFF00FF0000000000)

/* Members whose values have rules of their own. */
static const struct {
    const char *name;
    uint32_t value;
} own[] = {{"LoggerId", 37},        {"BufferSize", 0x10000}, {"MaximumEventSize", 0xFFB8},
           {"ClockType", 2},        {"MinimumBuffers", 4},   {"MaximumBuffers", 24},
           {"NumberOfBuffers", 20}, {"BuffersAvailable", 7}, {"RefCount", 3}};

static uint64_t pointer_at(etl_memory_layout layout, uint32_t offset)
{
    static const uint64_t bases[][ETL_ARCH_COUNT] = {
        [ETL_MEMORY_MODE_KERNEL] = ETL_ARCHES(0x85500000, UINT64_C(0xFFFFA50000000000)),
        [ETL_MEMORY_MODE_USER] = ETL_ARCHES(0x05500000, UINT64_C(0x00007A5000000000)),
    };
    return bases[etl_memory_structure_get(layout.structure)->mode][layout.arch] + 0x10 * (uint64_t)offset;
}

/* Every second bit that has a meaning, and some bits of each run that is a number. */
static uint64_t bits_of(etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    uint64_t value = 0;
    bool take = true;
    for (uint32_t i = 0; build_memory_bits(layout, member->meaning, i, &bits); i++) {
        const bool is_number = (bits.mask & (bits.mask - 1)) != 0;
        if (!bits.spare && (take || is_number))
            value |= is_number ? bits.mask & 0x5A5A5A5A : bits.mask;
        take = !take;
    }
    return value;
}

static uint64_t plain_at(uint32_t size, uint32_t offset)
{
    switch (size) {
    case 1: return 0x80 | ((offset + offset / 32) & 0x7F);
    case 2: return 0x5000 | offset;
    case 4: return 0x0A550000 | offset;
    default: return UINT64_C(0x0A5A5A0000000000) | offset;
    }
}

static uint64_t number_of(etl_memory_layout layout, const etl_memory_member *member)
{
    const uint32_t offset = member->offset;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(member->name, own[i].name) == 0)
            return own[i].value;
    if (bits_of(layout, member) != 0)
        return bits_of(layout, member);
    if (member->meaning == ETL_MEMORY_MEANING_FILETIME)
        return UINT64_C(0x01D6000000000000) | offset;
    switch (member->kind) {
    case ETL_MEMORY_KIND_POINTER: return pointer_at(layout, offset);
    case ETL_MEMORY_KIND_FAST_REF: return pointer_at(layout, offset) | 5;
    case ETL_MEMORY_KIND_HANDLE: return 0x1000 | offset;
    case ETL_MEMORY_KIND_STATUS: return 0xC0000000 | offset;
    case ETL_MEMORY_KIND_SIGNED: return 0 - plain_at(member->size, offset);
    default: return plain_at(member->size, offset);
    }
}

static void put_bytes(build_memory *memory, const etl_memory_member *member)
{
    for (uint32_t i = 0; i < member->size; i++)
        memory->bytes[member->offset + i] = (uint8_t)((member->offset + i) * 7 + member->offset / 256 * 3 + 1);
}

static void put_part(build_memory *memory, const etl_memory_member *member, const char *name, uint64_t value)
{
    etl_memory_member part;
    if (build_memory_find_part(member, memory->layout.arch, name, &part))
        build_memory_put(memory, &part, value);
}

static void fill_element(build_memory *memory, const etl_memory_member *element)
{
    etl_memory_member part;
    if (element->kind == ETL_MEMORY_KIND_BYTES || element->kind == ETL_MEMORY_KIND_GUID)
        put_bytes(memory, element);
    else if (build_memory_is_number(element))
        build_memory_put(memory, element, number_of(memory->layout, element));
    for (uint32_t i = 0; build_memory_part(element, memory->layout.arch, i, &part); i++)
        build_memory_put(memory, &part, number_of(memory->layout, &part));
    if (element->kind == ETL_MEMORY_KIND_UNICODE_STRING) {
        const uint64_t length = 0x100 + 2 * (uint64_t)(element->offset / 4);
        put_part(memory, element, "Length", length);
        put_part(memory, element, "MaximumLength", length + 2);
    }
}

/* The events that one session requests from the provider. */
static void enable(build_memory *memory, const etl_memory_member *info, uint32_t index)
{
    const bool enabled = index != DISABLED;
    put_part(memory, info, "IsEnabled", enabled);
    put_part(memory, info, "Level", enabled ? 2 * index + 1 : 0xF0);
    put_part(memory, info, "LoggerId", 9 + 5 * index);
    put_part(memory, info, "MatchAnyKeyword", enabled ? UINT64_C(0x10001) << index : UINT64_C(1) << 63);
    put_part(memory, info, "MatchAllKeyword", enabled ? ALL_KEYWORD | UINT64_C(1) << index : 0);
}

/* The union of the requests of all sessions. */
static void enable_all(build_memory *memory, const etl_memory_member *whole, uint32_t count)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= i != DISABLED ? UINT64_C(0x10001) << i : 0;
    put_part(memory, whole, "IsEnabled", 1);
    put_part(memory, whole, "Level", 2 * count - 1);
    put_part(memory, whole, "LoggerId", 9 + 5 * count);
    put_part(memory, whole, "MatchAnyKeyword", any);
    put_part(memory, whole, "MatchAllKeyword", ALL_KEYWORD);
}

static void fill_enabled(build_memory *memory)
{
    etl_memory_member array, whole;
    if (!build_memory_find(memory->layout, "EnableInfo", &array) ||
        !build_memory_find(memory->layout, "ProviderEnableInfo", &whole))
        return;
    for (uint32_t i = 0; i < array.count; i++) {
        const etl_memory_member info = build_memory_element(&array, i);
        enable(memory, &info, i);
    }
    enable_all(memory, &whole, array.count);
}

void build_memory_fill(build_memory *memory, etl_memory_layout layout)
{
    etl_memory_member member;
    uint32_t end = 0;
    memset(memory, 0, sizeof *memory);
    memory->layout = layout;
    memory->size = etl_memory_size(layout);
    for (size_t row = 0; build_memory_next(layout, &row, &member);) {
        if (member.offset < end)
            continue; /* of a union, only the first member is written */
        end = member.offset + member.size;
        for (uint32_t i = 0; i < member.count; i++) {
            const etl_memory_member element = build_memory_element(&member, i);
            fill_element(memory, &element);
        }
    }
    fill_enabled(memory);
}
