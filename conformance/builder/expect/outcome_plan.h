/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_outcome_plan: what a reader must decode of each buffer and event of a vector. It joins the built trace, the places
 * that the patch has moved or removed, and the claims of the recipe. Records, regions and totals are written from it.
 */
#ifndef ETLPROOF_OUTCOME_PLAN_H
#define ETLPROOF_OUTCOME_PLAN_H

#include "expect/event_view.h"
#include "model/vector.h"

typedef struct build_event_outcome {
    bool gone; /* no byte of it is left */
    bool lost; /* its bytes are there, but not decoded: they are of region `region` */
    bool opaque, should;
    etl_region_kind region;
    uint32_t readable;     /* its bytes that are not lost; UINT32_MAX for all */
    uint64_t index;        /* among the decoded events, from 0; that of the next one if it is not decoded itself */
    build_event_view view; /* if it is decoded */
} build_event_outcome;

typedef struct build_buffer_outcome {
    bool gone, lost, should;
    etl_region_kind region;
    uint64_t index;              /* among the decoded buffers, as an event's */
    build_event_outcome *events; /* as in the model */
    size_t *order;               /* indices of events in the order in which they are decoded */
    const build_session *session;
    uint32_t extent; /* as the decoder reports it */
} build_buffer_outcome;

typedef struct build_outcome_plan {
    const build_vector *vector;
    build_model *model;       /* the vector's model after the patch: places and sizes are those in the image */
    const build_chunk *image; /* after the patch */
    build_buffer_outcome *buffers;
    build_session none, session; /* before and after the logfile header */
    build_position position;     /* in the recipe: the statement at fault if build_outcome_plan_make fails */
} build_outcome_plan;

/*
 * `model` is a copy of the vector's model after build_image_patch, as `image` is; places and sizes in it become those in
 * the image. build_outcome_plan_free frees neither. False with `*why` set if patch and claims do not fit together.
 */
bool build_outcome_plan_make(build_outcome_plan *plan, const build_vector *vector, build_model *model,
                             const build_chunk *image, const char **why);
void build_outcome_plan_free(build_outcome_plan *plan);

/* Whether a buffer, or an event of it, is decoded: it is neither raw bytes, gone nor lost. */
bool build_outcome_plan_decodes_buffer(const build_outcome_plan *plan, size_t b);
bool build_outcome_plan_decodes_event(const build_outcome_plan *plan, size_t b, size_t i);

/* The bytes that hold a buffer's events: those of the file, or inflated ones. */
build_span build_outcome_plan_span(const build_outcome_plan *plan, const build_model_buffer *buffer);

/* A place of the recipe as an offset after the patch, in the file or inflated. A place that a cut removes is the new end.
 */
uint64_t build_outcome_plan_place(const build_outcome_plan *plan, const build_place *place);
/* False with `*why` set if the place is outside the bytes. Asked for every place before any is used. */
bool build_outcome_plan_has_place(const build_outcome_plan *plan, const build_place *place, const char **why);

#endif
