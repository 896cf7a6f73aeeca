/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds members by name, and reads and writes their values in the bytes of a structure. Called wherever the builder sets or
 * reads a member.
 */
#include "model/structure_bytes.h"

#include <string.h>

enum { CHARACTER = 2 }; /* bytes of a WCHAR */

static bool is_name(const char *member, const char *name, size_t length)
{
    size_t i = 0;
    while (i < length && member[i] == name[i])
        i++;
    return i == length && member[i] == '\0';
}

/* The member of `id` whose name is the first `length` characters of `name`; NULL if there is none. */
static const etl_member_info *find_member(etl_structure_id id, const char *name, size_t length, uint32_t *number)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(id, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_name(members[i].name, name, length)) {
            *number = (uint32_t)i;
            return &members[i];
        }
    }
    return NULL;
}

etl_structure_id build_structure_nested(etl_member_kind kind)
{
    switch (kind) {
    case ETL_MEMBER_KIND_TIME_ZONE: return ETL_STRUCTURE_TIME_ZONE_INFORMATION;
    case ETL_MEMBER_KIND_SYSTEMTIME: return ETL_STRUCTURE_SYSTEMTIME;
    default: return ETL_STRUCTURE_COUNT;
    }
}

typedef struct place {
    uint32_t offset;
    etl_member_kind kind;
    uint32_t bit; /* of the outermost member, in `given` */
} place;

static bool find_place(etl_structure_id id, const char *name, place *found)
{
    uint32_t number;
    bool outermost = true;
    found->offset = 0;
    while (id != ETL_STRUCTURE_COUNT) {
        size_t length = strcspn(name, ".");
        const etl_member_info *member = find_member(id, name, length, &number);
        if (member == NULL)
            return false;
        found->offset += member->offset;
        found->kind = member->kind;
        if (outermost)
            found->bit = number;
        outermost = false;
        if (name[length] == '\0')
            return true;
        name += length + 1;
        id = build_structure_nested(member->kind);
    }
    return false;
}

static bool is_number(etl_member_kind kind)
{
    return kind == ETL_MEMBER_KIND_U8 || kind == ETL_MEMBER_KIND_U16 || kind == ETL_MEMBER_KIND_U32 ||
           kind == ETL_MEMBER_KIND_U64 || kind == ETL_MEMBER_KIND_I32 || kind == ETL_MEMBER_KIND_I64;
}

static void store(build_structure *structure, const place *p, uint64_t value)
{
    for (uint32_t i = 0; i < etl_member_kind_size(p->kind); i++)
        structure->bytes[p->offset + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t load(const build_structure *structure, const place *p)
{
    const uint32_t size = etl_member_kind_size(p->kind);
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)structure->bytes[p->offset + i] << 8 * i;
    if (p->kind == ETL_MEMBER_KIND_I32 && value >> 31 != 0)
        value |= ~(uint64_t)UINT32_MAX;
    return value;
}

build_structure build_structure_make(etl_structure_id id)
{
    const build_structure structure = {.id = id};
    return structure;
}

bool build_structure_find(const build_structure *structure, const char *member, uint32_t *offset, etl_member_kind *kind)
{
    place p;
    if (!find_place(structure->id, member, &p))
        return false;
    *offset = p.offset;
    *kind = p.kind;
    return true;
}

bool build_structure_set(build_structure *structure, const char *member, uint64_t value)
{
    place p;
    if (!find_place(structure->id, member, &p) || !is_number(p.kind))
        return false;
    store(structure, &p, value);
    structure->given |= UINT64_C(1) << p.bit;
    return true;
}

bool build_structure_set_bytes(build_structure *structure, const char *member, const uint8_t *bytes, size_t size)
{
    place p;
    if (!find_place(structure->id, member, &p) || size != etl_member_kind_size(p.kind))
        return false;
    memcpy(structure->bytes + p.offset, bytes, size);
    structure->given |= UINT64_C(1) << p.bit;
    return true;
}

uint64_t build_structure_get(const build_structure *structure, const char *member)
{
    place p;
    if (!find_place(structure->id, member, &p) || !is_number(p.kind))
        return 0;
    return load(structure, &p);
}

bool build_structure_is_given(const build_structure *structure, const char *member)
{
    place p;
    return find_place(structure->id, member, &p) && (structure->given >> p.bit & 1) != 0;
}

/* A ProcessorIndex has 11 bits. Source: phnt ntwmi.h. */
enum { PROCESSOR_INDEX_MASK = 0x07FF };

/* ProcessorNumber is the low byte of ProcessorIndex; all of ProcessorIndex counts from 6.0 on, if PROC_INDEX is set. */
uint32_t build_structure_processor(const build_structure *header)
{
    const bool old = header->id == ETL_STRUCTURE_WMI_BUFFER_HEADER_50 || header->id == ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    const bool wide = !old && (build_structure_get(header, "BufferFlag") & ETL_BUFFER_FLAG_PROC_INDEX) != 0;
    const place index = {.offset = ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex), .kind = ETL_MEMBER_KIND_U16};
    return (uint32_t)load(header, &index) & (wide ? PROCESSOR_INDEX_MASK : UINT8_MAX);
}

