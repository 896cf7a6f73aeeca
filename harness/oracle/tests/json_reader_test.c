/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what the oracles accept as JSON, and as text that is safe to print: exactly RFC 8259 and RFC 3629.
 */
#include <stdio.h>
#include <string.h>

#include "oracle_test.h"
#include "json_reader.h"

/* Reasons, as json_reader.c gives them. */
#define OBJECT "no object"
#define BEHIND "bytes after the object"
#define VALUE "a missing value"
#define TEXT "a missing string"
#define DIGIT "a missing digit"
#define ZERO "a number that starts with 0"
#define UNENDING "a control character in a string, or an unterminated string"
#define ESCAPE "an invalid escape"
#define HEX "\\u without four hex digits"
#define CUT "a UTF-8 character that is truncated or overlong"
#define NO_START "a byte that cannot start a UTF-8 character"
#define TWICE "a duplicate key"
#define COLON "a missing colon"
#define OBJECT_END "an unterminated object"
#define ARRAY_END "an unterminated array"
#define DEEP "too many nested objects and arrays"

#define FIFTEEN "[[[[[[[[[[[[[[["
#define SIXTEEN "[" FIFTEEN

static const struct {
    const char *why, *text; /* `why` NULL: it is an object */
} rows[] = {
    {NULL, "{}"},
    {NULL, " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n1 \t\r\n, \"b\" : [ ] } \t\r\n"},
    {NULL, "  {\t\t\t\"a\"\r\r:\n\n1  }\n\n"},
    {NULL, "{\"a\":[ 1 , 2 ],\"b\":{ },\"c\":{\"a\":1}}"},
    {NULL, "{\"a\":true,\"b\":false,\"c\":null}"},
    {VALUE, "{\"a\":tru"},
    {VALUE, "{\"a\":nul}"},
    {VALUE, "{\"a\":True}"},
    {OBJECT, ""},
    {OBJECT, "  "},
    {OBJECT, "[]"},
    {OBJECT_END, "{\"a\":null"},
    {OBJECT_END, "{\"a\":1 \"b\":2}"},
    {OBJECT_END, "{\"a\":1]"},
    {TEXT, "{1:2}"},
    {TEXT, "{"},
    {COLON, "{\"a\"}"},
    {COLON, "{\"a\",1}"},
    {COLON, "{\"a\":{\"b\"}"},
    {BEHIND, "{},"},
    {BEHIND, "{}}"},
    {ARRAY_END, "{\"a\":[1 2]}"},
    {ARRAY_END, "{\"a\":[[]}"},
    {VALUE, "{\"a\":[,1]}"},
    {VALUE, "{\"a\":}"},
    /* numbers */
    {NULL, "{\"a\":[0,-0,9,10,-19,0.0,1.50,1e0,1E9,2e+10,3e-1,0E0,12.5E-07]}"},
    {ZERO, "{\"a\":00}"},
    {ZERO, "{\"a\":-01.5}"},
    {DIGIT, "{\"a\":-}"},
    {DIGIT, "{\"a\":0.}"},
    {DIGIT, "{\"a\":1.e1}"},
    {DIGIT, "{\"a\":1e}"},
    {DIGIT, "{\"a\":1E+}"},
    {DIGIT, "{\"a\":1e-}"},
    {DIGIT, "{\"a\":1e+-1}"},
    {VALUE, "{\"a\":+1}"},
    {VALUE, "{\"a\":.5}"},
    {VALUE, "{\"a\":/}"},
    {VALUE, "{\"a\"::}"},
    {OBJECT_END, "{\"a\":1/}"},
    {OBJECT_END, "{\"a\":1:}"},
    {OBJECT_END, "{\"a\":0x1}"},
    /* escapes */
    {NULL, "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u09afAF\\uAFaf\"}"},
    {ESCAPE, "{\"a\":\"\\a\"}"},
    {ESCAPE, "{\"a\":\"\\U0000\"}"},
    {ESCAPE, "{\"a\":\"\\"},
    {ESCAPE, "{\"a\":\"\\}"},
    {ESCAPE, "{\"\\:1}"},
    {HEX, "{\"a\":\"\\u000/\"}"},
    {HEX, "{\"a\":\"\\u000:\"}"},
    {HEX, "{\"a\":\"\\u000@\"}"},
    {HEX, "{\"a\":\"\\u000G\"}"},
    {HEX, "{\"a\":\"\\u000`\"}"},
    {HEX, "{\"a\":\"\\u000g\"}"},
    {HEX, "{\"a\":\"\\u000\"}"},
    /* control characters, and UTF-8 */
    {NULL, "{\"a\":\" \x7F\"}"},
    {UNENDING, "{\"a\":\"\x1F\"}"},
    {UNENDING, "{\"a\":\"b"},
    {UNENDING, "{\"a"},
    {NULL, "{\"a\":\"\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xE1\x80\x80 \xEC\xBF\xBF \xED\x80\x80 \xED\x9F\xBF \xEE\x80\x80\"}"},
    {NULL, "{\"a\":\"\xEF\xBF\xBF \xF0\x90\x80\x80 \xF1\x80\x80\x80 \xF3\xBF\xBF\xBF \xF4\x80\x80\x80 \xF4\x8F\xBF\xBF\"}"},
    {NO_START, "{\"a\":\"\x80\"}"},
    {NO_START, "{\"a\":\"\xC1\xBF\"}"},
    {NO_START, "{\"a\":\"\xF5\x80\x80\x80\"}"},
    {CUT, "{\"a\":\"\xC2\x7F\"}"},
    {CUT, "{\"a\":\"\xC2\xC0\"}"},
    {CUT, "{\"a\":\"\xE0\x9F\xBF\"}"},
    {CUT, "{\"a\":\"\xED\xA0\x80\"}"},
    {CUT, "{\"a\":\"\xE0\xA0\x7F\"}"},
    {CUT, "{\"a\":\"\xE1\x80\"}"},
    {CUT, "{\"a\":\"\xEF\xBF\xC0\"}"},
    {CUT, "{\"a\":\"\xF0\x8F\xBF\xBF\"}"},
    {CUT, "{\"a\":\"\xF0\x90\x80\"}"},
    {CUT, "{\"a\":\"\xF4\x90\x80\x80\"}"},
    {CUT, "{\"a\":\"\xF1\x80\x80\xC0\"}"},
    {CUT, "{\"\xE2\x82\":1}"},
    /* keys */
    {TWICE, "{\"a\":1,\"b\":2,\"a\":3}"},
    {TWICE, "{\"a\":1,\"b\":2,\"b\":3}"},
    {TWICE, "{\"\":1,\"\":2}"},
    {NULL, "{\"a\":1,\"b\":2,\"ab\":3,\"\":4}"},
    {NULL, "{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}"},
    {ESCAPE, "{\"\\x\":1}"},
    /* depth: 16 with the object itself */
    {NULL, "{\"a\":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}"},
    {NULL, "{\"a\":" SIXTEEN SIXTEEN FIFTEEN "1" "]]]]]]]]]]]]]]]" "]]]]]]]]]]]]]]]]" "]]]]]]]]]]]]]]]]}"},
    {DEEP, "{\"a\":" SIXTEEN SIXTEEN SIXTEEN "1]"},
    {DEEP, "{\"a\":" SIXTEEN SIXTEEN FIFTEEN "{}]"},
};

