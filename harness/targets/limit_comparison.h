/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decode beside a decode of the same bytes under tighter limits: every event that the second finds in a buffer, the
 * first must find too. Only compressed buffers can reach a limit.
 */
#ifndef ETLPROOF_TARGETS_LIMIT_COMPARISON_H
#define ETLPROOF_TARGETS_LIMIT_COMPARISON_H

#include "target_run.h"

/* Whether limits can matter to the current buffer of `run`. */
bool target_is_limited(const target_run *run);

/* Sets up a run besides its file and limits. */
typedef void target_run_prepare(target_run *run, const void *context);

/* `prepare` may be NULL. Stops at the first buffer that differs in the two decodes; a broken promise ends the process.
   */
void target_hold_limits(etl_span file, target_run_prepare *prepare, const void *context);

#endif
