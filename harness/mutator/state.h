/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mutator holds from call to call.
 */
#ifndef ETLPROOF_STATE_H
#define ETLPROOF_STATE_H

#include "draft.h"
#include "mutator.h"

/* What was done, for people; cut where it gets too long. All zero is empty. */
typedef struct etl_text {
    char at[1024];
    size_t size;
} etl_text;

struct etl_mutator {
    etl_input input;
    etl_draft *draft, *other; /* `other` is for crossing */
    etl_text text;
    struct etl_trim *trim;    /* owned by trim.c; NULL as long as nothing was trimmed */
    void (*free_trim)(struct etl_trim *trim);
};

#endif