static bool take(void *context, const oracle_json_value *value)
{
    (void)context;
    (void)value;
    return true;
}

static bool refuse(void *context, const oracle_json_value *value)
{
    (void)context;
    return !oracle_slice_is(value->text, "2");
}

/* No NUL follows the text: only its size ends it. */
static bool is_read_as(const char *text, size_t size, oracle_json_sink *sink, const char *expected)
{
    const char *why = "";
    size_t at = 0;
    const bool held = oracle_json_object((oracle_slice){text, size}, sink, NULL, &why, &at);
    const bool right = held == !expected && (expected ? why && strcmp(why, expected) == 0 : !why && at == size);
    if (!right)
        printf("# expected %s, got %s at %zu\n", expected ? expected : "an object", why ? why : "an object", at);
    return right;
}

/* Each text is followed by bytes that would change the result if they were read. */
static void test_texts(void)
{
    static const char behind[] = "\x80" "0}\"]";
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, "%s%s", rows[i].text, behind);
        say(is_read_as(text, strlen(rows[i].text), take, rows[i].why), rows[i].text);
    }
    say(is_read_as("{\"a\":[1,2]}", 11, refuse, "a value that is not allowed there"),
        "a value that the sink rejects");
    say(is_read_as("{\"\0\":1}", 7, take, UNENDING), "a NUL in a text");
    say(is_read_as("{\"\\\0\":1}", 8, take, ESCAPE), "an escaped NUL");
    say(is_read_as("{\"a\":true}", 8, take, VALUE), "a word that the end of the text truncates");
    say(is_read_as("{\0}", 3, take, TEXT), "a NUL between tokens");
}