void build_structure_fill(build_structure *structure, const char *member, uint64_t value)
{
    place p;
    if (find_place(structure->id, member, &p) && is_number(p.kind) && (structure->given >> p.bit & 1) == 0)
        store(structure, &p, value);
}

void build_structure_fill_bytes(build_structure *structure, const char *member, const uint8_t *bytes, size_t size)
{
    place p;
    if (find_place(structure->id, member, &p) && size <= etl_member_kind_size(p.kind) &&
        (structure->given >> p.bit & 1) == 0)
        memcpy(structure->bytes + p.offset, bytes, size);
}

void build_structure_convert(build_structure *structure, const build_structure *shape)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(shape->id, &count);
    build_structure to = *shape;
    for (size_t i = 0; i < count; i++) {
        place source;
        const place target = {members[i].offset, members[i].kind, (uint32_t)i};
        if (!find_place(structure->id, members[i].name, &source) || is_number(source.kind) != is_number(target.kind))
            continue;
        if (is_number(source.kind))
            store(&to, &target, load(structure, &source));
        else
            memcpy(to.bytes + target.offset, structure->bytes + source.offset, etl_member_kind_size(target.kind));
        to.given |= (structure->given >> source.bit & 1) << i;
    }
    *structure = to;
}

/* Built bytes. */

build_span build_span_slice(build_span bytes, size_t at, size_t size)
{
    if (at > bytes.size)
        at = bytes.size;
    if (size > bytes.size - at)
        size = bytes.size - at;
    return (build_span){bytes.at + at, size};
}

uint64_t build_span_number(build_span bytes, size_t at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = size; i-- > 0;)
        number = number << 8 | bytes.at[at + i];
    return number;
}

/* Copies a member from `bytes`, which end with it or earlier; what is missing stays 0. */
static void copy_member(uint8_t *to, etl_member_kind kind, build_span bytes)
{
    const etl_structure_id nested = build_structure_nested(kind);
    const size_t size = etl_member_kind_size(kind);
    if (nested != ETL_STRUCTURE_COUNT) {
        const build_structure inner = build_structure_read(nested, bytes);
        memcpy(to, inner.bytes, size);
    } else if (kind == ETL_MEMBER_KIND_WCHAR32 && bytes.size >= CHARACTER) {
        memcpy(to, bytes.at, bytes.size / CHARACTER * CHARACTER);
    } else if (bytes.size == size) {
        memcpy(to, bytes.at, size);
    }
}

build_structure build_structure_read(etl_structure_id id, build_span bytes)
{
    build_structure structure = {.id = id};
    size_t count;
    const etl_member_info *members = etl_structure_members(id, &count);
    for (size_t i = 0; i < count; i++) {
        const size_t size = etl_member_kind_size(members[i].kind);
        copy_member(structure.bytes + members[i].offset, members[i].kind, build_span_slice(bytes, members[i].offset, size));
    }
    return structure;
}
