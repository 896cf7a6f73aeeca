/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the recipe reader share with each other and nobody else. Statements are carried out as they are read,
 * so the body of a `repeat` is read once for each element, and that of a vector twice: see vector.c.
 */
#ifndef ETLPROOF_READING_H
#define ETLPROOF_READING_H

#include <setjmp.h>

#include "lexer.h"

/* A recipe that goes on for ever, or fills the memory, is broken. No real one comes near. */
enum {
    ETL_RECIPE_BYTES_MAX = 0x1000000,   /* of one value: 16 MiB */
    ETL_RECIPE_MEMORY_MAX = 0x10000000, /* of all values together, wherever they are held: 256 MiB */
    ETL_RECIPE_VECTORS_MAX = 0x2000,    /* vectors, and elements of one list */
    ETL_RECIPE_TURNS_MAX = 0x10000,     /* of all `repeat`s together */
    ETL_RECIPE_DEPTH_MAX = 64,          /* blocks, parentheses and signs in one another */
    ETL_RECIPE_ID_MAX = 100             /* letters of a vector's id, which is a file name */
};

/* Counted as work: the bytes that could be made meanwhile. */
enum {
    ETL_RECIPE_START_WORK = 0x10000, /* a trace, or a structure in memory */
    ETL_RECIPE_WORD_WORK = 0x100     /* a word that a `repeat` reads */
};

enum { ETL_GUID_BYTES = 16 };

typedef enum etl_value_kind { ETL_VALUE_NUMBER, ETL_VALUE_TEXT, ETL_VALUE_BYTES } etl_value_kind;

/* A value. A number may be a place: an offset in the file, or in the inflated bytes of `inflated`. */
typedef struct etl_value {
    etl_value_kind kind;
    uint64_t number;
    const etl_model_buffer *inflated; /* of the laid-out trace; another copy has it under the same name */
    uint8_t *bytes;                   /* of TEXT too, which is terminated as well */
    size_t size;
} etl_value;

typedef struct etl_variable {
    const etl_token *name;
    etl_value value;
} etl_variable;

/* Memory that lives as long as the reading, or as one turn of a `repeat`, or one vector. */
typedef struct etl_arena_block etl_arena_block;

/* What holds for the vectors of a block. */
typedef struct etl_defaults {
    const char *source;
    etl_rule rule;         /* ETL_RULE_COUNT: none */
    bool must;
    etl_model *trace;      /* not laid out; NULL: none yet, or `dump` */
    const etl_dump *dump;  /* NULL: none yet, or `trace` */
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
    size_t memory;   /* bytes in it, and of values that models hold */
    uint64_t work, work_max; /* what was made so far, and what may be */
    etl_chunk text;  /* a string that is being filled in; here, so that a fault cannot lose it */
    etl_variable *variables;
    size_t variable_count;
    unsigned depth, turns;
    bool skipping;   /* places are not known: those that are asked for are 0, and no value is at fault */
    etl_defaults defaults;
    etl_model *laid; /* the trace that places are of, laid out; NULL where none may be named */
    const etl_dump *dump; /* the structure in memory that places are of; NULL where none may be named */
    etl_model **models; /* all that are to be freed at the end */
    size_t model_count;
    char **ids;      /* of the vectors so far */
    size_t id_count;
} etl_reading;

#if defined(__GNUC__)
#define ETL_NO_RETURN __attribute__((noreturn))
#else
#define ETL_NO_RETURN
#endif
#if defined(__GNUC__) && !defined(_WIN32) /* whose own attribute does not know %zu, which is there all the same */
#define ETL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ETL_PRINTF(text, first)
#endif

/* reading.c: tokens, faults, memory */

/* Says what is wrong at a token, and ends the reading. What cannot be printed in ASCII becomes "?". Does not return. */
ETL_NO_RETURN ETL_PRINTF(3, 4) void etl_reading_fail(etl_reading *r, const etl_token *at, const char *format, ...);
/* Says "expected …, found …" of a token, or of the current one. Does not return. */
ETL_NO_RETURN void etl_reading_expected_at(etl_reading *r, const etl_token *at, const char *what);
ETL_NO_RETURN void etl_reading_expected(etl_reading *r, const char *what);
/* Ends the reading because the sink said so. Does not return. */
ETL_NO_RETURN void etl_reading_stop(etl_reading *r);

