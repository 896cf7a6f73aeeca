/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_segments: the memory that holds the bytes of a buffer or event, in the order of writing. The order is stated
 * here once: the layout sums up sizes of segments, the image writes them, and a patch changes the model through them.
 */
#ifndef ETLPROOF_SEGMENTS_H
#define ETLPROOF_SEGMENTS_H

#include "model/model.h"

typedef enum build_segment_group {
    BUILD_SEGMENT_HEADER,
    BUILD_SEGMENT_ITEMS,
    BUILD_SEGMENT_DATA,
    BUILD_SEGMENT_PADDING,
    BUILD_SEGMENT_GROUPS
} build_segment_group;

/* At most one of `bytes`, `number` and `chunk` is set; without any, the segment is all `fill`. */
typedef struct build_segment {
    build_segment_group group;
    uint32_t size;
    uint8_t *bytes;
    void *number;       /* uint32_t or uint64_t, by `size` */
    build_chunk *chunk; /* its first bytes; `fill` follows */
    uint8_t fill;
} build_segment;

typedef struct build_segments {
    build_segment *at;
    size_t count, capacity;
} build_segments;

/* Each appends. The list holds pointers into the model. */
void build_segments_add_event(build_segments *list, build_model_event *event);
/* Appends a buffer that is laid out, as stored or as inflated. */
void build_segments_add_buffer(build_segments *list, build_model_buffer *buffer, bool inflated);
void build_segments_free(build_segments *list);

void build_segments_write(const build_segments *list, build_chunk *out);
/* Overwrites `size` bytes at offset `at`, counted from the first segment; ignores bytes outside the segments. */
void build_segments_patch(build_segments *list, uint64_t at, const uint8_t *bytes, size_t size);

/* The next multiple of 8, to which events and items are padded. */
static inline uint32_t build_align8_up(uint32_t n)
{
    return (n + 7u) & ~7u;
}

#endif
