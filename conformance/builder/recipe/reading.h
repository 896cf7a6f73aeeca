/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the recipe reader share with each other and nobody else. Statements are carried out as they are read,
 * so the body of a `repeat` is read once for each element.
 */
#ifndef ETLPROOF_READING_H
#define ETLPROOF_READING_H

#include <setjmp.h>

#include "lexer.h"

/* Most bytes of one value, most vectors of a recipe, and how deep blocks and parentheses may be nested. */
enum { ETL_RECIPE_BYTES_MAX = 0x1000000, ETL_RECIPE_VECTORS_MAX = 0x2000, ETL_RECIPE_DEPTH_MAX = 64 };

typedef enum etl_value_kind { ETL_VALUE_NUMBER, ETL_VALUE_TEXT, ETL_VALUE_BYTES } etl_value_kind;

/* A value. A number may be a place: an offset in the file, or in the inflated bytes of `inflated`. */
typedef struct etl_value {
    etl_value_kind kind;
    uint64_t number;
    const etl_model_buffer *inflated; /* of the laid-out trace */
    const uint8_t *bytes;             /* of TEXT too, which is terminated as well */
    size_t size;
} etl_value;

typedef struct etl_variable {
    const etl_token *name;
    etl_value value;
} etl_variable;

/* Memory that lives as long as the reading, or as one vector. */
typedef struct etl_arena_block etl_arena_block;

/* What holds for the vectors of a block. */
typedef struct etl_defaults {
    const char *source;
    etl_rule rule; /* ETL_RULE_COUNT: none */
    bool must;
    etl_model *trace; /* not laid out; NULL: none yet */
} etl_defaults;

typedef struct etl_reading {
    const char *name; /* "GROUP/FAMILY.recipe" */
    etl_tokens tokens;
    const etl_token *at;
    etl_recipe_sink sink;
    void *context;
    etl_recipe_error *error;
    jmp_buf failed;  /* a fault is found deep in an expression; the way out is always the same */
    etl_arena_block *arena;
    etl_variable *variables;
    size_t variable_count, variable_room;
    unsigned depth;
    bool skipping;   /* statements are read and not carried out */
    etl_defaults defaults;
    etl_model *laid; /* the trace that places are of, laid out; NULL where there are none */
    etl_model **models; /* all that are to be freed at the end */
    size_t model_count, model_room;
    char **ids;      /* of the vectors so far */
    size_t id_count, id_room;
} etl_reading;

/* reading.c: tokens, faults, memory */

/* Says what is wrong at a token, and ends the reading. Does not return. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), noreturn))
#endif
void etl_reading_fail(etl_reading *r, const etl_token *at, const char *format, ...);
/* Says "expected …, found …" of the current token. Does not return. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void etl_reading_expected(etl_reading *r, const char *what);

/* Ends the reading because the sink said so. Does not return. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void etl_reading_stop(etl_reading *r);

void *etl_reading_memory(etl_reading *r, size_t size);
/* Frees what was taken since etl_reading_mark. */
etl_arena_block *etl_reading_mark(const etl_reading *r);
void etl_reading_release(etl_reading *r, etl_arena_block *mark);
char *etl_reading_copy(etl_reading *r, const char *text, size_t size);

bool etl_reading_is(const etl_reading *r, const char *word_or_sign);
/* Takes the token if it is this word or sign. */
bool etl_reading_take(etl_reading *r, const char *word_or_sign);
/* Takes it, or fails. */
void etl_reading_need(etl_reading *r, const char *word_or_sign);
/* Takes a word, whatever it is; `what` is for the message. */
const etl_token *etl_reading_word(etl_reading *r, const char *what);
bool etl_token_is(const etl_token *token, const char *text);
/* The words of the source from one token up to another, blanks as they are. */
char *etl_reading_source(etl_reading *r, const etl_token *from, const etl_token *end);
void etl_reading_enter(etl_reading *r, const etl_token *at);
void etl_reading_leave(etl_reading *r);

/* Keeps a model until the end of the reading, or until it is dropped. */
etl_model *etl_reading_keep(etl_reading *r, etl_model *model);
void etl_reading_drop(etl_reading *r, etl_model *model);

/* text.c: {name} and {name:02x} in ids and strings, escapes in strings */

char *etl_text_fill_in(etl_reading *r, const etl_token *at, const char *text, size_t size);
etl_value etl_text_string(etl_reading *r, const etl_token *string);
const etl_variable *etl_text_variable(const etl_reading *r, const char *name, size_t size);

/* expression.c */

etl_value etl_expression(etl_reading *r);
uint64_t etl_expression_number(etl_reading *r);
/* A number that is a place of the trace, or a plain file offset. */
etl_place etl_expression_place(etl_reading *r);
etl_value etl_expression_bytes(etl_reading *r);
/* A string; the caller's as long as the reading's memory is. */
char *etl_expression_text(etl_reading *r);

/* bytes.c: functions that make bytes. False if there is none of that name; the token after it is "(". */
bool etl_bytes_function(etl_reading *r, const etl_token *name, etl_value *value);
/* 16 bytes of "68fdd900-4a3e-11d1-84f4-0000f80464e3"; false if the text is no GUID. */
bool etl_bytes_guid(const char *text, uint8_t guid[16]);
etl_value etl_bytes_value(etl_reading *r, const etl_token *at, const void *bytes, size_t size);

/* places.c: names of the trace, and functions of them */

etl_model_node etl_places_node(etl_reading *r, const etl_token *name);
etl_value etl_places_start(etl_reading *r, const etl_model_node *node);
/* "victim.Size", "victim.TimeZone.Bias": the member of a node, after its name and the dot were taken. */
etl_part *etl_places_member(etl_reading *r, const etl_model_node *node, const char **member, etl_value *place);
bool etl_places_function(etl_reading *r, const etl_token *name, etl_value *value);

/* tables.c */

/* Whether a word names a table: "BufferFlag". */
bool etl_tables_has(const etl_token *table);
/* Its value of that name; fails if it has none. */
uint64_t etl_tables_value(etl_reading *r, const etl_token *table, const etl_token *name);
/* A header type or item type by name; false if there is none. */
bool etl_tables_header_type(const etl_token *name, uint8_t *type);
bool etl_tables_item_type(const etl_token *name, uint16_t *type);
bool etl_tables_structure(const etl_token *name, etl_structure_id *id);
bool etl_tables_region(const char *text, etl_region_kind *kind);
bool etl_tables_action(const char *text, etl_action *action);
/* The flag of flags.def, as it is there; NULL if there is none. */
const char *etl_tables_flag(const char *text);

/* trace.c */

/* The body of `trace { … }`. */
etl_model *etl_trace_read(etl_reading *r);
/* `NAME.MEMBER = value` of `set`, after `set`. */
void etl_trace_set(etl_reading *r, etl_model *model);
/* Writes a value into a member of `part`; fails at `at` if it does not fit. */
void etl_trace_assign(etl_reading *r, const etl_token *at, etl_part *part, const char *member, const etl_value *value);

/* recipe.c */

/* `source`, `rule` or `level`, which hold for what follows in the block; false if it is none of them. */
bool etl_default_read(etl_reading *r);

/* claims.c: what a vector says */

void etl_vector_read(etl_reading *r);

#endif
