/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built bytes to numbers and structures. Called by all that reads the built file back for its expected decode.
 */
#include "expect/byte_span.h"

#include <string.h>

enum { CHARACTER = 2 }; /* bytes of a WCHAR */

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