/* "{"000":1,...}" with the most members, and with one more. */
static void test_members(void)
{
    for (unsigned count = ORACLE_JSON_MEMBERS_MAX; count <= ORACLE_JSON_MEMBERS_MAX + 1; count++) {
        char text[2048] = "{";
        size_t size = 1;
        for (unsigned i = 0; i < count; i++)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s\"%03u\":1", i ? "," : "", i);
        text[size++] = '}';
        say(is_read_as(text, size, take, count > ORACLE_JSON_MEMBERS_MAX ? "too many members" : NULL),
            "members of an object");
    }
}

/* The values of {"a":[1,{"b":[2]}],"c":3} in order, with the keys of each. */
static bool has_place(void *context, const oracle_json_value *v)
{
    unsigned *seen = context;
    static const struct {
        const char *text;
        unsigned depth;
        const char *keys[4];
    } places[] = {{"1", 2, {"a", "a"}}, {"2", 4, {"a", "a", "b", "b"}}, {"3", 1, {"c"}}};
    const size_t n = (*seen)++;
    bool right = n < 3 && oracle_slice_is(v->text, places[n].text) && v->depth == places[n].depth;
    for (unsigned i = 0; right && i < v->depth; i++)
        right = oracle_slice_is(v->keys[i], places[n].keys[i]);
    return right;
}

static void test_places(void)
{
    static const char text[] = "{\"a\":[1,{\"b\":[2]}],\"c\":3}";
    unsigned seen = 0;
    const char *why;
    size_t at;
    const bool held = oracle_json_object((oracle_slice){text, sizeof text - 1}, has_place, &seen, &why, &at);
    say(held && seen == 3, "values and their keys");
}

static void test_printable(void)
{
    static const struct {
        const char *what, *text;
        size_t size;
        bool printable;
    } texts[] = {
        {"text of two lines", "a\n\xC3\xA9\n", 5, true},
        {"an escape sequence", "\x1B[2J", 4, false},
        {"a carriage return", "a\rb", 3, false},
        {"a delete character", "a\x7F", 2, false},
        {"a control character of two bytes", "a\xC2\x9B", 3, false},
        {"a byte that is not UTF-8", "a\x80", 2, false},
        {"an empty text", "", 0, true},
        {"a space and a tilde", " ~", 2, true},
        {"the last control character", "\x1F", 1, false},
        {"a NUL", "a\0b", 3, false},
        {"the last control character of two bytes", "\xC2\x9F", 2, false},
        {"the character after the last control character", "\xC2\xA0", 2, true},
        {"a low byte after another first byte", "\xC3\x80", 2, true},
        {"a first byte at the end", "\xC2\x80", 1, false},
        {"a byte that starts no character, before others", "\xFFz\n", 3, false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *why = NULL;
        const bool printable = oracle_json_printable((oracle_slice){texts[i].text, texts[i].size}, &why);
        say(printable == texts[i].printable && printable == !why, texts[i].what);
    }
    for (size_t at = 0; at < 2; at++) {
        const char *why = NULL;
        say(!oracle_json_printable((oracle_slice){&"a\xC2\x80"[1 - at], at + 1}, &why) && strcmp(why, CUT) == 0,
            "a truncated character is not reported as a control character");
    }
    say(!oracle_slice_is((oracle_slice){"xbc", 3}, "abc") && oracle_slice_is((oracle_slice){"abc", 3}, "abc"),
        "a text that differs in its first character");
}

/* Each part that is taken starts where the one before ends. */
static void test_slices(void)
{
    static const char text[] = "ab\ncd\nef";
    oracle_slice rest = {text, sizeof text - 1};
    say(oracle_slice_is(oracle_slice_line(&rest), "ab\n") && oracle_slice_is(rest, "cd\nef"), "a line is taken");
    say(!oracle_slice_takes(&rest, "d", 1) && oracle_slice_takes(&rest, "c", 1) && oracle_slice_is(rest, "d\nef"),
        "a text is taken where it is next");
    say(oracle_slice_seeks(&rest, "\ne", 2) && oracle_slice_is(rest, "f"), "a text is taken with what is before it");
    say(oracle_slice_is(oracle_slice_line(&rest), "f") && rest.size == 0, "a line without newline is taken");
    rest = (oracle_slice){text, 4};
    say(!oracle_slice_seeks(&rest, "cd", 2) && rest.size == 0, "a text behind the end is not found");
}

void test_strict(void)
{
    test_slices();
    test_texts();
    test_members();
    test_places();
    test_printable();
}
