/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of each buffer and event of a vector: where the patch has left it, and what the recipe claims of it.
 */
#ifndef ETLPROOF_FATE_H
#define ETLPROOF_FATE_H

#include "model/vector.h"
#include "expect/event_view.h"

typedef struct build_event_outcome {
    bool gone; /* no byte of it is left */
    bool lost; /* its bytes are there, and of region `region` */
    bool opaque, should;
    etl_region_kind region;
    uint32_t readable;        /* bytes that are not lost; UINT32_MAX: all */
    uint64_t index;           /* from 0 among the events that are read; of one that is not: that of the next */
    build_event_view written; /* if neither gone nor lost */
} build_event_outcome;

typedef struct build_buffer_outcome {
    bool gone, lost, should;
    etl_region_kind region;
    uint64_t index;              /* as an event's */
    build_event_outcome *events; /* as in the model */
    size_t *order;               /* of the events as they are found */
    const build_session *session;
    uint32_t extent; /* as a decoder reports it */
} build_buffer_outcome;

typedef struct build_outcome_plan {
    const build_vector *vector;
    build_model *model; /* of the vector as the patch has left it: places and sizes are those in the image */
    const build_chunk *image;
    build_buffer_outcome *buffers;
    build_session none, session; /* before and after the logfile header */
    build_position where;        /* what of the recipe is at fault, if build_outcome_plan_make is false */
} build_outcome_plan;

/*
 * `model` is a copy of the vector's that has seen build_image_patch, as `image` has; places and sizes in it are changed to
 * those in the image. build_outcome_plan_free frees neither. False with `*why` set if patch and claims do not fit together.
 */
bool build_outcome_plan_make(build_outcome_plan *fates, const build_vector *vector, build_model *model,
                             const build_chunk *image, const char **why);
void build_outcome_plan_free(build_outcome_plan *fates);

/* The bytes in which a buffer's events are: those of the file, or inflated ones. */
build_span build_outcome_plan_span(const build_outcome_plan *fates, const build_model_buffer *buffer);

/*
 * A place that the recipe names, as an offset in the file or in inflated bytes after the patch. What a cut takes away is
 * where they end now.
 */
uint64_t build_outcome_plan_place(const build_outcome_plan *fates, const build_place *place);
/* Whether there is such a place; false with `*why` set. Asked for all places before any is used. */
bool build_outcome_plan_has_place(const build_outcome_plan *fates, const build_place *place, const char **why);
/* The number of a buffer of the vector's model, or of another copy of it. */
size_t build_outcome_plan_buffer(const build_outcome_plan *fates, const build_model_buffer *buffer);

/* Says that something is wrong with `node`, in a text that holds until the next call in the same thread. False. */
bool build_complain(const char **why, const char *node, const char *text);

/* edit.c: moves what a patch moves. Marks as gone what it takes away, and as lost what it cuts in two. */
bool build_outcome_plan_move_places(build_outcome_plan *fates, const char **why);

#endif
