/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mutator holds from call to call.
 */
#ifndef ETLPROOF_STATE_H
#define ETLPROOF_STATE_H

#include "draft.h"
#include "mutator.h"

/* What was done, for people; cut where it gets too long. All zero is empty. */
typedef struct mutator_edit_log {
    char at[1024];
    size_t size;
} mutator_edit_log;

struct mutator_core {
    input_kind input;
    mutator_draft *draft, *other; /* `other` is for crossing */
    mutator_edit_log text;
};

#endif
