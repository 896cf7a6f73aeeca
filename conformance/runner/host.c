/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a linked-in parser (shim.h) under the runner's protocol, JSON Lines on standard input and output. Plain C11. Each
 * file is read into an allocation of its exact size, so that a sanitizer detects a read past its end.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#endif

enum { EXIT_USAGE = 64, EXIT_INTERNAL = 70, EXIT_OUTPUT = 74 };

typedef struct text {
    char *at; /* ends with NUL; NULL while empty */
    size_t used, room;
} text;

static void fail(int status, const char *what)
{
    (void)fprintf(stderr, "host: %s\n", what);
    exit(status);
}

static void append(text *t, const char *from, size_t length)
{
    if (length >= SIZE_MAX / 4 || t->used >= SIZE_MAX / 4)
        fail(EXIT_INTERNAL, "too much text");
    if (t->used + length + 1 > t->room) {
        t->room = 2 * (t->used + length + 1);
        t->at = realloc(t->at, t->room);
        if (t->at == NULL)
            fail(EXIT_INTERNAL, "no memory");
    }
    if (length > 0)
        memcpy(t->at + t->used, from, length);
    t->used += length;
    t->at[t->used] = '\0';
}

static void append_char(text *t, char c)
{
    append(t, &c, 1);
}

static void append_string(text *t, const char *from)
{
    append(t, from, strlen(from));
}

/* Appends a text as a JSON string. */
static void append_json(text *t, const char *from)
{
    append_char(t, '"');
    for (; *from != '\0'; from++) {
        unsigned char c = (unsigned char)*from;
        char escape[8];
        if (c == '"' || c == '\\') {
            append_char(t, '\\');
            append_char(t, *from);
        } else if (c < 0x20) {
            (void)snprintf(escape, sizeof escape, "\\u%04x", c);
            append_string(t, escape);
        } else {
            append_char(t, *from);
        }
    }
    append_char(t, '"');
}

static void append_utf8(text *t, unsigned long code)
{
    if (code >= 0x10000) {
        append_char(t, (char)(0xF0 | code >> 18));
        append_char(t, (char)(0x80 | (code >> 12 & 0x3F)));
        append_char(t, (char)(0x80 | (code >> 6 & 0x3F)));
        append_char(t, (char)(0x80 | (code & 0x3F)));
    } else if (code >= 0x800) {
        append_char(t, (char)(0xE0 | code >> 12));
        append_char(t, (char)(0x80 | (code >> 6 & 0x3F)));
        append_char(t, (char)(0x80 | (code & 0x3F)));
    } else if (code >= 0x80) {
        append_char(t, (char)(0xC0 | code >> 6));
        append_char(t, (char)(0x80 | (code & 0x3F)));
    } else {
        append_char(t, (char)code);
    }
}

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Reads the four digits after \u. Returns NULL if there are fewer. */
static const char *read_hex4(const char *p, unsigned long *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, p++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *p == '\0' ? NULL : strchr(digits, *p);
        if (digit == NULL)
            return NULL;
        *code = *code << 4 | (unsigned long)((digit - digits) & 0xF);
    }
    return p;
}

/* Reads an escape after \u, with the second half of a surrogate pair. */
static const char *read_unicode(const char *p, text *out)
{
    unsigned long code, low;
    p = read_hex4(p, &code);
    if (p == NULL)
        return NULL;
    if (code >= 0xD800 && code < 0xDC00 && p[0] == '\\' && p[1] == 'u') {
        const char *after = read_hex4(p + 2, &low);
        if (after != NULL && low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            p = after;
        }
    }
    append_utf8(out, code);
    return p;
}

