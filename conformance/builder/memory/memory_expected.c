/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the file and the expected decode of a structure in memory, from its values, its patch and its findings. Called by
 * expected_decode.c.
 */
#include "memory/memory_expected.h"

#include <string.h>

#include "expect/complaint.h"
#include "expect/session_clock.h"
#include "expect/vector_json.h"

/* The sources of the JSON. */
typedef struct build {
    const build_vector *vector;
    build_memory memory; /* patched */
    uint32_t left;       /* bytes of the structure that are there */
    build_chunk *out;
} build;

/* Patch. */

static bool patch_bytes(const build_patch *patch, build_memory *memory, const char **why)
{
    if (patch->offset > memory->size || patch->bytes.size > memory->size - patch->offset)
        return build_complain(why, "patch", "reaches beyond the structure");
    memcpy(memory->bytes + patch->offset, patch->bytes.at, patch->bytes.size);
    return true;
}

bool build_memory_patch(const build_vector *vector, build_memory *patched, uint32_t *left, const char **why)
{
    const build_patch *patch = &vector->patch;
    *patched = *vector->memory;
    *left = patched->size;
    switch (patch->kind) {
    case BUILD_PATCH_NONE: return true;
    case BUILD_PATCH_BYTES: return patch_bytes(patch, patched, why);
    case BUILD_PATCH_CUT:
        if (patch->offset > patched->size)
            return build_complain(why, "patch", "reaches beyond the structure");
        *left = (uint32_t)patch->offset;
        return true;
    default: /* appended bytes follow the structure */
        return patch->kind == BUILD_PATCH_INSERT && patch->offset == patched->size
                   ? true
                   : build_complain(why, "patch", "moves bytes, which a structure in memory does not allow");
    }
}

static build_chunk image_of(const build *b)
{
    build_chunk image = {0};
    build_chunk_add(&image, b->memory.bytes, b->left);
    if (b->vector->patch.kind == BUILD_PATCH_INSERT)
        build_chunk_add(&image, b->vector->patch.bytes.at, b->vector->patch.bytes.size);
    return image;
}

/* Members. */

/* The bits of an EX_FAST_REF that are a count; the others are an address. */
static uint64_t count_mask(const etl_memory_member *member)
{
    return member->size == 8 ? 15 : 7;
}

/* Numbers of each kind. */
static void put_number(build_json_object *object, const etl_memory_member *member, uint64_t value)
{
    switch (member->kind) {
    case ETL_MEMORY_KIND_SIGNED: build_json_object_i64(object, "value", (int64_t)value); return;
    case ETL_MEMORY_KIND_UNSIGNED: build_json_object_u64(object, "value", value); return;
    case ETL_MEMORY_KIND_FAST_REF:
        build_json_object_hex(object, "value", value & ~count_mask(member), 2 * member->size);
        build_json_object_number(object, "reference_count", (int64_t)(value & count_mask(member)));
        return;
    default: /* addresses, handles, NTSTATUS */ build_json_object_hex(object, "value", value, 2 * member->size);
    }
}

static void put_clock_type(build_json_object *object, uint64_t value)
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
            build_json_object_text(object, "clock_type", rows[i].name);
}

/* A run of bits as a number. */
static uint64_t run_of(uint32_t mask, uint64_t value)
{
    const uint32_t lowest = mask & (0 - mask);
    return (value & mask) / lowest;
}

/* The runs of bits that are not 0, by name. */
static void put_bits(const build *b, build_json_object *object, const etl_memory_member *member, uint64_t value)
{
    etl_memory_bits bits;
    const char *comma = "";
    if (!build_memory_bits(b->memory.layout, member->meaning, 0, &bits))
        return;
    (void)build_json_object_key(object, "bits");
    build_json_raw(b->out, "[");
    for (uint32_t i = 0; build_memory_bits(b->memory.layout, member->meaning, i, &bits); i++) {
        if ((bits.mask & value) == 0)
            continue;
        build_json_raw(b->out, comma);
        comma = ",";
        build_json_object run = build_json_object_open(b->out, NULL, "");
        build_json_object_text(&run, "name", bits.name);
        build_json_object_number(&run, "value", (int64_t)run_of(bits.mask, value));
        build_json_object_close(&run);
    }
    build_json_raw(b->out, "]");
}

static void put_value(const build *b, build_json_object *object, const etl_memory_member *member)
{
    const uint8_t *bytes = b->memory.bytes + member->offset;
    if (member->kind == ETL_MEMORY_KIND_GUID) {
        build_json_object_guid(object, "value", bytes);
    } else if (!build_memory_is_number(member)) {
        build_json_object_dump(object, "raw", bytes, member->size);
    } else {
        const uint64_t value = build_memory_get(&b->memory, member);
        put_number(object, member, value);
        put_bits(b, object, member, value);
        if (member->meaning == ETL_MEMORY_MEANING_CLOCK_TYPE)
            put_clock_type(object, value);
        if (member->meaning == ETL_MEMORY_MEANING_FILETIME && value != 0)
            build_json_object_utc(object, "utc", value);
    }
}

/* How many bytes of the member a cut has removed. */
static uint32_t missing_of(const build *b, const etl_memory_member *member)
{
    const uint32_t end = member->offset + member->size;
    if (end <= b->left)
        return 0;
    return member->offset >= b->left ? member->size : end - b->left;
}

