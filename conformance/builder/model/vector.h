/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_vector: one file as a recipe describes it. It has a laid-out trace or a structure in memory, at most one patch
 * with further faults beside it, and
 * claims: the parts of the expected decode that do not follow from the trace. The recipe parser makes vectors;
 * expect/expected_decode.h turns each into a file and its expected decode.
 */
#ifndef ETLPROOF_VECTOR_H
#define ETLPROOF_VECTOR_H

#include "memory/memory_structure.h"
#include "model/patch.h"

typedef enum build_vector_verdict { BUILD_VECTOR_ACCEPT, BUILD_VECTOR_REJECT, BUILD_VECTOR_EITHER } build_vector_verdict;

/* An offset in the file, or in the inflated bytes of `inflated`. */
typedef struct build_place {
    const build_model_buffer *inflated; /* NULL: the file */
    uint64_t offset;
    build_position position;
} build_place;

typedef struct build_claimed_finding {
    etl_rule rule;
    build_place place;
    char *node;              /* name of its event or buffer; NULL if the recipe names none */
    char *expected, *actual; /* NULL if the recipe leaves them open */
    bool has_no_values;      /* neither `expected` nor `actual` may be reported */
    bool has_lost;
    uint64_t lost;
    int action; /* enum etl_action; -1 if the recipe leaves it open */
} build_claimed_finding;

typedef enum build_claim_kind {
    BUILD_CLAIM_LOST,      /* the event or buffer `node` is not decoded; its bytes are of region `region` */
    BUILD_CLAIM_LOST_FROM, /* the event `node` is decoded up to `from`; the rest of it is damaged */
    BUILD_CLAIM_OPAQUE,    /* the event `node` is kept whole, undecoded */
    BUILD_CLAIM_MUST,      /* a reader must recover `node` */
    BUILD_CLAIM_SHOULD,    /* a reader should recover `node` */
    BUILD_CLAIM_EXPECT,    /* `field` in the record of `node`, or of "trace" or "end", is `value` */
    BUILD_CLAIM_REGION,    /* the bytes from `from` up to `to` are of region `region` */
    BUILD_CLAIM_ORDER      /* `node` is the next event; any ORDER claim replaces the order of the trace */
} build_claim_kind;

typedef struct build_claim {
    build_claim_kind kind;
    char *node;
    char *field;
    char *value; /* JSON text: "12", "\"0x13\"", "[…]"; NULL: the field is absent */
    build_place from, to;
    etl_region_kind region;
} build_claim;

enum { BUILD_ALSO_MOST = 8 };

typedef struct build_vector {
    char *id, *title, *source;
    char *recipe; /* where it is written: "size/event-header.recipe:12" */
    etl_rule rule;
    bool must;  /* the level: must, else should */
    bool tells; /* whether it shows if a reader follows its STRUCTURE rule */
    build_vector_verdict verdict;
    const char *flag;           /* a name of flags.def, or NULL */
    const char *metadata;       /* a name of metadata.def; NULL unless the vector is about payloads */
    char *place;                /* what the patch changes, as the recipe spells it; NULL without a patch */
    build_model *model;         /* laid out, not patched; NULL for a structure in memory */
    const build_memory *memory; /* not patched; NULL for a trace */
    build_patch patch;
    build_patch also[BUILD_ALSO_MOST]; /* further faults, each of kind BYTES, made before the patch */
    size_t also_count;
    build_claimed_finding *findings;
    size_t finding_count;
    build_claim *claims;
    size_t claim_count;
} build_vector;

#endif
