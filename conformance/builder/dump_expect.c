/* SPDX-License-Identifier: Apache-2.0 */
#include "dump_expect.h"

#include <string.h>

#include "fate.h"
#include "json_frame.h"
#include "times.h"

/* All that the JSON is made of. */
typedef struct build {
    const etl_vector *vector;
    etl_dump dump; /* patched */
    uint32_t left; /* bytes of the structure that are there */
    etl_chunk *out;
} build;

/* Patch. */

static bool patch_bytes(const etl_patch *patch, etl_dump *dump, const char **why)
{
    if (patch->offset > dump->size || patch->bytes.size > dump->size - patch->offset)
        return etl_fates_complain(why, "patch", "it reaches beyond the structure");
    memcpy(dump->bytes + patch->offset, patch->bytes.at, patch->bytes.size);
    return true;
}

bool etl_dump_patch(const etl_vector *vector, etl_dump *patched, uint32_t *left, const char **why)
{
    const etl_patch *patch = &vector->patch;
    *patched = *vector->dump;
    *left = patched->size;
    switch (patch->kind) {
    case ETL_PATCH_NONE:
        return true;
    case ETL_PATCH_BYTES:
        return patch_bytes(patch, patched, why);
    case ETL_PATCH_CUT:
        if (patch->offset > patched->size)
            return etl_fates_complain(why, "patch", "it reaches beyond the structure");
        *left = (uint32_t)patch->offset;
        return true;
    default: /* what is appended is behind the structure, and nothing of it */
        return patch->kind == ETL_PATCH_INSERT && patch->offset == patched->size
                   ? true
                   : etl_fates_complain(why, "patch", "a structure in memory has bytes that nothing moves");
    }
}

static etl_chunk image_of(const build *b)
{
    etl_chunk image = {0};
    etl_chunk_add(&image, b->dump.bytes, b->left);
    if (b->vector->patch.kind == ETL_PATCH_INSERT)
        etl_chunk_add(&image, b->vector->patch.bytes.at, b->vector->patch.bytes.size);
    return image;
}

/* Members. */

/* The bits of an EX_FAST_REF that are a count, and no part of the address. */
static uint64_t count_mask(const etl_memory_member *member)
{
    return member->size == 8 ? 15 : 7;
}

/* How a kind's number is spelt. */
static void put_number(etl_object *object, const etl_memory_member *member, uint64_t value)
{
    switch (member->kind) {
    case ETL_MEMORY_KIND_SIGNED:
        etl_object_i64(object, "value", (int64_t)value);
        return;
    case ETL_MEMORY_KIND_UNSIGNED:
        etl_object_u64(object, "value", value);
        return;
    case ETL_MEMORY_KIND_FAST_REF:
        etl_object_hex(object, "value", value & ~count_mask(member), 2 * member->size);
        etl_object_number(object, "reference_count", (int64_t)(value & count_mask(member)));
        return;
    default: /* addresses, handles, NTSTATUS */
        etl_object_hex(object, "value", value, 2 * member->size);
    }
}

static void put_clock_type(etl_object *object, uint64_t value)
{
    static const struct {
        uint64_t value;
        const char *name;
    } rows[] = {
#define ETL_CLOCK_TYPE(value, name, meaning, source) {value, #name},
#include "format/clock_types.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value == value)
            etl_object_text(object, "clock_type", rows[i].name);
}

/* A run of bits as the number that it is by itself. */
static uint64_t run_of(uint32_t mask, uint64_t value)
{
    const uint32_t lowest = mask & (0 - mask);
    return (value & mask) / lowest;
}

/* The runs of bits that are not 0, by name. */
static void put_bits(const build *b, etl_object *object, const etl_memory_member *member, uint64_t value)
{
    etl_memory_bits bits;
    const char *comma = "";
    if (!etl_dump_bits(b->dump.layout, member->meaning, 0, &bits))
        return;
    (void)etl_object_key(object, "bits");
    etl_text(b->out, "[");
    for (uint32_t i = 0; etl_dump_bits(b->dump.layout, member->meaning, i, &bits); i++) {
        if ((bits.mask & value) == 0)
            continue;
        etl_text(b->out, comma);
        comma = ",";
        etl_object run = etl_object_open(b->out, NULL, "");
        etl_object_text(&run, "name", bits.name);
        etl_object_number(&run, "value", (int64_t)run_of(bits.mask, value));
        etl_object_close(&run);
    }
    etl_text(b->out, "]");
}

static void put_value(const build *b, etl_object *object, const etl_memory_member *member)
{
    const uint8_t *bytes = b->dump.bytes + member->offset;
    if (member->kind == ETL_MEMORY_KIND_GUID) {
        etl_object_guid(object, "value", bytes);
    } else if (!etl_dump_is_number(member)) {
        etl_object_dump(object, "raw", bytes, member->size);
    } else {
        const uint64_t value = etl_dump_get(&b->dump, member);
        put_number(object, member, value);
        put_bits(b, object, member, value);
        if (member->meaning == ETL_MEMORY_MEANING_CLOCK_TYPE)
            put_clock_type(object, value);
        if (member->meaning == ETL_MEMORY_MEANING_FILETIME && value != 0)
            etl_object_utc(object, "utc", value);
    }
}

/* How many of its bytes are behind the end. */
static uint32_t missing_of(const build *b, const etl_memory_member *member)
{
    const uint32_t end = member->offset + member->size;
    if (end <= b->left)
        return 0;
    return member->offset >= b->left ? member->size : end - b->left;
}

static void put_leaf(const build *b, etl_object *object, const etl_memory_member *member)
{
    if (missing_of(b, member) != 0)
        etl_object_number(object, "missing", missing_of(b, member));
    else
        put_value(b, object, member);
}

static void put_place(etl_object *object, const etl_memory_member *member)
{
    etl_object_u64(object, "offset", member->offset);
    etl_object_number(object, "size", member->size);
}

static void put_parts(const build *b, etl_object *object, const etl_memory_member *member)
{
    etl_memory_member part;
    (void)etl_object_key(object, "parts");
    etl_text(b->out, "[");
    for (uint32_t i = 0; etl_dump_part(member, b->dump.layout.arch, i, &part); i++) {
        etl_text(b->out, i != 0 ? "," : "");
        etl_object inner = etl_object_open(b->out, NULL, "");
        etl_object_text(&inner, "name", part.name);
        put_place(&inner, &part);
        put_leaf(b, &inner, &part);
        etl_object_close(&inner);
    }
    etl_text(b->out, "]");
}

/* What is no array: its parts, or its value. */
static void put_one(const build *b, etl_object *object, const etl_memory_member *member)
{
    etl_memory_member part;
    put_place(object, member);
    if (etl_dump_part(member, b->dump.layout.arch, 0, &part))
        put_parts(b, object, member);
    else
        put_leaf(b, object, member);
}

static void put_elements(const build *b, etl_object *object, const etl_memory_member *member)
{
    put_place(object, member);
    (void)etl_object_key(object, "elements");
    etl_text(b->out, "[");
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_dump_element(member, i);
        etl_text(b->out, i != 0 ? "," : "");
        etl_object inner = etl_object_open(b->out, NULL, "");
        put_one(b, &inner, &element);
        etl_object_close(&inner);
    }
    etl_text(b->out, "]");
}

