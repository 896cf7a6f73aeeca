/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure as the bytes it will be written as, read and set by the names of structures.def.
 */
#include "model/model.h"

#include <string.h>

#include "model/model_internal.h"

/* The member of `id` whose name is the first `length` characters of `name`; NULL if there is none. */
static const etl_member_info *find_member(etl_structure_id id, const char *name, size_t length, uint32_t *number)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(id, &count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(members[i].name) == length && memcmp(members[i].name, name, length) == 0) {
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
    uint32_t number; /* of the outermost member: its bit of `given` */
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
            found->number = number;
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

static void store(build_structure *part, const place *p, uint64_t value)
{
    for (uint32_t i = 0; i < etl_member_kind_size(p->kind); i++)
        part->bytes[p->offset + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t load(const build_structure *part, const place *p)
{
    const uint32_t size = etl_member_kind_size(p->kind);
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)part->bytes[p->offset + i] << 8 * i;
    if (p->kind == ETL_MEMBER_KIND_I32 && value >> 31 != 0)
        value |= ~(uint64_t)UINT32_MAX;
    return value;
}

build_structure build_structure_make(etl_structure_id structure)
{
    build_structure part = {.structure = structure};
    return part;
}

bool build_structure_find(const build_structure *part, const char *member, uint32_t *offset, etl_member_kind *kind)
{
    place p;
    if (!find_place(part->structure, member, &p))
        return false;
    *offset = p.offset;
    *kind = p.kind;
    return true;
}

bool build_structure_set(build_structure *part, const char *member, uint64_t value)
{
    place p;
    if (!find_place(part->structure, member, &p) || !is_number(p.kind))
        return false;
    store(part, &p, value);
    part->given |= UINT64_C(1) << p.number;
    return true;
}

bool build_structure_set_bytes(build_structure *part, const char *member, const uint8_t *bytes, size_t size)
{
    place p;
    if (!find_place(part->structure, member, &p) || size != etl_member_kind_size(p.kind))
        return false;
    memcpy(part->bytes + p.offset, bytes, size);
    part->given |= UINT64_C(1) << p.number;
    return true;
}

uint64_t build_structure_get(const build_structure *part, const char *member)
{
    place p;
    if (!find_place(part->structure, member, &p) || !is_number(p.kind))
        return 0;
    return load(part, &p);
}

bool build_structure_is_given(const build_structure *part, const char *member)
{
    place p;
    return find_place(part->structure, member, &p) && (part->given >> p.number & 1) != 0;
}

/* A ProcessorIndex has 11 bits. Source: phnt ntwmi.h. */
enum { PROCESSOR_INDEX_MASK = 0x07FF };

/* ProcessorNumber is the low byte of ProcessorIndex, which only PROC_INDEX makes valid, from 6.0 on. */
uint32_t build_structure_processor(const build_structure *header)
{
    const bool old =
        header->structure == ETL_STRUCTURE_WMI_BUFFER_HEADER_50 || header->structure == ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    const bool wide = !old && (build_structure_get(header, "BufferFlag") & ETL_BUFFER_FLAG_PROC_INDEX) != 0;
    const place index = {.offset = ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex), .kind = ETL_MEMBER_KIND_U16};
    return (uint32_t)load(header, &index) & (wide ? PROCESSOR_INDEX_MASK : UINT8_MAX);
}

void build_structure_fill(build_structure *part, const char *member, uint64_t value)
{
    place p;
    if (find_place(part->structure, member, &p) && is_number(p.kind) && (part->given >> p.number & 1) == 0)
        store(part, &p, value);
}

void build_structure_fill_bytes(build_structure *part, const char *member, const uint8_t *bytes, size_t size)
{
    place p;
    if (find_place(part->structure, member, &p) && size <= etl_member_kind_size(p.kind) &&
        (part->given >> p.number & 1) == 0)
        memcpy(part->bytes + p.offset, bytes, size);
}

void build_structure_convert(build_structure *part, const build_structure *shape)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(shape->structure, &count);
    build_structure to = *shape;
    for (size_t i = 0; i < count; i++) {
        place source;
        const place target = {members[i].offset, members[i].kind, (uint32_t)i};
        if (!find_place(part->structure, members[i].name, &source) || is_number(source.kind) != is_number(target.kind))
            continue;
        if (is_number(source.kind))
            store(&to, &target, load(part, &source));
        else
            memcpy(to.bytes + target.offset, part->bytes + source.offset, etl_member_kind_size(target.kind));
        to.given |= (part->given >> source.number & 1) << i;
    }
    *part = to;
}