/* Reads the string that starts at `p` with a quotation mark. Returns the place behind it, NULL if it is no string. */
static const char *read_string(const char *p, text *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    append(out, "", 0);
    if (*p++ != '"')
        return NULL;
    while (*p != '"') {
        if (*p == '\0')
            return NULL;
        if (*p != '\\') {
            append_char(out, *p++);
            continue;
        }
        p++;
        const char *letter = *p == '\0' ? NULL : strchr(letters, *p);
        if (letter != NULL) {
            append_char(out, meanings[letter - letters]);
            p++;
        } else if (*p != 'u' || (p = read_unicode(p + 1, out)) == NULL) {
            return NULL;
        }
    }
    return p + 1;
}

/* Reads a number or a word; requests have no nested values. */
static const char *read_plain(const char *p)
{
    size_t length = strcspn(p, ",}\" \t\r\n");
    return length == 0 ? NULL : p + length;
}

typedef enum member { CMD, ID, FILE_PATH, STRUCTURE, WINDOWS, ARCH, MEMBER_COUNT } member;

typedef struct request {
    text members[MEMBER_COUNT]; /* `at` is NULL where the request has none */
} request;

static text *member_of(request *r, const char *name)
{
    static const char *const names[MEMBER_COUNT] = {"cmd", "id", "file", "structure", "windows", "arch"};
    for (member i = 0; i < MEMBER_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            return &r->members[i];
    return NULL;
}

/* Reads one "name": value. Returns the place behind it, NULL if there is none. */
static const char *read_member(const char *p, request *r)
{
    text name = {0}, ignored = {0};
    p = read_string(p, &name);
    if (p != NULL && *(p = skip_space(p)) == ':') {
        p = skip_space(p + 1);
        text *known = member_of(r, name.at);
        if (*p == '"')
            p = read_string(p, known != NULL ? known : &ignored);
        else
            p = read_plain(p);
    } else {
        p = NULL;
    }
    free(name.at);
    free(ignored.at);
    return p;
}

static bool read_request(const char *p, request *r)
{
    p = skip_space(p);
    if (*p++ != '{')
        return false;
    for (p = skip_space(p); *p != '}'; p = skip_space(p)) {
        p = read_member(p, r);
        if (p == NULL)
            return false;
        p = skip_space(p);
        if (*p == ',')
            p++;
        else if (*p != '}')
            return false;
    }
    return r->members[CMD].used > 0;
}

/* Reads a line of standard input without its line end. False at the end of the input. */
static bool read_line(text *line)
{
    char piece[4096];
    line->used = 0;
    append(line, "", 0);
    while (fgets(piece, sizeof piece, stdin) != NULL) {
        append_string(line, piece);
        if (line->at[line->used - 1] == '\n')
            return true;
    }
    return line->used > 0;
}

/* Opens a file whose path is UTF-8. */
static FILE *open_file(const char *path)
{
#ifdef _WIN32 /* whose fopen() takes names in the characters of the country */
    wchar_t wide[4096];
    if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, sizeof wide / sizeof wide[0]) == 0)
        return NULL;
    return _wfopen(wide, L"rb");
#else
    return fopen(path, "rb");
#endif
}

/* Returns the file in an allocation of its size, of 1 byte if it is empty. NULL if it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    FILE *file = open_file(path);
    if (file == NULL)
        return NULL;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        bytes = malloc(*size > 0 ? *size : 1);
        if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    (void)fclose(file);
    return bytes;
}

/* Turns the lines of records into elements of the answer's array. */
typedef struct records {
    text *answer;
    bool inside, any;
} records;

static void take_records(void *context, const char *piece, size_t length)
{
    records *r = context;
    while (length > 0) {
        const char *end = memchr(piece, '\n', length);
        size_t part = end != NULL ? (size_t)(end - piece) : length;
        if (part > 0 && !r->inside && r->any)
            append_char(r->answer, ',');
        if (part > 0)
            r->inside = r->any = true;
        append(r->answer, piece, part);
        if (end == NULL)
            return;
        r->inside = false;
        piece = end + 1;
        length -= part + 1;
    }
}

