/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: TraceLogging metadata and provider traits. Layouts: FACTS 8.1 and 8.2. */
#include "etlproof/schema.h"

#include "test.h"
#include "test_bytes.h"

static bool is_text(etl_span text, const char *expected)
{
    return text.size == strlen(expected) && (text.size == 0 || memcmp(text.at, expected, text.size) == 0);
}

static void append(test_bytes *b, const void *bytes, size_t size)
{
    put_bytes(b, b->size, bytes, size);
}

static void append_text(test_bytes *b, const char *text)
{
    append(b, text, strlen(text) + 1);
}

static void set_size(test_bytes *b)
{
    put_u16(b, 0, (uint16_t)b->size);
}

/* A field has its tag after two type bytes with the chain bit. */
static void check_field_tag(const uint8_t *bytes, size_t size, uint32_t tag)
{
    test_bytes field = {NULL, 0};
    append_text(&field, "f");
    put_u16(&field, 2, 0x8088);
    put_u8(&field, 3, 0x84);
    append(&field, bytes, size);
    etl_schema_field f;
    etl_span rest = span_of(&field);
    CHECK(etl_schema_next(&rest, &f));
    CHECK_UINT(tag, f.tag);
    CHECK_UINT(8, f.in_type);
    CHECK_UINT(4, f.out_type);
    CHECK_UINT(0, rest.size);
    release(&field);
}

