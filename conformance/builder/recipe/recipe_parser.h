/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_parser: the state of one recipe that is being parsed, its tokens, errors and memory. Statements are executed as
 * they are parsed, so that the body of a `repeat` is parsed once for each element, and that of a vector twice
 * (vector_block.c).
 */
#ifndef ETLPROOF_RECIPE_PARSER_H
#define ETLPROOF_RECIPE_PARSER_H

#include <setjmp.h>

#include "recipe/lexer.h"
#include "recipe/recipe_value.h"

/* A recipe that never ends or fills the memory is broken. No real recipe comes near these limits. */
enum {
    BUILD_RECIPE_BYTES_MAX = 0x1000000,   /* of one value: 16 MiB */
    BUILD_RECIPE_MEMORY_MAX = 0x10000000, /* of all values together, wherever they are kept: 256 MiB */
    BUILD_RECIPE_VECTORS_MAX = 0x2000,    /* vectors, and elements of one list */
    BUILD_RECIPE_TURNS_MAX = 0x10000,     /* of all `repeat`s together */
    BUILD_RECIPE_DEPTH_MAX = 64,          /* nested blocks, parentheses and signs */
    BUILD_RECIPE_ID_MAX = 100             /* letters of a vector's id, which is a file name */
};

/* Work is counted in bytes: a slow operation counts as the bytes that could be made in its time. */
enum {
    BUILD_RECIPE_START_WORK = 0x10000, /* a trace, or a structure in memory */
    BUILD_RECIPE_WORD_WORK = 0x100     /* a word that a `repeat` parses again */
};

typedef struct build_loop_variable {
    const build_token *name;
    build_value value;
} build_loop_variable;

/*
 * The names that a trace has so far, so that none is given twice. A set in the arena: looking at every buffer and event for
 * each new name would make a recipe of many buffers slow. All zero: empty.
 */
typedef struct build_name_set {
    const char **slots; /* NULL: free */
    size_t capacity;    /* a power of two, or 0; at most half of it is taken */
    size_t count;
} build_name_set;

/* Memory that lives as long as the parser, one turn of a `repeat`, or one vector. */
typedef struct build_arena_block build_arena_block;

/* What the statements of a block set for the vectors that follow in it. */
typedef struct build_vector_defaults {
    const char *source;
    etl_rule rule; /* ETL_RULE_COUNT: none */
    const char *metadata; /* NULL: none */
    bool must;
    build_model *trace;         /* not laid out; NULL if there is none yet, or `memory` */
    const build_memory *memory; /* NULL if there is none yet, or `trace` */
} build_vector_defaults;

typedef struct build_parser {
    const char *name; /* "GROUP/FAMILY.recipe" */
    build_tokens tokens;
    const build_token *at;
    build_recipe_sink sink;
    void *context;
    build_recipe_error *error;
    jmp_buf failed; /* errors arise deep in expressions; all leave through here */
    build_arena_block *arena;
    size_t memory_used;      /* bytes in the arena, and of values that models keep */
    uint64_t work, work_max; /* done so far, and allowed */
    build_chunk text;        /* the string that is being filled in; here, so that an error does not leak it */
    build_chunk fields;      /* likewise: the fields of an event, as JSON */
    build_loop_variable *variables;
    size_t variable_count;
    unsigned depth, turns;
    unsigned copies;     /* of the event or buffer that is being read, before this one */
    unsigned copy_names; /* given to copies so far */
    build_name_set trace_names; /* of the trace that is being read */
    bool skipping; /* places are not known yet: each is 0, and no value is checked */
    build_vector_defaults defaults;
    build_model *laid_out;      /* the trace that places belong to; NULL where none may be named */
    const build_memory *memory; /* the structure in memory that places belong to; NULL where none may be named */
    build_model **models;       /* all that are freed at the end */
    size_t model_count;
    char **ids; /* of the vectors so far */
    size_t id_count;
} build_parser;

#if defined(__GNUC__)
#define BUILD_NO_RETURN __attribute__((noreturn))
#else
#define BUILD_NO_RETURN
#endif
#if defined(__GNUC__) && !defined(_WIN32) /* GCC's attribute for Windows rejects %zu, which works there */
#define BUILD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BUILD_PRINTF(text, first)
#endif

/* Errors. */

/* Ends the parsing with an error at a token. Characters outside printable ASCII become "?". Does not return. */
BUILD_NO_RETURN BUILD_PRINTF(3, 4) void build_parser_fail(build_parser *p, const build_token *at, const char *format, ...);
/* Fails with "expected WHAT, found TOKEN" at a token, or at the current one. Does not return. */
BUILD_NO_RETURN void build_parser_expected_at(build_parser *p, const build_token *at, const char *what);
BUILD_NO_RETURN void build_parser_expected(build_parser *p, const char *what);
/* Ends the parsing because the sink asked for it. Does not return. */
BUILD_NO_RETURN void build_parser_stop(build_parser *p);

/* Memory. */

/* Zeroed memory of `size` bytes and one more. Fails if the recipe has taken too much. */
void *build_parser_allocate(build_parser *p, size_t size);
/* Counts work. Fails if the recipe has done too much. */
void build_parser_count_work(build_parser *p, size_t size);
/* Counts bytes that a model takes as if they were in the arena, until the memory taken before them is released. */
void build_parser_count_memory(build_parser *p, size_t size);
/* Releases what was taken since build_parser_mark. */
build_arena_block *build_parser_mark(const build_parser *p);
void build_parser_release(build_parser *p, build_arena_block *mark);
/* A copy, followed by a NUL. */
char *build_parser_copy(build_parser *p, const char *text, size_t size);
/* A list in the arena with space for one more element of `size` bytes. */
void *build_parser_grow(build_parser *p, void *list, size_t count, size_t size);
/* Owns a model until the end of the parsing, or until it is dropped. */
build_model *build_parser_keep_model(build_parser *p, build_model *model);
void build_parser_drop_model(build_parser *p, build_model *model);

/* Tokens. */

bool build_token_is(const build_token *token, const char *text);
build_position build_token_position(const build_token *token);
bool build_parser_is(const build_parser *p, const char *word_or_sign);
/* Takes the token if it is this word or sign. */
bool build_parser_take(build_parser *p, const char *word_or_sign);
/* Takes the token, or fails. */
void build_parser_need(build_parser *p, const char *word_or_sign);
/* Takes any word; `what` is for the message. */
const build_token *build_parser_word(build_parser *p, const char *what);
/* Takes words joined by `sign`, "TimeZone.Bias", "buffer-header", and returns their text. One word if `sign` is "". */
char *build_parser_words(build_parser *p, const char *sign, const char *what);
/* The source from one token up to another, with one blank wherever the source has space or comments. */
char *build_parser_source(build_parser *p, const build_token *from, const build_token *end);
/* Goes one block or parenthesis deeper; fails at `at` if that is too deep. */
void build_parser_enter(build_parser *p, const build_token *at);
void build_parser_leave(build_parser *p);

#endif
