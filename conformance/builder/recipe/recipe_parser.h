/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the recipe reader share with each other and nobody else. Statements are carried out as they are read,
 * so the body of a `repeat` is read once for each element, and that of a vector twice: see vector.c.
 */
#ifndef ETLPROOF_READING_H
#define ETLPROOF_READING_H

#include <setjmp.h>

#include "recipe/lexer.h"

/* A recipe that goes on for ever, or fills the memory, is broken. No real one comes near. */
enum {
    BUILD_RECIPE_BYTES_MAX = 0x1000000,   /* of one value: 16 MiB */
    BUILD_RECIPE_MEMORY_MAX = 0x10000000, /* of all values together, wherever they are held: 256 MiB */
    BUILD_RECIPE_VECTORS_MAX = 0x2000,    /* vectors, and elements of one list */
    BUILD_RECIPE_TURNS_MAX = 0x10000,     /* of all `repeat`s together */
    BUILD_RECIPE_DEPTH_MAX = 64,          /* blocks, parentheses and signs in one another */
    BUILD_RECIPE_ID_MAX = 100             /* letters of a vector's id, which is a file name */
};

/* Counted as work: the bytes that could be made meanwhile. */
enum {
    BUILD_RECIPE_START_WORK = 0x10000, /* a trace, or a structure in memory */
    BUILD_RECIPE_WORD_WORK = 0x100     /* a word that a `repeat` reads */
};

enum { BUILD_GUID_BYTES = 16 };

typedef enum build_value_kind { BUILD_VALUE_NUMBER, BUILD_VALUE_TEXT, BUILD_VALUE_BYTES } build_value_kind;

/* A value. A number may be a place: an offset in the file, or in the inflated bytes of `inflated`. */
typedef struct build_value {
    build_value_kind kind;
    uint64_t number;
    const build_model_buffer *inflated; /* of the laid-out trace; another copy has it under the same name */
    uint8_t *bytes;                     /* of TEXT too, which is terminated as well */
    size_t size;
} build_value;

typedef struct build_loop_variable {
    const build_token *name;
    build_value value;
} build_loop_variable;

/* Memory that lives as long as the reading, or as one turn of a `repeat`, or one vector. */
typedef struct build_arena_block build_arena_block;

/* What holds for the vectors of a block. */
typedef struct build_vector_defaults {
    const char *source;
    etl_rule rule; /* ETL_RULE_COUNT: none */
    bool must;
    build_model *trace;       /* not laid out; NULL: none yet, or `dump` */
    const build_memory *dump; /* NULL: none yet, or `trace` */
} build_vector_defaults;

typedef struct build_parser {
    const char *name; /* "GROUP/FAMILY.recipe" */
    build_tokens tokens;
    const build_token *at;
    build_recipe_sink sink;
    void *context;
    build_recipe_error *error;
    jmp_buf failed; /* a fault is found deep in an expression; the way out is always the same */
    build_arena_block *arena;
    size_t memory;           /* bytes in it, and of values that models hold */
    uint64_t work, work_max; /* what was made so far, and what may be */
    build_chunk text;        /* a string that is being filled in; here, so that a fault cannot lose it */
    build_loop_variable *variables;
    size_t variable_count;
    unsigned depth, turns;
    bool skipping; /* places are not known: those that are asked for are 0, and no value is at fault */
    build_vector_defaults defaults;
    build_model *laid;        /* the trace that places are of, laid out; NULL where none may be named */
    const build_memory *dump; /* the structure in memory that places are of; NULL where none may be named */
    build_model **models;     /* all that are to be freed at the end */
    size_t model_count;
    char **ids; /* of the vectors so far */
    size_t id_count;
} build_parser;

#if defined(__GNUC__)
#define BUILD_NO_RETURN __attribute__((noreturn))
#else
#define BUILD_NO_RETURN
#endif
#if defined(__GNUC__) && !defined(_WIN32) /* whose own attribute does not know %zu, which is there all the same */
#define BUILD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BUILD_PRINTF(text, first)
#endif

/* reading.c: tokens, faults, memory */

/* Says what is wrong at a token, and ends the reading. What cannot be printed in ASCII becomes "?". Does not return. */
BUILD_NO_RETURN BUILD_PRINTF(3, 4) void build_parser_fail(build_parser *r, const build_token *at, const char *format, ...);
/* Says "expected …, found …" of a token, or of the current one. Does not return. */
BUILD_NO_RETURN void build_parser_expected_at(build_parser *r, const build_token *at, const char *what);
BUILD_NO_RETURN void build_parser_expected(build_parser *r, const char *what);
/* Ends the reading because the sink said so. Does not return. */
BUILD_NO_RETURN void build_parser_stop(build_parser *r);