/* A tag has the low seven bits of its first four bytes, most significant first; further bytes are skipped. */
static void test_tags(void)
{
    static const struct {
        uint8_t bytes[6];
        size_t size;
        uint32_t tag;
    } rows[] = {
        {{0x00}, 1, 0},
        {{0x7F}, 1, UINT32_C(0x7F) << 21},
        {{0x81, 0x02}, 2, UINT32_C(1) << 21 | UINT32_C(2) << 14},
        {{0x81, 0x82, 0x03}, 3, UINT32_C(1) << 21 | UINT32_C(2) << 14 | 3u << 7},
        {{0x81, 0x82, 0x83, 0x04}, 4, UINT32_C(1) << 21 | UINT32_C(2) << 14 | 3u << 7 | 4},
        {{0xFF, 0xFF, 0xFF, 0x7F}, 4, 0x0FFFFFFF},
        {{0x81, 0x82, 0x83, 0x84, 0x05}, 5, UINT32_C(1) << 21 | UINT32_C(2) << 14 | 3u << 7 | 4},
        {{0x80, 0x80, 0x80, 0x80, 0xFF, 0x7F}, 6, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = {NULL, 0};
        put_u16(&b, 0, 0);
        append(&b, rows[i].bytes, rows[i].size);
        append_text(&b, "Name");
        set_size(&b);
        etl_schema schema;
        CHECK(etl_schema_read(span_of(&b), &schema));
        CHECK_UINT(rows[i].tag, schema.tag);
        CHECK(is_text(schema.name, "Name"));
        CHECK_UINT(0, schema.fields.size);
        check_field_tag(rows[i].bytes, rows[i].size, rows[i].tag);
        release(&b);
    }
}

typedef struct expected_field {
    const char *name;
    uint8_t in, out;
    uint32_t tag;
    uint16_t count;
} expected_field;

static const expected_field expected[] = {
    {"", 0x08, 0, 0, 0},           /* a scalar; no name */
    {"hex", 0x08, 0x04, 0, 0},     /* with OutType */
    {"tagged", 0x01, 0x23, UINT32_C(5) << 21, 0},
    {"three", 0x27, 0, 0, 3},      /* constant count */
    {"many", 0x2A, 0x03, 0, 0x8001},
    {"var", 0x44, 0, 0, 0},        /* variable count: in the data */
    {"own", 0x61, 0, 0, 0},        /* custom, two bytes of type information */
    {"empty", 0x7F, 0x7F, 0, 0},   /* custom, none */
    {"group", 0x18, 0x02, 0, 0},   /* STRUCT of two */
    {"all", 0x26, 0x11, UINT32_C(1) << 21 | UINT32_C(2) << 14, 0x0102},
};
enum { FIELDS = sizeof expected / sizeof expected[0] };

static const uint8_t encoded[] = {
    0, 0x08,
    'h', 'e', 'x', 0, 0x88, 0x04,
    't', 'a', 'g', 'g', 'e', 'd', 0, 0x81, 0xA3, 0x05,
    't', 'h', 'r', 'e', 'e', 0, 0x27, 3, 0,
    'm', 'a', 'n', 'y', 0, 0xAA, 0x03, 0x01, 0x80,
    'v', 'a', 'r', 0, 0x44,
    'o', 'w', 'n', 0, 0x61, 2, 0, 0xEE, 0xEF,
    'e', 'm', 'p', 't', 'y', 0, 0xFF, 0x7F, 0, 0,
    'g', 'r', 'o', 'u', 'p', 0, 0x98, 0x02,
    'a', 'l', 'l', 0, 0xA6, 0x91, 0x81, 0x02, 0x02, 0x01,
};
/* Where each field ends. */
static const size_t ends[FIELDS] = {2, 8, 18, 27, 36, 41, 50, 60, 68, 78};

static test_bytes metadata(void)
{
    test_bytes b = {NULL, 0};
    put_u16(&b, 0, 0);
    put_u8(&b, 2, 0);
    append_text(&b, "Event");
    append(&b, encoded, sizeof encoded);
    set_size(&b);
    return b;
}

static void test_fields(void)
{
    test_bytes b = metadata();
    put_fill(&b, b.size, 5, 0xE7); /* bytes after Size do not belong to it */
    etl_schema schema;
    CHECK_UINT(sizeof encoded, ends[FIELDS - 1]);
    CHECK(etl_schema_read(span_of(&b), &schema));
    CHECK(is_text(schema.name, "Event"));
    CHECK_UINT(0, schema.tag);
    CHECK_UINT(sizeof encoded, schema.fields.size);
    etl_span rest = schema.fields;
    for (size_t i = 0; i < FIELDS; i++) {
        etl_schema_field f;
        CHECK(etl_schema_next(&rest, &f));
        CHECK(is_text(f.name, expected[i].name));
        CHECK_UINT(expected[i].in, f.in_type);
        CHECK_UINT(expected[i].out, f.out_type);
        CHECK_UINT(expected[i].tag, f.tag);
        CHECK_UINT(expected[i].count, f.count);
        CHECK_UINT(sizeof encoded - ends[i], rest.size);
    }
    etl_schema_field f;
    CHECK(!etl_schema_next(&rest, &f));
    release(&b);
}

/* Cut at every byte, in memory of exactly that size: the fields before the cut are read, the field at the cut is not. */
static void test_fields_cut(void)
{
    for (size_t size = 0; size < sizeof encoded; size++) {
        test_bytes whole = {NULL, 0};
        append(&whole, encoded, sizeof encoded);
        test_bytes b = copy_of(&whole, size);
        etl_span rest = span_of(&b);
        etl_schema_field f;
        size_t read = 0, fit = 0;
        while (ends[fit] <= size)
            fit++;
        while (etl_schema_next(&rest, &f))
            read++;
        CHECK_UINT(fit, read);
        CHECK_UINT(size - (fit == 0 ? 0 : ends[fit - 1]), rest.size);
        release(&whole);
        release(&b);
    }
}

/* Cut data, and a complete blob whose Size is too small or too large. */
static void test_schema_cut(void)
{
    test_bytes b = metadata();
    const size_t whole = b.size, header = 2 + 1 + sizeof "Event";
    etl_schema schema;
    for (size_t size = 0; size <= whole; size++) {
        test_bytes cut = copy_of(&b, size);
        CHECK(etl_schema_read(span_of(&cut), &schema) == (size == whole));
        if (size >= 2) {
            put_u16(&cut, 0, (uint16_t)size);
            CHECK(etl_schema_read(span_of(&cut), &schema) == (size >= header));
            if (size >= header)
                CHECK_UINT(size - header, schema.fields.size);
        }
        release(&cut);
    }
    put_u16(&b, 0, (uint16_t)(whole + 1));
    CHECK(!etl_schema_read(span_of(&b), &schema));
    put_u16(&b, 0, 1);
    CHECK(!etl_schema_read(span_of(&b), &schema));
    put_u16(&b, 0, 0);
    CHECK(!etl_schema_read(span_of(&b), &schema));
    release(&b);
}

/* A tag without end reaches to the end of the blob. */
static void test_endless_tag(void)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, 40, 0x80);
    set_size(&b);
    etl_schema schema;
    CHECK(!etl_schema_read(span_of(&b), &schema));
    release(&b);
}

