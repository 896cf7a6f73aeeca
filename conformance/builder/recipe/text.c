/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text with variables in it: {name}, and {name:02x} as printf has it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reading.h"

const etl_variable *etl_text_variable(const etl_reading *r, const char *name, size_t size)
{
    for (size_t i = r->variable_count; i-- > 0;) {
        const etl_variable *v = &r->variables[i];
        if (v->name->size == size && memcmp(v->name->text, name, size) == 0)
            return v;
    }
    return NULL;
}

/* "02x", "#x", "d": flags 0 and #, a width of two digits at most, d or x. False if it is none. */
static bool print_number(uint64_t number, const char *form, size_t size, char out[128])
{
    bool zeros = false, prefix = false;
    unsigned width = 0;
    size_t i = 0;
    for (; i < size && (form[i] == '0' || form[i] == '#'); i++)
        *(form[i] == '0' ? &zeros : &prefix) = true;
    for (; i < size && form[i] >= '0' && form[i] <= '9'; i++)
        width = width * 10 + (unsigned)(form[i] - '0');
    if (i + 1 != size || width > 64 || (form[i] != 'x' && form[i] != 'd'))
        return false;
    char digits[24];
    (void)snprintf(digits, sizeof digits, form[i] == 'x' ? "%" PRIx64 : "%" PRId64, number);
    const unsigned length = (unsigned)strlen(digits) + (prefix ? 2 : 0);
    const int pad = zeros && width > length ? (int)(width - length) : 0;
    (void)snprintf(out, 128, "%s%.*s%s", prefix ? "0x" : "", pad,
                   "0000000000000000000000000000000000000000000000000000000000000000", digits);
    return true;
}

static void print_value(etl_reading *r, const etl_token *at, const etl_value *value, const char *form, size_t size,
                        etl_chunk *out)
{
    char text[128];
    if (value->kind == ETL_VALUE_TEXT && size == 0) {
        etl_chunk_add(out, value->bytes, value->size);
        return;
    }
    if (value->kind != ETL_VALUE_NUMBER || !print_number(value->number, size ? form : "d", size ? size : 1, text)) {
        etl_chunk_free(out);
        etl_reading_fail(r, at, "expected a form such as {name:04x} of a number, or {name} of a text, found another");
    }
    etl_chunk_add(out, text, strlen(text));
}

char *etl_text_fill_in(etl_reading *r, const etl_token *at, const char *text, size_t size)
{
    etl_chunk out = {0};
    for (size_t i = 0; i < size;) {
        const char *close = text[i] == '{' ? memchr(text + i, '}', size - i) : NULL;
        if (close == NULL) {
            etl_chunk_add(&out, text + i++, 1);
            continue;
        }
        const char *name = text + i + 1;
        const char *colon = memchr(name, ':', (size_t)(close - name));
        const char *end = colon ? colon : close;
        const etl_variable *v = etl_text_variable(r, name, (size_t)(end - name));
        if (v == NULL) {
            etl_chunk_free(&out);
            etl_reading_fail(r, at, "expected a loop variable in braces, found \"%.*s\"", (int)(end - name), name);
        }
        print_value(r, at, &v->value, colon ? colon + 1 : "", colon ? (size_t)(close - colon - 1) : 0, &out);
        i = (size_t)(close - text) + 1;
    }
    char *copy = etl_reading_copy(r, out.at != NULL ? (const char *)out.at : "", out.size);
    etl_chunk_free(&out);
    return copy;
}

static int hex_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* One escape after its backslash; returns how many characters it has, 0 if it is none. */
static size_t unescape(const char *text, size_t size, char *out)
{
    switch (text[0]) {
    case '"':
    case '\\': *out = text[0]; return 1;
    case 'n': *out = '\n'; return 1;
    case 't': *out = '\t'; return 1;
    case 'x':
        if (size < 3 || hex_of(text[1]) < 0 || hex_of(text[2]) < 0)
            return 0;
        *out = (char)(hex_of(text[1]) * 16 + hex_of(text[2]));
        return 3;
    default: return 0;
    }
}

etl_value etl_text_string(etl_reading *r, const etl_token *string)
{
    const char *text = string->text + 1;
    const size_t size = string->size - 2;
    char *filled = etl_text_fill_in(r, string, text, size);
    const size_t filled_size = strlen(filled);
    char *out = etl_reading_memory(r, filled_size + 1);
    size_t to = 0;
    for (size_t i = 0; i < filled_size; i++) {
        size_t taken = 0;
        if (filled[i] == '\\' && i + 1 < filled_size)
            taken = unescape(filled + i + 1, filled_size - i - 1, &out[to]);
        if (filled[i] == '\\' && taken == 0)
            etl_reading_fail(r, string, "expected an escape \\\" \\\\ \\n \\t or \\xNN, found another");
        if (taken == 0)
            out[to] = filled[i];
        to++;
        i += taken;
    }
    const etl_value value = {.kind = ETL_VALUE_TEXT, .bytes = (const uint8_t *)out, .size = to};
    return value;
}