/* All zero, and one byte more than asked for. Fails if the recipe has taken too much. */
void *build_parser_allocate(build_parser *r, size_t size);
/* Counts bytes that are made, or what takes as long. Fails if that is too much. */
void build_parser_count_work(build_parser *r, size_t size);
/* Counts bytes that a model takes, or makes, as such memory, until what was taken before them is freed. */
void build_parser_count_memory(build_parser *r, size_t size);
/* Frees what was taken since build_parser_mark. */
build_arena_block *build_parser_mark(const build_parser *r);
void build_parser_release(build_parser *r, build_arena_block *mark);
/* Terminated. */
char *build_parser_copy(build_parser *r, const char *text, size_t size);
/* A list in such memory, with room for one more of `size` bytes. */
void *build_parser_grow(build_parser *r, void *list, size_t count, size_t size);

bool build_parser_is(const build_parser *r, const char *word_or_sign);
/* Takes the token if it is this word or sign. */
bool build_parser_take(build_parser *r, const char *word_or_sign);
/* Takes it, or fails. */
void build_parser_need(build_parser *r, const char *word_or_sign);
/* Takes a word, whatever it is; `what` is for the message. */
const build_token *build_parser_word(build_parser *r, const char *what);
/* Takes words with `sign` between them, "TimeZone.Bias", "buffer-header", and returns the text of all; one if it is "". */
char *build_parser_words(build_parser *r, const char *sign, const char *what);
bool build_token_is(const build_token *token, const char *text);
build_position build_token_spot(const build_token *token);
/* The source from one token up to another; what lies between two becomes one blank. */
char *build_parser_source(build_parser *r, const build_token *from, const build_token *end);
/* One deeper; fails at `at` if that is too deep. */
void build_parser_enter(build_parser *r, const build_token *at);
void build_parser_leave(build_parser *r);

/* Keeps a model until the end of the reading, or until it is dropped. */
build_model *build_parser_keep_model(build_parser *r, build_model *model);
void build_parser_drop_model(build_parser *r, build_model *model);

/* text.c: variables, {name} and {name:02x} in ids and strings, escapes in strings */

/* The innermost variable of that name; NULL if there is none. */
const build_loop_variable *build_loop_variable_find(const build_parser *r, const char *name, size_t size);
char *build_interpolate_id(build_parser *r, const build_token *word);
build_value build_interpolate_string(build_parser *r, const build_token *string);

/* expression.c */

build_value build_expression(build_parser *r);
uint64_t build_expression_number(build_parser *r);
/* A number that has to fit in `size` bytes, with or without a sign. */
uint64_t build_expression_number_of(build_parser *r, size_t size);
/* A number that is a place of the trace, or a plain file offset. */
build_place build_expression_place(build_parser *r);
/* `A .. B`, in the same bytes, and B not before A. */
void build_expression_places(build_parser *r, build_place *from, build_place *to);
build_value build_expression_bytes(build_parser *r);
/* A string without NUL; the caller's as long as the reading's memory is. */
char *build_expression_text(build_parser *r);
/* Fail at `at` if a value is no number, or a number does not fit in `size` bytes (never while skipping). */
void build_expression_need_number(build_parser *r, const build_token *at, const build_value *value);
void build_expression_need_fit(build_parser *r, const build_token *at, uint64_t number, size_t size);
/* "a number", "a text", "bytes" */
const char *build_expression_kind(const build_value *value);

/* bytes.c: functions that make bytes. False if there is none of that name; the token after it is "(". */
bool build_byte_function(build_parser *r, const build_token *name, build_value *value);
/* Bytes of a new value; fails at `at` if they are too many. */
build_value build_byte_value_make(build_parser *r, const build_token *at, size_t size);
/* The GUID of 16 bytes, or of a text such as "68fdd900-4a3e-11d1-84f4-0000f80464e3"; fails at `at` if it is neither. */
void build_value_to_guid(build_parser *r, const build_token *at, const build_value *value, uint8_t guid[BUILD_GUID_BYTES]);

/* places.c: names of the trace, and functions of them */

