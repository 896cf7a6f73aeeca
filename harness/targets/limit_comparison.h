/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decode beside one of the same bytes under tighter limits: what that gives of a buffer the other has to give too. Only
 * where buffers are compressed can limits be reached.
 */
#ifndef ETLPROOF_LIMITED_H
#define ETLPROOF_LIMITED_H

#include "target_run.h"

/* Whether limits can matter to the buffer that `run` has come to. */
bool target_is_limited(const target_run *run);

/* What a run starts with beside its file and its limits. */
typedef void target_run_prepare(target_run *run, const void *context);

/* `prepare` may be NULL. Goes up to where the two find different buffers, if they do; a broken promise ends the process. */
void target_hold_limits(etl_span file, target_run_prepare *prepare, const void *context);

#endif
