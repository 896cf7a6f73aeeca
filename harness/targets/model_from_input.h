/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input to the model of a well-formed trace: each choice takes the next byte or bytes; behind the last byte all are 0.
 * Called by fuzz_build.
 */
#ifndef ETLPROOF_MADE_H
#define ETLPROOF_MADE_H

#include "etlproof/bytes.h"
#include "model.h"

/* Laid out, so that it can be written. The caller frees it. */
build_model *target_made_model(etl_span choices);

#endif
