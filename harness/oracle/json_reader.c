/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the values of JSON text, strictly, and parts of texts. Called by json_records.c, reported_findings.c,
 * reported_members.c, fuzz_recipe and fuzz_json.
 */
#include "json_reader.h"

#include <string.h>

typedef struct reading {
    oracle_slice text;
    size_t at;
    const char *why; /* NULL: nothing is wrong so far */
    oracle_json_value value;
    oracle_json_sink *sink;
    void *context;
} reading;

/* The keys of one object, to find duplicates. */
typedef struct members {
    oracle_slice keys[ORACLE_JSON_MEMBERS_MAX];
    size_t count;
} members;

bool oracle_slice_starts(oracle_slice slice, const char *at, size_t size)
{
    size_t same = 0;
    while (same < size && same < slice.size && slice.at[same] == at[same])
        same++;
    return same == size;
}

bool oracle_slice_is(oracle_slice slice, const char *text)
{
    size_t size = 0;
    while (size < slice.size && text[size] == slice.at[size] && text[size] != '\0')
        size++;
    return size == slice.size && text[size] == '\0';
}

bool oracle_slice_takes(oracle_slice *slice, const char *at, size_t size)
{
    if (!oracle_slice_starts(*slice, at, size))
        return false;
    *slice = (oracle_slice){slice->at + size, slice->size - size};
    return true;
}

bool oracle_slice_seeks(oracle_slice *slice, const char *at, size_t size)
{
    while (!oracle_slice_takes(slice, at, size))
        if (!oracle_slice_takes(slice, slice->at, 1)) /* its own first byte: nothing is left */
            return false;
    return true;
}

oracle_slice oracle_slice_line(oracle_slice *slice)
{
    const char *end = memchr(slice->at, '\n', slice->size);
    const oracle_slice found = {slice->at, end ? (size_t)(end - slice->at) + 1 : slice->size};
    *slice = (oracle_slice){slice->at + found.size, slice->size - found.size};
    return found;
}

static bool fail(reading *r, const char *why)
{
    r->why = why;
    return false;
}

/* The next byte; 0, which no JSON text has, at the end. */
static unsigned char peek(const reading *r)
{
    return r->at < r->text.size ? (unsigned char)r->text.at[r->at] : 0;
}

static bool take(reading *r, char c)
{
    if (peek(r) != (unsigned char)c)
        return false;
    r->at++;
    return true;
}

static void skip_space(reading *r)
{
    while (take(r, ' ') || take(r, '\t') || take(r, '\n') || take(r, '\r'))
        continue;
}

/* RFC 3629: what may follow a first byte, and the range of the byte after it. */
static bool read_utf8(reading *r)
{
    const unsigned char first = peek(r);
    unsigned more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4)
        return fail(r, "a byte that cannot start a UTF-8 character");
    for (r->at++; more > 0; more--, r->at++, least = 0x80, most = 0xBF)
        if (peek(r) < least || peek(r) > most)
            return fail(r, "a UTF-8 character that is truncated or overlong");
    return true;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* After the backslash. A lone surrogate is allowed: text that is invalid UTF-16 is written so. */
static bool read_escape(reading *r)
{
    const unsigned char c = peek(r);
    if (c == 0 || !strchr("\"\\/bfnrtu", c))
        return fail(r, "an invalid escape");
    r->at++;
    for (unsigned i = 0; c == 'u' && i < 4; i++, r->at++)
        if (!is_hex(peek(r)))
            return fail(r, "\\u without four hex digits");
    return true;
}

static bool read_text(reading *r, oracle_slice *text)
{
    if (!take(r, '"'))
        return fail(r, "a missing string");
    const size_t from = r->at;
    while (peek(r) != '"') {
        const unsigned char c = peek(r);
        if (c < 0x20)
            return fail(r, "a control character in a string, or an unterminated string");
        if (c == '\\') {
            r->at++;
            if (!read_escape(r))
                return false;
        } else if (c < 0x80) {
            r->at++;
        } else if (!read_utf8(r)) {
            return false;
        }
    }
    *text = (oracle_slice){r->text.at + from, r->at - from};
    r->at++;
    return true;
}

static bool read_digits(reading *r)
{
    if (!is_digit(peek(r)))
        return fail(r, "a missing digit");
    while (is_digit(peek(r)))
        r->at++;
    return true;
}