static void chunk(test_bytes *b, uint16_t size, uint8_t type, uint8_t first, size_t bytes)
{
    size_t at = b->size;
    put_u16(b, at, size);
    put_u8(b, at + 2, type);
    for (size_t i = 0; i < bytes; i++)
        put_u8(b, at + 3 + i, (uint8_t)(first + i));
}

static test_bytes traits_of(const char *name)
{
    test_bytes b = {NULL, 0};
    put_u16(&b, 0, 0);
    append_text(&b, name);
    return b;
}

static void test_traits(void)
{
    test_bytes b = traits_of("Provider");
    chunk(&b, 3, 9, 0, 0);          /* a chunk of an unknown type, without data */
    chunk(&b, 3 + 16, 2, 0x51, 16);
    chunk(&b, 3 + 5, 7, 0xE1, 5);
    chunk(&b, 3 + 16, 1, 0x41, 16);
    set_size(&b);
    etl_traits traits;
    CHECK(etl_traits_read(span_of(&b), &traits));
    CHECK(is_text(traits.name, "Provider"));
    CHECK(traits.has_group && traits.has_decode);
    CHECK(is_guid(&traits.group, 0x41));
    CHECK(is_guid(&traits.decode, 0x51));
    const size_t ends_of[] = {2 + 9, 2 + 9 + 3, 2 + 9 + 3 + 19, 2 + 9 + 3 + 19 + 8, 2 + 9 + 3 + 19 + 8 + 19};
    for (size_t size = 0; size <= b.size; size++) {
        test_bytes cut = copy_of(&b, size);
        CHECK(etl_traits_read(span_of(&cut), &traits) == (size == b.size));
        if (size >= 2) {
            bool at_end = false;
            for (size_t i = 0; i < sizeof ends_of / sizeof ends_of[0]; i++)
                at_end |= size == ends_of[i];
            put_u16(&cut, 0, (uint16_t)size);
            CHECK(etl_traits_read(span_of(&cut), &traits) == at_end);
            CHECK(traits.has_decode == (size >= ends_of[2]));
            CHECK(traits.has_group == (size >= ends_of[4]));
        }
        release(&cut);
    }
    release(&b);
}

/* Impossible chunks, GUIDs of another length, and an unknown type. */
static void test_odd_traits(void)
{
    static const struct {
        uint16_t size;
        uint8_t type;
        size_t bytes;
        bool read;
    } rows[] = {{0, 1, 16, false}, {2, 1, 16, false}, {3, 1, 0, true}, {20, 1, 16, false}, {18, 1, 15, true},
                {20, 1, 17, true}, {18, 2, 15, true}, {20, 2, 17, true}, {19, 3, 16, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = traits_of("");
        chunk(&b, rows[i].size, rows[i].type, 0x41, rows[i].bytes);
        set_size(&b);
        etl_traits traits;
        CHECK(etl_traits_read(span_of(&b), &traits) == rows[i].read);
        CHECK(!traits.has_group && !traits.has_decode);
        release(&b);
    }
}

int main(void)
{
    test_tags();
    test_fields();
    test_fields_cut();
    test_schema_cut();
    test_endless_tag();
    test_traits();
    test_odd_traits();
    return test_result();
}
