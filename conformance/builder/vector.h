/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector: a laid-out trace or a structure in memory, its one patch, and what the recipe says a decoder must make of it.
 */
#ifndef ETLPROOF_VECTOR_H
#define ETLPROOF_VECTOR_H

#include "dump.h"
#include "image.h"

typedef enum etl_vector_verdict { ETL_VECTOR_ACCEPT, ETL_VECTOR_REJECT, ETL_VECTOR_EITHER } etl_vector_verdict;

/* A place: a file offset, or one in the inflated bytes of `inflated`. */
typedef struct etl_place {
    const etl_model_buffer *inflated; /* NULL: the file */
    uint64_t offset;
    etl_spot spot;
} etl_place;

typedef struct etl_claimed_finding {
    etl_rule rule;
    etl_place place;
    char *node;               /* name of its event or buffer; NULL: not said */
    char *expected, *actual;  /* texts; NULL: not said */
    bool has_lost;
    uint64_t lost;
    int action;               /* enum etl_action; -1: not said */
} etl_claimed_finding;

typedef enum etl_claim_kind {
    ETL_CLAIM_LOST,      /* `node`, an event or a buffer, is not read; its bytes are of region `region` */
    ETL_CLAIM_LOST_FROM, /* the event `node` is read up to `from`; the rest of it is damaged */
    ETL_CLAIM_OPAQUE,    /* the event `node` is kept whole, undecoded */
    ETL_CLAIM_MUST,      /* recovering `node` is asked for */
    ETL_CLAIM_SHOULD,    /* recovering `node` is wished for */
    ETL_CLAIM_EXPECT,    /* `field` of the record of `node`, or of "trace" or "end", is `value` */
    ETL_CLAIM_REGION,    /* the bytes from `from` up to `to` are of region `region` */
    ETL_CLAIM_ORDER      /* `node` comes next in the order of events; any ORDER claim replaces the order of the trace */
} etl_claim_kind;

/* A value of a record's field, as JSON text: "12", "\"0x13\"", "[…]"; NULL: the field is absent. */
typedef char *etl_claim_value;

typedef struct etl_claim {
    etl_claim_kind kind;
    char *node;
    char *field;
    etl_claim_value value;
    etl_place from, to;
    etl_region_kind region;
} etl_claim;

typedef struct etl_vector {
    char *id, *title, *source;
    char *recipe;             /* "size/event-header.recipe:12": where it is written */
    etl_rule rule;
    bool must;                /* level */
    bool tells;
    etl_vector_verdict verdict;
    const char *flag;         /* a text of flags.def, or NULL */
    char *place;              /* what the patch changes, as the recipe spells it; NULL without patch */
    etl_model *model;         /* laid out, not patched; NULL for a structure in memory */
    const etl_dump *dump;     /* not patched; NULL for a trace */
    etl_patch patch;
    etl_claimed_finding *findings;
    size_t finding_count;
    etl_claim *claims;
    size_t claim_count;
} etl_vector;

#endif
