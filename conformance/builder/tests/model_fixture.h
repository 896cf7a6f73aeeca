/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces for the tests of models and images, and access to their bytes.
 */
#ifndef ETLPROOF_MODEL_FIXTURE_H
#define ETLPROOF_MODEL_FIXTURE_H

#include "image/image.h"
#include "model/version_shape.h"
#include "test.h"

static inline uint64_t number_at(const build_chunk *image, size_t at, size_t size)
{
    uint64_t value = 0;
    CHECK(at + size <= image->size);
    for (size_t i = 0; i < size && at + i < image->size; i++)
        value |= (uint64_t)image->at[at + i] << 8 * i;
    return value;
}

static inline build_structure *part_of(build_model *model, const char *name, const char *member)
{
    build_model_node node;
    if (!build_version_find(model, name, &node))
        return NULL;
    return build_model_structure(&node, member);
}

static inline void set(build_model *model, const char *name, const char *member, uint64_t value)
{
    build_structure *part = part_of(model, name, member);
    CHECK(part != NULL && build_structure_set(part, member, value));
}

static inline uint64_t get(build_model *model, const char *name, const char *member)
{
    build_structure *part = part_of(model, name, member);
    CHECK(part != NULL);
    return part == NULL ? 0 : build_structure_get(part, member);
}

static inline build_model_event *event_of(build_model *model, const char *name)
{
    build_model_node node;
    CHECK(build_version_find(model, name, &node) && node.event != NULL);
    return node.event;
}

/* A trace of the header buffer and a buffer "b" with three events of `type`, of 1, 8 and 13 bytes of data. */
static inline build_model *small_trace(uint8_t type)
{
    build_model *model = build_model_new(8);
    const size_t b = build_model_add_buffer(model, "b");
    build_chunk_fill(&build_model_add_event(model, b, "first", type)->data, 0x11, 1);
    build_chunk_fill(&build_model_add_event(model, b, "second", type)->data, 0x22, 8);
    build_chunk_fill(&build_model_add_event(model, b, "third", type)->data, 0x33, 13);
    return model;
}

/* A trace with two compressed buffers, spare bytes after the first, and a tail. */
static inline build_model *compressed_trace(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_EVENT_HEADER64);
    model->buffers[1].compression = BUILD_MODEL_GREEDY;
    build_chunk_fill(&model->buffers[1].spare, 0xAB, 3);
    const size_t c = build_model_add_buffer(model, "c");
    model->buffers[c].compression = BUILD_MODEL_LITERAL;
    build_chunk_fill(&build_model_add_event(model, c, "last", ETL_HEADER_TYPE_PERFINFO32)->data, 0x77, 0x500);
    const size_t tail = build_model_add_raw_buffer(model, "tail", ETL_REGION_TAIL);
    build_chunk_fill(&model->buffers[tail].raw, 0x99, 10);
    return model;
}

#endif