build_model_node build_place_node(build_parser *r, const build_token *name);
build_value build_place_start(build_parser *r, const build_model_node *node);
/* "victim.Size", "victim.TimeZone.Bias": the member of a node, after its name was taken. NULL while skipping. */
build_structure *build_place_of_member(build_parser *r, const build_model_node *node, const char **member,
                                       build_value *place);
/* Fails at `at`, because the node has no such member. Does not return. */
BUILD_NO_RETURN void build_place_fail_no_member(build_parser *r, const build_token *at, const build_model_node *node,
                                                const char *member);
bool build_place_function(build_parser *r, const build_token *name, build_value *value);

/* tables.c */

/* Whether a word names a table: "BufferFlag". */
bool build_format_name_is_table(const build_token *table);
/* Its value of that name; fails if it has none. */
uint64_t build_format_name_value(build_parser *r, const build_token *table, const build_token *name);
/* A header type or item type by name; false if there is none. */
bool build_format_name_header_type(const build_token *name, uint64_t *type);
bool build_format_name_item_type(const build_token *name, uint64_t *type);
/* Each takes the words that name a row, or fails. */
etl_structure_id build_format_name_structure(build_parser *r);
etl_region_kind build_format_name_region(build_parser *r);
etl_action build_format_name_action(build_parser *r);
etl_rule build_format_name_rule(build_parser *r);
const char *build_format_name_flag(build_parser *r);

/* memory.c: structures in memory */

/* What follows the word `memory`: STRUCTURE WINDOWS ARCH { … }. */
const build_memory *build_memory_block(build_parser *r);
/* `MEMBER = value` of a structure. */
void build_memory_block_assign(build_parser *r, build_memory *dump);
/* A member, an element or a part: "LoggerId", "EnableInfo[2].Level", "at(0x58)"; or fails. */
etl_memory_member build_memory_block_path(build_parser *r, const build_memory *dump);
/* Whether a value is the name of a member of r->dump; false where there is none. */
bool build_memory_block_has_member(const build_parser *r, const build_value *value);
/* Functions of the members of r->dump: end(…), size(…), value(…), file(), at(…). False if there is none of that name. */
bool build_memory_block_function(build_parser *r, const build_token *name, build_value *value);
/* The layout that a text names, "1903", "x64"; fails at the token if there is none. */
etl_memory_layout build_memory_block_layout(build_parser *r, const build_token *at, const char *const texts[3]);

/* lists.c: lists that come from the tables of structures in memory */

/* If `layouts(…)`, `members(…)` or another list is next, takes it: `*count` elements of `width` values each. */
bool build_table_list(build_parser *r, size_t width, build_value **values, size_t *count);

/* trace.c */

/* The body of `trace { … }`. */
build_model *build_trace_block(build_parser *r);
/* Fails at `at` if a laid-out trace is one that no file can hold. */
void build_trace_check(build_parser *r, const build_token *at, const build_model *laid);

/* assign.c */

/* `MEMBER = value` of a node: a member of its structure, or what is none, such as data. */
void build_assign(build_parser *r, const build_model_node *node);
/* Writes a value into a member of `part`; fails at `at` if it does not fit. */
void build_assign_member(build_parser *r, const build_token *at, build_structure *part, const char *member,
                         const build_value *value);

/* recipe.c */

/* `source`, `rule` or `level`, which hold for what follows in the block; false if it is none of them. */
bool build_vector_default(build_parser *r);

/* vector.c */

typedef struct build_vector_parser {
    build_parser *r;
    const build_token *id_at;
    build_vector vector;
    build_model *base;  /* a copy of the trace; `set` changes it */
    build_memory *dump; /* or of the structure in memory */
    bool has_verdict;
    const build_token *patch_at; /* NULL: none yet */
} build_vector_parser;

/* A vector, after the word. */
void build_vector_block(build_parser *r);
/* Whether a word starts a statement of a vector, and so ends a list of names. */
bool build_is_vector_statement(const build_token *word);

/* patch.c, claims.c: what follows the word of a statement */

void build_patch_statement(build_vector_parser *v);
void build_claim_finding(build_vector_parser *v);
void build_claim_lost(build_vector_parser *v);
void build_claim_opaque(build_vector_parser *v);
void build_claim_must(build_vector_parser *v);
void build_claim_should(build_vector_parser *v);
void build_claim_events(build_vector_parser *v);
void build_claim_expect(build_vector_parser *v);
void build_claim_region(build_vector_parser *v);

#endif
