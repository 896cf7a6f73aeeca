/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that a mutator keeps from call to call.
 */
#ifndef ETLPROOF_MUTATOR_CORE_H
#define ETLPROOF_MUTATOR_CORE_H

#include "draft.h"
#include "mutator.h"

/* The description of the edits; cut off where it gets too long. All zero is empty. */
typedef struct mutator_edit_log {
    char at[1024];
    size_t size;
} mutator_edit_log;

struct mutator_core {
    input_kind input;
    mutator_draft *draft, *other; /* `other` is for crossing */
    mutator_edit_log log;
};

#endif
