/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the model share with each other and nobody else.
 */
#ifndef ETLPROOF_BUILDER_INTERNAL_H
#define ETLPROOF_BUILDER_INTERNAL_H

#include "model.h"

/* part.c */

build_structure build_part_make(etl_structure_id structure);
/* Set a member unless the caller has, and leave it not given. Nothing happens where the structure has no such member. */
void build_part_fill(build_structure *part, const char *member, uint64_t value);
/* The first `size` bytes of it. */
void build_part_fill_bytes(build_structure *part, const char *member, const uint8_t *bytes, size_t size);
/* The part becomes a copy of `shape`, but for the members of the same name, which keep their values. */
void build_part_reshape(build_structure *part, const build_structure *shape);

/* shape.c: what follows from the version of the logfile */

/* The part with the version: the first logfile header in the file; NULL if there is none. */
const build_structure *build_shape_logfile(const build_model *model);
/* Windows version as major << 8 | minor. */
uint32_t build_shape_windows(const build_model *model);
enum { ETL_WINDOWS_5_2 = 0x0502, ETL_WINDOWS_6_0 = 0x0600, ETL_WINDOWS_6_1 = 0x0601, ETL_WINDOWS_6_2 = 0x0602 };
bool build_shape_compressed(const build_model *model);
/* SubVersion and SubMinorVersion as they will be written in `logfile`, or in a trace without one. */
uint32_t build_shape_sub_version(const build_model *model, const build_structure *logfile);
etl_structure_id build_shape_buffer(const build_model *model);
etl_layout build_shape_event(const build_model *model, uint8_t type);
/* Whether a PEBS index and performance counters may follow the header. */
bool build_shape_has_counters(etl_layout layout);
/* Gives a node, or all structures, the shape that the version asks for. */
void build_shape_node(const build_model *model, const build_model_node *node);
void build_shape_all(build_model *model);

/* default.c: what a member is that nobody sets and no layout works out; `number` makes one event differ from the next */

enum { BUILD_DEFAULT_ALIGNMENT = 8 }; /* of WMI_CLIENT_CONTEXT, on every processor ever seen */
build_structure build_default_buffer(etl_structure_id structure);
build_structure build_default_event(etl_layout layout, uint32_t number);
build_structure build_default_logfile(uint8_t pointer_size);
build_model_parts build_default_parts(uint32_t number);
void build_default_names(build_chunk *names);
/* The build of a Windows version. */
uint32_t build_default_build(uint32_t windows);
int64_t build_default_clock_start(const build_structure *logfile, uint32_t windows);

/* piece.c: the memory behind the bytes of a buffer or event, in the order in which they are written */

typedef enum build_piece_group {
    BUILD_PIECE_HEADER,
    BUILD_PIECE_ITEMS,
    BUILD_PIECE_DATA,
    BUILD_PIECE_PADDING,
    BUILD_PIECE_GROUPS
} build_piece_group;

/* One of `bytes`, `number`, `chunk`, or none of them: `fill` alone. */
typedef struct build_piece {
    build_piece_group group;
    uint32_t size;
    uint8_t *bytes;
    void *number;       /* uint32_t or uint64_t, by `size` */
    build_chunk *chunk; /* the first bytes; `fill` follow */
    uint8_t fill;
} build_piece;

typedef struct build_pieces {
    build_piece *at;
    size_t count, room;
} build_pieces;

/* Each appends. The list holds pointers into the model. */
void build_pieces_add_event(build_pieces *list, build_model_event *event);
/* As it lies in the file, or as it inflates. The buffer is laid out. */
void build_pieces_add_buffer(build_pieces *list, build_model_buffer *buffer, bool inflated);
void build_pieces_free(build_pieces *list);
void build_pieces_write(const build_pieces *list, build_chunk *out);
/* `size` bytes from `at` on, counted from the first piece, become `bytes`; what lies outside the pieces is left out. */
void build_pieces_patch(build_pieces *list, uint64_t at, const uint8_t *bytes, size_t size);

/* layout.c */

/* Compresses `inflated`, works out how many bytes the buffer takes, and brings its two headers up to date. */
void build_layout_compress(build_model_buffer *buffer);
/* Where each buffer starts in the file. */
void build_layout_place_buffers(build_model *model);

static inline uint32_t build_align8_up(uint32_t n)
{
    return (n + 7u) & ~7u;
}

#endif
