/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where buffers, events and items are after a patch that cuts, inserts, removes or moves bytes.
 */
#ifndef ETLPROOF_PATCHED_PLACES_H
#define ETLPROOF_PATCHED_PLACES_H

#include "expect/outcome_plan.h"

/*
 * Moves the places and sizes in `model` as the patch moves the bytes. In `outcomes`, one for each buffer, marks what the
 * patch removes as gone and what it cuts in two as lost. False with `*why` set if the patch moves bytes that are no event.
 */
bool build_patched_places(build_model *model, build_buffer_outcome *outcomes, const build_patch *patch, const char **why);

#endif