static void put_leaf(const build *b, build_json_object *object, const etl_memory_member *member)
{
    if (missing_of(b, member) != 0)
        build_json_object_number(object, "missing", missing_of(b, member));
    else
        put_value(b, object, member);
}

static void put_place(build_json_object *object, const etl_memory_member *member)
{
    build_json_object_u64(object, "offset", member->offset);
    build_json_object_number(object, "size", member->size);
}

static void put_parts(const build *b, build_json_object *object, const etl_memory_member *member)
{
    etl_memory_member part;
    (void)build_json_object_key(object, "parts");
    build_json_raw(b->out, "[");
    for (uint32_t i = 0; build_memory_part(member, b->memory.layout.arch, i, &part); i++) {
        build_json_raw(b->out, i != 0 ? "," : "");
        build_json_object inner = build_json_object_open(b->out, NULL, "");
        build_json_object_text(&inner, "name", part.name);
        put_place(&inner, &part);
        put_leaf(b, &inner, &part);
        build_json_object_close(&inner);
    }
    build_json_raw(b->out, "]");
}

/* A member that is not an array: its parts, or its value. */
static void put_one(const build *b, build_json_object *object, const etl_memory_member *member)
{
    etl_memory_member part;
    put_place(object, member);
    if (build_memory_part(member, b->memory.layout.arch, 0, &part))
        put_parts(b, object, member);
    else
        put_leaf(b, object, member);
}

static void put_elements(const build *b, build_json_object *object, const etl_memory_member *member)
{
    put_place(object, member);
    (void)build_json_object_key(object, "elements");
    build_json_raw(b->out, "[");
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = build_memory_element(member, i);
        build_json_raw(b->out, i != 0 ? "," : "");
        build_json_object inner = build_json_object_open(b->out, NULL, "");
        put_one(b, &inner, &element);
        build_json_object_close(&inner);
    }
    build_json_raw(b->out, "]");
}

static void put_member(const build *b, const etl_memory_member *member)
{
    const char *other_name = build_memory_other_name(b->memory.layout, member);
    build_json_object object = build_json_object_open(b->out, NULL, "");
    build_json_object_text(&object, "rec", "member");
    build_json_object_text(&object, "name", member->name);
    if (other_name != NULL)
        build_json_object_text(&object, "other_name", other_name);
    (member->count > 1 ? put_elements : put_one)(b, &object, member);
    build_json_object_close(&object);
}

/* Records. */

static uint64_t place_of(const build *b, const build_place *place)
{
    return place->offset < b->left ? place->offset : b->left;
}

static void put_finding(const build *b, const build_claimed_finding *finding)
{
    build_json_object object = build_vector_json_open_finding(b->out, finding, place_of(b, &finding->place));
    build_vector_json_close_finding(&object, finding);
}

static void put_end(const build *b, bool conforms)
{
    build_json_object object = build_json_object_open(b->out, NULL, "");
    build_json_object_text(&object, "rec", "end");
    build_json_object_text(&object, "verdict", conforms ? "conforming" : "damaged");
    build_vector_json_put_findings(&object, b->vector);
    build_json_object_close(&object);
}

static void put_records(const build *b, bool conforms)
{
    etl_memory_member member;
    for (size_t row = 0; build_memory_next(b->memory.layout, &row, &member);) {
        build_vector_json_next_record(b->out);
        put_member(b, &member);
    }
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        build_vector_json_next_record(b->out);
        put_finding(b, &b->vector->findings[i]);
    }
    build_vector_json_next_record(b->out);
    put_end(b, conforms);
}

/* The vector. */

static void put_layout(const build *b)
{
    const etl_memory_layout layout = b->memory.layout;
    build_vector_json_text(b->out, "structure", etl_memory_structure_get(layout.structure)->name);
    build_vector_json_text(b->out, "windows", etl_windows_get(layout.windows)->text);
    build_vector_json_text(b->out, "arch", etl_arch_text(layout.arch));
}

/* Places of findings lie in the structure, or at its end. */
static bool has_places(const build *b, const char **why, build_position *where)
{
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        *where = b->vector->findings[i].place.position;
        if (b->vector->findings[i].place.offset > b->memory.size)
            return build_complain(why, "finding", "is outside the structure");
    }
    *where = (build_position){0};
    return true;
}

bool build_memory_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                                  build_chunk *image, build_chunk *json, const char **why, build_position *where)
{
    char hex[65];
    build_place place;
    build b = {.vector = vector, .out = json};
    const bool conforms = build_vector_json_count_findings(vector, ETL_SEVERITY_ERROR) == 0;
    *image = (build_chunk){0};
    *json = (build_chunk){0};
    *where = vector->patch.position;
    if (!build_memory_patch(vector, &b.memory, &b.left, why) || !has_places(&b, why, where) ||
        !build_vector_json_check_verdict(vector, conforms, why))
        return false;
    *image = image_of(&b);
    sha256(image, hex);
    const bool has_fault = build_vector_json_fault_place(vector, &place);
    const build_fault fault = {has_fault ? BUILD_FAULT_IN_FILE : BUILD_FAULT_NONE, has_fault ? place_of(&b, &place) : 0};
    build_vector_json_put_head(json, vector, &fault, image->size, hex);
    put_layout(&b);
    build_vector_json_key(json, "expect");
    build_json_raw(json, "[");
    put_records(&b, conforms);
    build_json_raw(json, "\n ]\n}\n");
    return true;
}
