/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources of the model share with each other and nobody else.
 */
#ifndef ETLPROOF_BUILDER_INTERNAL_H
#define ETLPROOF_BUILDER_INTERNAL_H

#include "model/model.h"

/* part.c */

build_structure build_structure_make(etl_structure_id structure);
/* Set a member unless the caller has, and leave it not given. Nothing happens where the structure has no such member. */
void build_structure_fill(build_structure *part, const char *member, uint64_t value);
/* The first `size` bytes of it. */
void build_structure_fill_bytes(build_structure *part, const char *member, const uint8_t *bytes, size_t size);
/* The part becomes a copy of `shape`, but for the members of the same name, which keep their values. */
void build_structure_convert(build_structure *part, const build_structure *shape);

/* shape.c: what follows from the version of the logfile */

/* The part with the version: the first logfile header in the file; NULL if there is none. */
const build_structure *build_model_first_logfile(const build_model *model);
/* The enum etl_windows_version; a MajorVersion of no row of windows.def is the latest. */
uint32_t build_version_windows(const build_model *model);
bool build_model_has_compressed(const build_model *model);
/* SubVersion and SubMinorVersion as they will be written in `logfile`, or in a trace without one. */
uint32_t build_version_sub_version(const build_model *model, const build_structure *logfile);
etl_structure_id build_version_buffer_header(const build_model *model);
etl_layout build_version_event_layout(const build_model *model, uint8_t type);
/* Whether a PEBS index and performance counters may follow the header. */
bool build_event_layout_has_counters(etl_layout layout);
/* Gives a node, or all structures, the shape that the version asks for. */
void build_version_apply_to_node(const build_model *model, const build_model_node *node);
void build_version_apply(build_model *model);

/* default.c: what a member is that nobody sets and no layout works out; `number` makes one event differ from the next */

enum { BUILD_DEFAULT_ALIGNMENT = 8 }; /* of WMI_CLIENT_CONTEXT, on every processor ever seen */
build_structure build_default_buffer(etl_structure_id structure);
build_structure build_default_event(etl_layout layout, uint32_t number);
build_structure build_default_logfile(uint8_t pointer_size);
build_message_fields build_default_message_fields(uint32_t number);
void build_default_names(build_chunk *names);
/* The build of a Windows version. */
uint32_t build_default_build(uint32_t windows);
int64_t build_default_clock_start(const build_structure *logfile, uint32_t windows);

/* piece.c: the memory behind the bytes of a buffer or event, in the order in which they are written */

typedef enum build_segment_group {
    BUILD_SEGMENT_HEADER,
    BUILD_SEGMENT_ITEMS,
    BUILD_SEGMENT_DATA,
    BUILD_SEGMENT_PADDING,
    BUILD_SEGMENT_GROUPS
} build_segment_group;

/* One of `bytes`, `number`, `chunk`, or none of them: `fill` alone. */
typedef struct build_segment {
    build_segment_group group;
    uint32_t size;
    uint8_t *bytes;
    void *number;       /* uint32_t or uint64_t, by `size` */
    build_chunk *chunk; /* the first bytes; `fill` follow */
    uint8_t fill;
} build_segment;

typedef struct build_segments {
    build_segment *at;
    size_t count, room;
} build_segments;

/* Each appends. The list holds pointers into the model. */
void build_segments_add_event(build_segments *list, build_model_event *event);
/* As it lies in the file, or as it inflates. The buffer is laid out. */
void build_segments_add_buffer(build_segments *list, build_model_buffer *buffer, bool inflated);
void build_segments_free(build_segments *list);
void build_segments_write(const build_segments *list, build_chunk *out);
/* `size` bytes from `at` on, counted from the first piece, become `bytes`; what lies outside the pieces is left out. */
void build_segments_patch(build_segments *list, uint64_t at, const uint8_t *bytes, size_t size);

/* layout.c */

/* Compresses `inflated`, works out how many bytes the buffer takes, and brings its two headers up to date. */
void build_file_layout_compress(build_model_buffer *buffer);
/* Where each buffer starts in the file. */
void build_file_layout_place_buffers(build_model *model);

static inline uint32_t build_align8_up(uint32_t n)
{
    return (n + 7u) & ~7u;
}

#endif
