/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `fields EVENT "NAME" … { … }` into claims on the record of the event. The recipe states the size and the value of
 * each field; offsets follow from the sizes. Called by vector_block.c.
 */
#include "recipe/field_statement.h"

#include <string.h>

#include "json/json_text.h"
#include "recipe/claim_statements.h"
#include "recipe/expression.h"
#include "recipe/format_names.h"
#include "recipe/trace_places.h"

enum { COUNT_SIZE = 2 }; /* of the count in front of the elements of an array */

/* The text that is being written, and the offset of the next field. */
typedef struct field_writer {
    build_parser *parser;
    build_chunk *out;
    uint64_t at;
} field_writer;

static void read_fields(field_writer *w);

static void put(field_writer *w, const char *text)
{
    build_json_raw(w->out, text);
}

static void put_place(field_writer *w, uint64_t start)
{
    put(w, ",\"offset\":\"");
    build_json_u64(w->out, start);
    put(w, "\",\"size\":");
    build_json_u64(w->out, w->at - start);
    put(w, "}");
}

/* A comma and a member with a string. */
static void put_text(field_writer *w, const char *key, const char *text)
{
    put(w, ",\"");
    put(w, key);
    put(w, "\":\"");
    build_json_utf8(w->out, (const uint8_t *)text, strlen(text));
    put(w, "\"");
}

/* A row of out_types.def, or a number that has none. */
static void read_out_type(field_writer *w)
{
    build_parser *p = w->parser;
    put(w, "\"out\":\"");
    if (build_parser_take(p, "unknown"))
        build_json_hex(w->out, build_expression_number(p), 1);
    else
        put(w, build_format_name_out_type(p));
    put(w, "\",");
}

/* `TYPE [as OUT] "NAME"`. Returns whether the field is a structure. */
static bool read_head(field_writer *w)
{
    build_parser *p = w->parser;
    const char *type = build_format_name_in_type(p);
    if (build_parser_take(p, "as"))
        read_out_type(w);
    const char *name = build_expression_text(p);
    put(w, "\"name\":\"");
    build_json_utf8(w->out, (const uint8_t *)name, strlen(name));
    put(w, "\",\"type\":\"");
    put(w, type);
    put(w, "\",");
    return strcmp(type, "STRUCT") == 0;
}

/* `SIZE = VALUE`, or the fields of a structure. */
static void read_content(field_writer *w, bool structure)
{
    build_parser *p = w->parser;
    const uint64_t start = w->at;
    if (structure) {
        put(w, "\"fields\":");
        read_fields(w);
    } else {
        w->at += build_expression_number(p);
        build_parser_need(p, "=");
        put(w, "\"value\":");
        put(w, build_claim_json(p));
        if (build_parser_take(p, "text"))
            put_text(w, "text", build_expression_text(p));
    }
    put_place(w, start);
}

static void read_elements(field_writer *w, bool structure, bool stored)
{
    build_parser *p = w->parser;
    const uint64_t start = w->at;
    w->at += stored ? COUNT_SIZE : 0;
    put(w, "\"elements\":[");
    build_parser_need(p, "{");
    for (bool more = false; !build_parser_take(p, "}"); more = true) {
        put(w, more ? ",{" : "{");
        read_content(w, structure);
    }
    put(w, "]");
    put_place(w, start);
}

static void read_field(field_writer *w)
{
    const bool array = build_parser_take(w->parser, "array");
    const bool stored = array && build_parser_take(w->parser, "stored");
    put(w, "{");
    const bool structure = read_head(w);
    if (array)
        read_elements(w, structure, stored);
    else
        read_content(w, structure);
}

static void read_fields(field_writer *w)
{
    build_parser *p = w->parser;
    build_parser_enter(p, p->at);
    build_parser_need(p, "{");
    put(w, "[");
    for (bool more = false; !build_parser_take(p, "}"); more = true) {
        if (more)
            put(w, ",");
        read_field(w);
    }
    put(w, "]");
    build_parser_leave(p);
}

/* A name as JSON text. */
static char *read_name(build_parser *p)
{
    const build_token *at = p->at;
    if (at->kind != BUILD_TOKEN_STRING)
        build_parser_expected(p, "a name as a string");
    return build_claim_json(p);
}

static uint64_t payload_of(build_parser *p, const build_token *at, const build_model_node *node)
{
    if (node->event == NULL || node->item != NULL)
        build_parser_fail(p, at, "expected an event, found something else");
    const bool inflated = node->buffer->compression != BUILD_MODEL_PLAIN;
    return (inflated ? 0 : node->buffer->offset) + node->event->at + node->event->header_size + node->event->items_size;
}

void build_field_statement(build_vector_parser *v)
{
    build_parser *p = v->parser;
    const build_token *name = build_parser_word(p, "an event of the trace");
    const build_model_node node = build_place_node(p, name);
    field_writer w = {p, &p->fields, p->skipping ? 0 : payload_of(p, name, &node)};
    char *event = build_parser_copy(p, name->text, name->size);
    if (!build_parser_is(p, "{") && !build_parser_is(p, "opcode") && !build_parser_is(p, "of"))
        build_claim_field(v, event, "event_name", read_name(p));
    if (build_parser_take(p, "opcode"))
        build_claim_field(v, event, "opcode_name", read_name(p));
    if (build_parser_take(p, "of"))
        build_claim_field(v, event, "provider_name", read_name(p));
    w.out->size = 0;
    read_fields(&w);
    build_claim_field(v, event, "fields", build_parser_copy(p, (const char *)w.out->at, w.out->size));
    if (build_parser_take(p, "raw"))
        build_claim_field(v, event, "raw", build_claim_json(p));
}