static void begin_answer(text *answer, const char *id)
{
    answer->used = 0;
    append_string(answer, "{\"id\":");
    append_json(answer, id);
}

static void answer_error(text *answer, const char *id, const char *what, const char *file)
{
    text message = {0};
    append_string(&message, what);
    append_string(&message, file);
    begin_answer(answer, id);
    append_string(answer, ",\"error\":");
    append_json(answer, message.at);
    append_char(answer, '}');
    free(message.at);
}

static void run(const request *r, text *answer)
{
    const char *id = r->members[ID].at, *path = r->members[FILE_PATH].at;
    size_t size = 0;
    uint8_t *bytes = read_file(path, &size);
    if (bytes == NULL) {
        answer_error(answer, id, "cannot read ", path);
        return;
    }
    const etlproof_shim_file file = {bytes, size, r->members[STRUCTURE].at, r->members[WINDOWS].at, r->members[ARCH].at};
    records taken = {answer, false, false};
    begin_answer(answer, id);
    append_string(answer, ",\"records\":[");
    int verdict = etlproof_shim_run(&file, take_records, &taken);
    free(bytes);
    append_string(answer, "],\"verdict\":");
    append_string(answer, verdict == ETLPROOF_SHIM_ACCEPT ? "\"accept\"}" : "\"reject\"}");
    if (verdict != ETLPROOF_SHIM_ACCEPT && verdict != ETLPROOF_SHIM_REJECT)
        answer_error(answer, id, "the shim failed on ", path);
}

/* Answers `start` with the description and "ready", on one line even if the description has several. */
static void start(text *answer)
{
    const char *description = skip_space(etlproof_shim_describe());
    if (*description != '{')
        fail(EXIT_INTERNAL, "the description is not a JSON object");
    description = skip_space(description + 1);
    answer->used = 0;
    append_string(answer, *description == '}' ? "{\"ready\":true" : "{\"ready\":true,");
    for (; *description != '\0'; description++)
        append_char(answer, *description == '\n' || *description == '\r' ? ' ' : *description);
}

static void print(text *answer)
{
    append_char(answer, '\n');
    if (fwrite(answer->at, 1, answer->used, stdout) != answer->used || fflush(stdout) != 0)
        fail(EXIT_OUTPUT, "cannot write");
}

/* A request for a structure in memory has all three members, one for a trace has none. */
static bool can_run(const request *r)
{
    const bool is_structure = r->members[STRUCTURE].at != NULL;
    return r->members[ID].at != NULL && r->members[FILE_PATH].at != NULL &&
           (r->members[WINDOWS].at != NULL) == is_structure && (r->members[ARCH].at != NULL) == is_structure;
}

/* Answers one request. False if it was the last one. */
static bool handle(const request *r, text *answer)
{
    const char *cmd = r->members[CMD].at;
    if (strcmp(cmd, "stop") == 0)
        return false;
    if (strcmp(cmd, "start") == 0) {
        start(answer);
    } else if (strcmp(cmd, "run") == 0 && can_run(r)) {
        run(r, answer);
    } else {
        fail(EXIT_USAGE, "\"cmd\" start, run with \"id\" and \"file\", for a structure in memory with \"structure\", "
                         "\"windows\" and \"arch\" too, or stop expected");
    }
    print(answer);
    return true;
}

int main(void)
{
    text line = {0}, answer = {0};
    bool more = true;
#ifdef _WIN32
    (void)_setmode(_fileno(stdout), _O_BINARY);
#endif
    while (more && read_line(&line)) {
        request r = {0};
        if (!read_request(line.at, &r))
            fail(EXIT_USAGE, "a request, a JSON object with \"cmd\", expected on standard input");
        more = handle(&r, &answer);
        for (member i = 0; i < MEMBER_COUNT; i++)
            free(r.members[i].at);
    }
    free(line.at);
    free(answer.at);
    etlproof_shim_close();
    return 0;
}
