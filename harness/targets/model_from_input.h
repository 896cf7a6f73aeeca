/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input to the model of a well-formed trace: each choice takes the next byte or bytes; behind the last byte all are 0.
 * Called by fuzz_build.
 */
#ifndef ETLPROOF_TARGETS_MODEL_FROM_INPUT_H
#define ETLPROOF_TARGETS_MODEL_FROM_INPUT_H

#include "etlproof/bytes.h"
#include "image/file_layout.h"

/* Laid out, so that it can be written. The caller frees it. */
build_model *target_model_from_input(etl_span choices);

#endif
