/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of recipes: bytes, numbers, names of tables, places, texts.
 */
#include "recipe_fixture.h"

/* Bytes. */

static const char *bytes_text;
static const void *bytes_expected;
static size_t bytes_size;

static void look_at_data(const build_vector *vector, size_t number)
{
    const build_chunk *data = &node_of(vector, "e").event->data;
    (void)number;
    check_chunk(data, bytes_expected, bytes_size, __FILE__, __LINE__, bytes_text);
}

static void check_bytes_value(const char *value, const void *expected, size_t size)
{
    char text[2048];
    bytes_text = value;
    bytes_expected = expected;
    bytes_size = size;
    (void)snprintf(text, sizeof text, ACCEPTED("set e.data = %s"), value);
    GOOD(text, 1, look_at_data);
}

#define BYTES(value, literal) check_bytes_value((value), (literal), sizeof(literal) - 1)

/* A count wraps at 256. */
static void look_at_count(const build_vector *vector, size_t number)
{
    const build_chunk *data = &node_of(vector, "e").event->data;
    (void)number;
    CHECK_UINT(258, data->size);
    CHECK_UINT(255, data->at[254]);
    CHECK_UINT(0, data->at[255]);
    CHECK_UINT(2, data->at[257]);
}

static void test_bytes(void)
{
    BYTES("hex(\"\")", "");
    BYTES("hex(\" 01 a2FF  b3\")", "\x01\xA2\xFF\xB3");
    BYTES("u8(1, 255, -1, -128)", "\x01\xFF\xFF\x80");
    BYTES("u16(0x0102, -2)", "\x02\x01\xFE\xFF");
    BYTES("u32(0x01020304, -1)", "\x04\x03\x02\x01\xFF\xFF\xFF\xFF");
    BYTES("u64(0x0102030405060708)", "\x08\x07\x06\x05\x04\x03\x02\x01");
    BYTES("u64(0xFFFFFFFFFFFFFFFE)", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    BYTES("zeros(3)", "\0\0\0");
    BYTES("zeros(0)", "");
    BYTES("fill(3, 0xAB)", "\xAB\xAB\xAB");
    BYTES("fill(1, -1)", "\xFF");
    BYTES("count(3)", "\x01\x02\x03");
    BYTES("noise(12, 1)", "\xD7\x03\x7E\xF3\x7B\xD5\x48\x3C\xBD\x5B\x92\xF0");
    BYTES("noise(4, 0)", "\x47\xAB\xB9\x4D");
    BYTES("ascii(\"ab\\x00\\xFF\")", "ab\0\xFF");
    BYTES("ascii(\"\")", "");
    BYTES("asciiz(\"ab\")", "ab\0");
    BYTES("utf16(\"ab\")", "a\0b\0");
    BYTES("utf16z(\"ab\\xE9\")", "a\0b\0\xE9\0\0\0");
    BYTES("guid(\"68fdd900-4a3e-11D1-84f4-0000f80464e3\")",
          "\x00\xD9\xFD\x68\x3E\x4A\xD1\x11\x84\xF4\x00\x00\xF8\x04\x64\xE3");
    BYTES("sid(1, 5)", "\x01\x00\x00\x00\x00\x00\x00\x05");
    BYTES("sid(2, 0x010203040506, 18, 0xFFFFFFFF)", "\x02\x02\x01\x02\x03\x04\x05\x06\x12\0\0\0\xFF\xFF\xFF\xFF");
    BYTES("field(\"f\", 4)", "f\0\x04");
    BYTES("field(\"f\", 4, 5)", "f\0\x84\x05");
    BYTES("schema(\"n\")", "\x05\0\0n\0");
    BYTES("schema(\"n\", field(\"f\", 4), field(\"g\", 5, 6))", "\x0C\0\0n\0f\0\x04g\0\x85\x06");
    BYTES("property(\"p\", 4, 3)",
          "\0\0\0\0\x18\0\0\0\x04\0\x03\0\0\0\0\0\x01\0\0\0\0\0\0\0p\0\0\0");
    BYTES("property(\"\", 4, 3, 0x21, 2, 5, \"m\")",
          "\x21\0\0\0\0\0\0\0\x04\0\x03\0\x18\0\0\0\x02\0\x05\0\0\0\0\0m\0\0\0");
    BYTES("map_info(zeros(16), 2, \"m\", 4, \"f\")",
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x18\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\x1C\0\0\0\x04\0\0\0m\0\0\0f\0\0\0");
    BYTES("traits(\"p\")", "\x04\0p\0");
    BYTES("traits(\"p\", \"00000001-0002-0003-0405-060708090a0b\", guid(\"10000000-0000-0000-0000-000000000000\"))",
          "\x2A\0p\0\x13\0\x01\x01\0\0\0\x02\0\x03\0\x04\x05\x06\x07\x08\x09\x0A\x0B"
          "\x13\0\x02\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0");
    BYTES("hex(\"01\") ++ \"ab\" ++ (u8(2) ++ hex(\"\"))", "\x01"
                                                           "ab"
                                                           "\x02");
    BYTES("\"a\" ++ \"b\"", "ab");
    GOOD(ACCEPTED("set e.data = count(258)"), 1, look_at_count);
}

static uint64_t place_expected;
static const char *place_text, *place_space;

static void look_at_place(const build_vector *vector, size_t number)
{
    const build_place *place = &vector->findings[0].place;
    (void)number;
    test_check_uint(place_expected, place->offset, __FILE__, __LINE__, place_text);
    test_check_text(place_space, place->inflated != NULL ? place->inflated->name : NULL, __FILE__, __LINE__, place_text);
}

static void check_place(const char *value, uint64_t expected, const char *space)
{
    char text[2048];
    place_text = value;
    place_expected = expected;
    place_space = space;
    (void)snprintf(text, sizeof text, ACCEPTED("finding SIZ-001 at %s"), value);
    GOOD(text, 1, look_at_place);
}

static void check_number(const char *value, uint64_t expected)
{
    check_place(value, expected, NULL);
}

static void test_numbers(void)
{
    check_number("12", 12);
    check_number("0x1Fa", 0x1FA);
    check_number("0", 0);
    check_number("007", 7);
    check_number("18446744073709551615", UINT64_MAX);
    check_number("0xFFFFFFFFFFFFFFFF", UINT64_MAX);
    check_number("-3", UINT64_MAX - 2);
    check_number("~0", UINT64_MAX);
    check_number("-~5", 6);
    check_number("7 + 5 - 2 - 1", 9);
    check_number("7 - (5 - 2)", 4);
    check_number("0xFFFFFFFFFFFFFFFF + 2", 1);
    check_number("6 * 7 / 4 % 6", 4);
    check_number("2 + 3 * 4", 14);
    check_number("(2 + 3) * 4", 20);
    check_number("-1 * 4 + 5", 1);
    check_number("1 << 2 + 1", 8);
    check_number("0x100 >> 3 + 1", 16);
    check_number("1 << 64", 0);
    check_number("1 << 63", UINT64_C(1) << 63);
    check_number("-1 >> 63", 1);
    check_number("-1 >> 64", 0);
    check_number("1 << 3 & 12", 8);
    check_number("6 & 3 ^ 7", 5);
    check_number("8 | 1 ^ 3 & 6", 11);
    check_number("1 | 6 & 4 << 0", 5);
}

static void test_tables(void)
{
    check_number("BufferFlag.COMPRESSED", ETL_BUFFER_FLAG_COMPRESSED);
    check_number("BufferType.HEADER", ETL_BUFFER_TYPE_HEADER);
    check_number("State.Flush", ETL_BUFFER_STATE_Flush);
    check_number("CompressionFormat.XPRESS", 3);
    check_number("LogFileMode.FILE_MODE_CIRCULAR", 2);
    check_number("ClockType.PERFCOUNTER", 1);
    check_number("HeaderType.SYSTEM64", 2);
    check_number("MarkerFlags.MESSAGE", 0x90);
    check_number("HookId.WMI_LOG_TYPE_HEADER", 0);
    check_number("Flags.EXTENDED_INFO", 1);
    check_number("EventProperty.XML", 1);
    check_number("ExtType.SID", 2);
    check_number("OptionFlags.SEQUENCE", 1);
    check_number("offsetof(TRACE_LOGFILE_HEADER64.TimeZone.Bias)", 0x48);
    check_number("offsetof(EVENT_HEADER.HeaderType)", 2);
    check_number("sizeof(PERFINFO_TRACE_HEADER)", 0x10);
}

static void test_places_of_buffers(void)
{
    check_place("header", 0, NULL);
    check_place("b", 0x400, NULL);
    check_place("b.Offset", 0x430, NULL);
    check_place("size(b)", 0x400, NULL);
    check_place("end(b)", 0x800, NULL);
    check_place("next(b)", 0x800, NULL);
    check_place("extent(b)", 0x400 + 0x48 + 0x50 + 24 + 16, NULL);
    check_place("logfile", 0x48, NULL);
    check_place("logfile.HookId", 0x48 + 6, NULL);
    check_place("logfile.PointerSize", 0x48 + 0x20 + 0x2C, NULL);
    check_place("t", 0x8AC, NULL);
    check_place("file() - t", 3, NULL);
    check_place("end(t)", 0x8AF, NULL);
}

/* The event e: header 0x50, item 24 (data padded to 16), data 11, padding 5. */
static void test_places_of_events(void)
{
    check_place("e", 0x448, NULL);
    check_place("e.Size", 0x448, NULL);
    check_place("e.Id", 0x448 + 0x28, NULL);
    check_place("size(e)", 0x50 + 24 + 16, NULL);
    check_place("end(e)", 0x448 + 0x50 + 24 + 11, NULL);
    check_place("next(e)", 0x448 + 0x50 + 24 + 16, NULL);
    check_place("data(e)", 0x448 + 0x50 + 24, NULL);
    check_place("value(e.Size)", 0x50 + 24 + 11, NULL);
    check_place("i", 0x498, NULL);
    check_place("i.ExtType", 0x49A, NULL);
    check_place("size(i)", 24, NULL);
    check_place("end(i)", 0x4B0, NULL);
    check_place("next(i)", 0x4B0, NULL);
    check_place("data(i)", 0x4A0, NULL);
}

static void test_places_in_compressed_buffers(void)
{
    check_place("c", 0x800, NULL);
    check_place("c.State", 0x82C, NULL);
    check_place("extent(c)", 0x48 + 40 + 48, "c");
    check_place("stream(c)", 0x848, NULL);
    check_place("stream_end(c)", 0x800 + 0x48 + 12 + 88, NULL);
    check_place("size(c)", 0x48 + 12 + 88, NULL);
    check_place("f", 0x48, "c");
    check_place("f.HookId", 0x4E, "c");
    check_place("f.HookId + 1", 0x4F, "c");
    check_place("2 + f", 0x4A, "c");
    check_place("(f) - 1", 0x47, "c");
    check_place("g - f", 40, NULL);
    check_place("end(g) - f.Size", 40 + 42 - 4, NULL);
    check_place("data(g)", 0x48 + 40 + 40, "c");
}

/* Texts. */

static void look_at_title(const build_vector *vector, size_t number)
{
    static const char *const titles[] = {"-1 ffffffffffffffff 0xffffffffffffffff -001 -1", "0 0 0x0 0000 0x00",
                                         "18 12 0x12 0018 0x12"};
    (void)number;
    CHECK_TEXT(titles[number], vector->title);
}

static void look_at_text(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_TEXT("a-b{c}\\n \"\\\n\t\x41{d} \\n", vector->source);
    CHECK_TEXT("a-7", vector->id);
}

static void test_texts(void)
{
    GOOD(HEAD TRACE "repeat over (n, m) in (-1, \"-1\"), (0, \"0x00\"), (18, \"0x12\") {\n"
                    "vector v{n:02x}-{m} { title \"{n} {n:x} {n:#x} {n:04d} {m}\" accept }}",
         3, look_at_title);
    GOOD(HEAD TRACE "repeat over s in \"a\" { repeat over (t, n) in (\"\\x7bd} \\\\n\", 7) {\n"
                    "vector {s}-{n} { title \"t\" source \"{s}-b\\x7bc}\\\\n \\\"\\\\\\n\\t\\x41{t}\" accept }}}",
         1, look_at_text);
}

/* Values that depend on the layout are checked once the trace is laid out. */
static void test_unknown_places(void)
{
    check_number("100 / size(e)", 0);
    check_number("1000 % value(e.Size)", 1000 % 115);
    check_number("100 / (end(e) - e)", 0);
    GOOD(ACCEPTED("patch bytes at 0 = zeros(3 - e + 0x448)"), 1, NULL);
    GOOD(ACCEPTED("patch bytes at 0 = u8(extent(b) - 0x4C0 - 0x10 + e - 0x448)"), 1, NULL);
    GOOD(ACCEPTED("patch e.Size = value(e.Size) - 100"), 1, NULL);
    GOOD(ACCEPTED("set b.compress = \"lazy\" finding SIZ-001 at stream_end(b)"), 1, NULL);
    GOOD(ACCEPTED("set e.data = zeros(65535 - 0x50 - 24)"), 1, NULL);
    GOOD(ACCEPTED("set e.data = zeros(65536) set e.Size = 7"), 1, NULL);
    GOOD(ACCEPTED("set i.data = zeros(65529) set i.TotalSize = 8 set e.Size = 7"), 1, NULL);
    GOOD(OF_TRACE("logfile { MajorVersion = 6 MinorVersion = 0 } buffer c { compress = \"lazy\" }"), 1, NULL);
}

int main(void)
{
    test_bytes();
    test_numbers();
    test_tables();
    test_places_of_buffers();
    test_places_of_events();
    test_places_in_compressed_buffers();
    test_texts();
    test_unknown_places();
    return test_result();
}