static void put_member(const build *b, const etl_memory_member *member)
{
    const char *other_name = etl_dump_other_name(b->dump.layout, member);
    etl_object object = etl_object_open(b->out, NULL, "");
    etl_object_text(&object, "rec", "member");
    etl_object_text(&object, "name", member->name);
    if (other_name != NULL)
        etl_object_text(&object, "other_name", other_name);
    (member->count > 1 ? put_elements : put_one)(b, &object, member);
    etl_object_close(&object);
}

/* Records. */

static uint64_t place_of(const build *b, const etl_place *place)
{
    return place->offset < b->left ? place->offset : b->left;
}

static void put_finding(const build *b, const etl_claimed_finding *finding)
{
    etl_object object = etl_frame_finding(b->out, finding, place_of(b, &finding->place));
    etl_frame_finding_end(&object, finding);
}

static void put_end(const build *b, bool conforms)
{
    etl_object object = etl_object_open(b->out, NULL, "");
    etl_object_text(&object, "rec", "end");
    etl_object_text(&object, "verdict", conforms ? "conforming" : "damaged");
    etl_frame_counts(&object, b->vector);
    etl_object_close(&object);
}

static void put_records(const build *b, bool conforms)
{
    etl_memory_member member;
    for (size_t row = 0; etl_dump_next(b->dump.layout, &row, &member);) {
        etl_frame_next_record(b->out);
        put_member(b, &member);
    }
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        etl_frame_next_record(b->out);
        put_finding(b, &b->vector->findings[i]);
    }
    etl_frame_next_record(b->out);
    put_end(b, conforms);
}

/* The whole. */

static void put_layout(const build *b)
{
    const etl_memory_layout layout = b->dump.layout;
    etl_frame_text(b->out, "structure", etl_memory_structure_get(layout.structure)->name);
    etl_frame_text(b->out, "windows", etl_windows_get(layout.windows)->text);
    etl_frame_text(b->out, "arch", etl_arch_text(layout.arch));
}

/* Places of findings lie in the structure, or at its end. */
static bool has_places(const build *b, const char **why, etl_spot *where)
{
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        *where = b->vector->findings[i].place.spot;
        if (b->vector->findings[i].place.offset > b->dump.size)
            return etl_fates_complain(why, "finding", "it is outside the structure");
    }
    *where = (etl_spot){0};
    return true;
}

bool etl_dump_expect(const etl_vector *vector, void (*sha256)(const etl_chunk *image, char hex[65]), etl_chunk *image,
                     etl_chunk *json, const char **why, etl_spot *where)
{
    char hex[65];
    etl_place place;
    build b = {.vector = vector, .out = json};
    const bool conforms = etl_frame_count(vector, ETL_SEVERITY_ERROR) == 0;
    *image = (etl_chunk){0};
    *json = (etl_chunk){0};
    *where = vector->patch.spot;
    if (!etl_dump_patch(vector, &b.dump, &b.left, why) || !has_places(&b, why, where) ||
        !etl_frame_verdict_follows(vector, conforms, why))
        return false;
    *image = image_of(&b);
    sha256(image, hex);
    const bool has_fault = etl_frame_fault(vector, &place);
    const etl_fault fault = {has_fault ? ETL_FAULT_IN_FILE : ETL_FAULT_NONE, has_fault ? place_of(&b, &place) : 0};
    etl_frame_put(json, vector, &fault, image->size, hex);
    put_layout(&b);
    etl_frame_key(json, "expect");
    etl_text(json, "[");
    put_records(&b, conforms);
    etl_text(json, "\n ]\n}\n");
    return true;
}