/* All zero, and one byte more than asked for. Fails if the recipe has taken too much. */
void *etl_reading_memory(etl_reading *r, size_t size);
/* Counts bytes that are made, or what takes as long. Fails if that is too much. */
void etl_reading_work(etl_reading *r, size_t size);
/* Counts bytes that a model takes, or makes, as such memory, until what was taken before them is freed. */
void etl_reading_count(etl_reading *r, size_t size);
/* Frees what was taken since etl_reading_mark. */
etl_arena_block *etl_reading_mark(const etl_reading *r);
void etl_reading_release(etl_reading *r, etl_arena_block *mark);
/* Terminated. */
char *etl_reading_copy(etl_reading *r, const char *text, size_t size);
/* A list in such memory, with room for one more of `size` bytes. */
void *etl_reading_grow(etl_reading *r, void *list, size_t count, size_t size);

bool etl_reading_is(const etl_reading *r, const char *word_or_sign);
/* Takes the token if it is this word or sign. */
bool etl_reading_take(etl_reading *r, const char *word_or_sign);
/* Takes it, or fails. */
void etl_reading_need(etl_reading *r, const char *word_or_sign);
/* Takes a word, whatever it is; `what` is for the message. */
const etl_token *etl_reading_word(etl_reading *r, const char *what);
/* Takes words with `sign` between them, "TimeZone.Bias", "buffer-header", and returns the text of all; one if it is "". */
char *etl_reading_words(etl_reading *r, const char *sign, const char *what);
bool etl_token_is(const etl_token *token, const char *text);
etl_spot etl_token_spot(const etl_token *token);
/* The source from one token up to another; what lies between two becomes one blank. */
char *etl_reading_source(etl_reading *r, const etl_token *from, const etl_token *end);
/* One deeper; fails at `at` if that is too deep. */
void etl_reading_enter(etl_reading *r, const etl_token *at);
void etl_reading_leave(etl_reading *r);

/* Keeps a model until the end of the reading, or until it is dropped. */
etl_model *etl_reading_keep(etl_reading *r, etl_model *model);
void etl_reading_drop(etl_reading *r, etl_model *model);

/* text.c: variables, {name} and {name:02x} in ids and strings, escapes in strings */

/* The innermost variable of that name; NULL if there is none. */
const etl_variable *etl_text_variable(const etl_reading *r, const char *name, size_t size);
char *etl_text_id(etl_reading *r, const etl_token *word);
etl_value etl_text_string(etl_reading *r, const etl_token *string);

/* expression.c */

etl_value etl_expression(etl_reading *r);
uint64_t etl_expression_number(etl_reading *r);
/* A number that has to fit in `size` bytes, with or without a sign. */
uint64_t etl_expression_number_of(etl_reading *r, size_t size);
/* A number that is a place of the trace, or a plain file offset. */
etl_place etl_expression_place(etl_reading *r);
/* `A .. B`, in the same bytes, and B not before A. */
void etl_expression_places(etl_reading *r, etl_place *from, etl_place *to);
etl_value etl_expression_bytes(etl_reading *r);
/* A string without NUL; the caller's as long as the reading's memory is. */
char *etl_expression_text(etl_reading *r);
/* Fail at `at` if a value is no number, or a number does not fit in `size` bytes (never while skipping). */
void etl_expression_need_number(etl_reading *r, const etl_token *at, const etl_value *value);
void etl_expression_need_fit(etl_reading *r, const etl_token *at, uint64_t number, size_t size);
/* "a number", "a text", "bytes" */
const char *etl_expression_kind(const etl_value *value);

/* bytes.c: functions that make bytes. False if there is none of that name; the token after it is "(". */
bool etl_bytes_function(etl_reading *r, const etl_token *name, etl_value *value);
/* Bytes of a new value; fails at `at` if they are too many. */
etl_value etl_bytes_room(etl_reading *r, const etl_token *at, size_t size);
/* The GUID of 16 bytes, or of a text such as "68fdd900-4a3e-11d1-84f4-0000f80464e3"; fails at `at` if it is neither. */
void etl_bytes_guid(etl_reading *r, const etl_token *at, const etl_value *value, uint8_t guid[ETL_GUID_BYTES]);

/* places.c: names of the trace, and functions of them */

