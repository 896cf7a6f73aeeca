/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the model share with each other and nobody else.
 */
#ifndef ETLPROOF_BUILDER_INTERNAL_H
#define ETLPROOF_BUILDER_INTERNAL_H

#include "model.h"

/* part.c */

etl_part etl_part_make(etl_structure_id structure);
/* Set a member unless the caller has, and leave it not given. Nothing happens where the structure has no such member. */
void etl_part_fill(etl_part *part, const char *member, uint64_t value);
/* The first `size` bytes of it. */
void etl_part_fill_bytes(etl_part *part, const char *member, const uint8_t *bytes, size_t size);
/* The part becomes a copy of `shape`, but for the members of the same name, which keep their values. */
void etl_part_reshape(etl_part *part, const etl_part *shape);

/* shape.c: what follows from the version of the logfile */

/* The part with the version: the first logfile header in the file; NULL if there is none. */
const etl_part *etl_shape_logfile(const etl_model *model);
/* Windows version as major << 8 | minor. */
uint32_t etl_shape_windows(const etl_model *model);
enum { ETL_WINDOWS_5_2 = 0x0502, ETL_WINDOWS_6_0 = 0x0600, ETL_WINDOWS_6_1 = 0x0601, ETL_WINDOWS_6_2 = 0x0602 };
bool etl_shape_compressed(const etl_model *model);
/* SubVersion and SubMinorVersion as they will be written in `logfile`, or in a trace without one. */
uint32_t etl_shape_sub_version(const etl_model *model, const etl_part *logfile);
etl_structure_id etl_shape_buffer(const etl_model *model);
etl_layout etl_shape_event(const etl_model *model, uint8_t type);
/* Whether a PEBS index and performance counters may follow the header. */
bool etl_shape_has_counters(etl_layout layout);
/* Gives a node, or all structures, the shape that the version asks for. */
void etl_shape_node(const etl_model *model, const etl_model_node *node);
void etl_shape_all(etl_model *model);

/* default.c: what a member is that nobody sets and no layout works out; `number` makes one event differ from the next */

enum { ETL_DEFAULT_ALIGNMENT = 8 }; /* of WMI_CLIENT_CONTEXT, on every processor ever seen */
etl_part etl_default_buffer(etl_structure_id structure);
etl_part etl_default_event(etl_layout layout, uint32_t number);
etl_part etl_default_logfile(uint8_t pointer_size);
etl_model_parts etl_default_parts(uint32_t number);
void etl_default_names(etl_chunk *names);
/* The build of a Windows version. */
uint32_t etl_default_build(uint32_t windows);
int64_t etl_default_clock_start(const etl_part *logfile, uint32_t windows);

/* piece.c: the memory behind the bytes of a buffer or event, in the order in which they are written */

typedef enum etl_piece_group {
    ETL_PIECE_HEADER,
    ETL_PIECE_ITEMS,
    ETL_PIECE_DATA,
    ETL_PIECE_PADDING,
    ETL_PIECE_GROUPS
} etl_piece_group;

/* One of `bytes`, `number`, `chunk`, or none of them: `fill` alone. */
typedef struct etl_piece {
    etl_piece_group group;
    uint32_t size;
    uint8_t *bytes;
    void *number;     /* uint32_t or uint64_t, by `size` */
    etl_chunk *chunk; /* the first bytes; `fill` follow */
    uint8_t fill;
} etl_piece;

typedef struct etl_pieces {
    etl_piece *at;
    size_t count, room;
} etl_pieces;

/* Each appends. The list holds pointers into the model. */
void etl_pieces_add_event(etl_pieces *list, etl_model_event *event);
/* As it lies in the file, or as it inflates. The buffer is laid out. */
void etl_pieces_add_buffer(etl_pieces *list, etl_model_buffer *buffer, bool inflated);
void etl_pieces_free(etl_pieces *list);
void etl_pieces_write(const etl_pieces *list, etl_chunk *out);
/* `size` bytes from `at` on, counted from the first piece, become `bytes`; what lies outside the pieces is left out. */
void etl_pieces_patch(etl_pieces *list, uint64_t at, const uint8_t *bytes, size_t size);

/* layout.c */

/* Compresses `inflated`, works out how many bytes the buffer takes, and brings its two headers up to date. */
void etl_layout_compress(etl_model_buffer *buffer);
/* Where each buffer starts in the file. */
void etl_layout_place_buffers(etl_model *model);

static inline uint32_t etl_align8_up(uint32_t n)
{
    return (n + 7u) & ~7u;
}

#endif
