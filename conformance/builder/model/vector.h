/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector: a laid-out trace or a structure in memory, its one patch, and what the recipe says a decoder must make of it.
 */
#ifndef ETLPROOF_VECTOR_H
#define ETLPROOF_VECTOR_H

#include "memory/memory_structure.h"
#include "image/image.h"

typedef enum build_vector_verdict { BUILD_VECTOR_ACCEPT, BUILD_VECTOR_REJECT, BUILD_VECTOR_EITHER } build_vector_verdict;

/* A place: a file offset, or one in the inflated bytes of `inflated`. */
typedef struct build_place {
    const build_model_buffer *inflated; /* NULL: the file */
    uint64_t offset;
    build_position spot;
} build_place;

typedef struct build_claimed_finding {
    etl_rule rule;
    build_place place;
    char *node;              /* name of its event or buffer; NULL: not said */
    char *expected, *actual; /* texts; NULL: not said */
    bool has_lost;
    uint64_t lost;
    int action; /* enum etl_action; -1: not said */
} build_claimed_finding;

typedef enum build_claim_kind {
    BUILD_CLAIM_LOST,      /* `node`, an event or a buffer, is not read; its bytes are of region `region` */
    BUILD_CLAIM_LOST_FROM, /* the event `node` is read up to `from`; the rest of it is damaged */
    BUILD_CLAIM_OPAQUE,    /* the event `node` is kept whole, undecoded */
    BUILD_CLAIM_MUST,      /* recovering `node` is asked for */
    BUILD_CLAIM_SHOULD,    /* recovering `node` is wished for */
    BUILD_CLAIM_EXPECT,    /* `field` of the record of `node`, or of "trace" or "end", is `value` */
    BUILD_CLAIM_REGION,    /* the bytes from `from` up to `to` are of region `region` */
    BUILD_CLAIM_ORDER      /* `node` comes next in the order of events; any ORDER claim replaces the order of the trace */
} build_claim_kind;

/* A value of a record's field, as JSON text: "12", "\"0x13\"", "[…]"; NULL: the field is absent. */
typedef char *build_claim_value;

typedef struct build_claim {
    build_claim_kind kind;
    char *node;
    char *field;
    build_claim_value value;
    build_place from, to;
    etl_region_kind region;
} build_claim;

typedef struct build_vector {
    char *id, *title, *source;
    char *recipe; /* "size/event-header.recipe:12": where it is written */
    etl_rule rule;
    bool must; /* level */
    bool tells;
    build_vector_verdict verdict;
    const char *flag;         /* a text of flags.def, or NULL */
    char *place;              /* what the patch changes, as the recipe spells it; NULL without patch */
    build_model *model;       /* laid out, not patched; NULL for a structure in memory */
    const build_memory *dump; /* not patched; NULL for a trace */
    build_patch patch;
    build_claimed_finding *findings;
    size_t finding_count;
    build_claim *claims;
    size_t claim_count;
} build_vector;

#endif