etl_model_node etl_places_node(etl_reading *r, const etl_token *name);
etl_value etl_places_start(etl_reading *r, const etl_model_node *node);
/* "victim.Size", "victim.TimeZone.Bias": the member of a node, after its name was taken. NULL while skipping. */
etl_part *etl_places_member(etl_reading *r, const etl_model_node *node, const char **member, etl_value *place);
/* Fails at `at`, because the node has no such member. Does not return. */
ETL_NO_RETURN void etl_places_no_member(etl_reading *r, const etl_token *at, const etl_model_node *node,
                                        const char *member);
bool etl_places_function(etl_reading *r, const etl_token *name, etl_value *value);

/* tables.c */

/* Whether a word names a table: "BufferFlag". */
bool etl_tables_has(const etl_token *table);
/* Its value of that name; fails if it has none. */
uint64_t etl_tables_value(etl_reading *r, const etl_token *table, const etl_token *name);
/* A header type or item type by name; false if there is none. */
bool etl_tables_header_type(const etl_token *name, uint64_t *type);
bool etl_tables_item_type(const etl_token *name, uint64_t *type);
/* Each takes the words that name a row, or fails. */
etl_structure_id etl_tables_structure(etl_reading *r);
etl_region_kind etl_tables_region(etl_reading *r);
etl_action etl_tables_action(etl_reading *r);
etl_rule etl_tables_rule(etl_reading *r);
const char *etl_tables_flag(etl_reading *r);

/* memory.c: structures in memory */

/* What follows the word `memory`: STRUCTURE WINDOWS ARCH { … }. */
const etl_dump *etl_recipe_memory(etl_reading *r);
/* `MEMBER = value` of a structure. */
void etl_recipe_memory_assign(etl_reading *r, etl_dump *dump);
/* A member, an element or a part: "LoggerId", "EnableInfo[2].Level", "at(0x58)"; or fails. */
etl_memory_member etl_recipe_memory_path(etl_reading *r, const etl_dump *dump);
/* Whether a value is the name of a member of r->dump; false where there is none. */
bool etl_recipe_memory_names(const etl_reading *r, const etl_value *value);
/* Functions of the members of r->dump: end(…), size(…), value(…), file(), at(…). False if there is none of that name. */
bool etl_recipe_memory_function(etl_reading *r, const etl_token *name, etl_value *value);
/* The layout that a text names, "1903", "x64"; fails at the token if there is none. */
etl_memory_layout etl_recipe_memory_layout(etl_reading *r, const etl_token *at, const char *const texts[3]);

/* lists.c: lists that come from the tables of structures in memory */

/* If `layouts(…)`, `members(…)` or another list is next, takes it: `*count` elements of `width` values each. */
bool etl_recipe_list(etl_reading *r, size_t width, etl_value **values, size_t *count);

/* trace.c */

/* The body of `trace { … }`. */
etl_model *etl_trace_read(etl_reading *r);
/* Fails at `at` if a laid-out trace is one that no file can hold. */
void etl_trace_check(etl_reading *r, const etl_token *at, const etl_model *laid);

/* assign.c */

/* `MEMBER = value` of a node: a member of its structure, or what is none, such as data. */
void etl_assign(etl_reading *r, const etl_model_node *node);
/* Writes a value into a member of `part`; fails at `at` if it does not fit. */
void etl_assign_member(etl_reading *r, const etl_token *at, etl_part *part, const char *member, const etl_value *value);

/* recipe.c */

/* `source`, `rule` or `level`, which hold for what follows in the block; false if it is none of them. */
bool etl_default_read(etl_reading *r);

/* vector.c */

typedef struct etl_vector_reading {
    etl_reading *r;
    const etl_token *id_at;
    etl_vector vector;
    etl_model *base; /* a copy of the trace; `set` changes it */
    etl_dump *dump;  /* or of the structure in memory */
    bool has_verdict;
    const etl_token *patch_at; /* NULL: none yet */
} etl_vector_reading;

/* A vector, after the word. */
void etl_vector_read(etl_reading *r);
/* Whether a word starts a statement of a vector, and so ends a list of names. */
bool etl_vector_statement(const etl_token *word);

/* patch.c, claims.c: what follows the word of a statement */

void etl_patch_read(etl_vector_reading *v);
void etl_claim_finding(etl_vector_reading *v);
void etl_claim_lost(etl_vector_reading *v);
void etl_claim_opaque(etl_vector_reading *v);
void etl_claim_must(etl_vector_reading *v);
void etl_claim_should(etl_vector_reading *v);
void etl_claim_events(etl_vector_reading *v);
void etl_claim_expect(etl_vector_reading *v);
void etl_claim_region(etl_vector_reading *v);

#endif