static bool read_number(reading *r)
{
    take(r, '-');
    if (!take(r, '0') && !read_digits(r))
        return false;
    if (is_digit(peek(r)))
        return fail(r, "a number that starts with 0");
    if (take(r, '.') && !read_digits(r))
        return false;
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    if (!take(r, '+'))
        take(r, '-');
    return read_digits(r);
}

static bool read_word(reading *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t size = strlen(words[i]);
        if (oracle_slice_starts((oracle_slice){r->text.at + r->at, r->text.size - r->at}, words[i], size)) {
            r->at += size;
            return true;
        }
    }
    return fail(r, "a missing value");
}

static bool read_scalar(reading *r)
{
    const size_t from = r->at;
    oracle_json_value *v = &r->value;
    if (peek(r) == '"') {
        v->kind = ORACLE_JSON_TEXT;
        if (!read_text(r, &v->text))
            return false;
    } else {
        const bool number = peek(r) == '-' || is_digit(peek(r));
        v->kind = number ? ORACLE_JSON_NUMBER : ORACLE_JSON_WORD;
        if (!(number ? read_number(r) : read_word(r)))
            return false;
        v->text = (oracle_slice){r->text.at + from, r->at - from};
    }
    return r->sink(r->context, v) || fail(r, "a value that is not allowed there");
}

static bool read_object(reading *r);
static bool read_array(reading *r);

static bool read_value(reading *r)
{
    skip_space(r);
    if (r->value.depth == ORACLE_JSON_DEPTH_MAX && (peek(r) == '{' || peek(r) == '['))
        return fail(r, "too many nested objects and arrays");
    return peek(r) == '{' ? read_object(r) : peek(r) == '[' ? read_array(r) : read_scalar(r);
}

static bool add_key(reading *r, members *m, oracle_slice key)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->keys[i].size == key.size && oracle_slice_starts(m->keys[i], key.at, key.size))
            return fail(r, "a duplicate key");
    if (m->count == ORACLE_JSON_MEMBERS_MAX)
        return fail(r, "too many members");
    m->keys[m->count++] = key;
    r->value.keys[r->value.depth - 1] = key;
    return true;
}

static bool read_member(reading *r, members *m)
{
    oracle_slice key;
    skip_space(r);
    if (!read_text(r, &key) || !add_key(r, m, key))
        return false;
    skip_space(r);
    if (!take(r, ':'))
        return fail(r, "a missing colon");
    if (!read_value(r))
        return false;
    skip_space(r);
    return true;
}

static bool read_object(reading *r)
{
    members m;
    m.count = 0;
    r->at++;
    r->value.depth++;
    skip_space(r);
    if (!take(r, '}')) {
        do {
            if (!read_member(r, &m))
                return false;
        } while (take(r, ','));
        if (!take(r, '}'))
            return fail(r, "an unterminated object");
    }
    r->value.depth--;
    return true;
}

static bool read_array(reading *r)
{
    const unsigned depth = r->value.depth;
    r->at++;
    r->value.depth++;
    r->value.keys[depth] = r->value.keys[depth - 1]; /* the outermost value is an object */
    skip_space(r);
    if (!take(r, ']')) {
        do {
            if (!read_value(r))
                return false;
            skip_space(r);
        } while (take(r, ','));
        if (!take(r, ']'))
            return fail(r, "an unterminated array");
    }
    r->value.depth--;
    return true;
}

bool oracle_json_object(oracle_slice text, oracle_json_sink *sink, void *context, const char **why, size_t *at)
{
    reading r = {.text = text, .sink = sink, .context = context};
    skip_space(&r);
    bool held = peek(&r) == '{' ? read_object(&r) : fail(&r, "no object");
    skip_space(&r);
    if (held && r.at != text.size)
        held = fail(&r, "bytes after the object");
    *why = r.why;
    *at = r.at;
    return held;
}

/* C1 controls are two bytes of UTF-8, from C2 80 to C2 9F. */
bool oracle_json_printable(oracle_slice text, const char **why)
{
    reading r = {.text = text};
    while (r.at < text.size && !r.why) {
        const unsigned char c = peek(&r);
        const bool control = (c < 0x20 && c != '\n') || c == 0x7F;
        const bool control_1 = c == 0xC2 && text.size - r.at > 1 && (unsigned char)text.at[r.at + 1] < 0xA0;
        if (control || control_1)
            fail(&r, "a control character");
        else if (c < 0x80)
            r.at++;
        else
            read_utf8(&r);
    }
    *why = r.why;
    return !r.why;
}
