/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends a target in which a promise was broken. Called by all targets after each decode.
 */
#ifndef ETLPROOF_TARGETS_BROKEN_PROMISE_H
#define ETLPROOF_TARGETS_BROKEN_PROMISE_H

#include "oracle.h"

/* Ends the process if a promise was broken, and prints which. `how` names one of several decodes; NULL: the only one. */
void target_hold(const oracle_watch *oracle, const char *how);

#endif
