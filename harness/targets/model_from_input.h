/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an input into the model of a well-formed trace: each choice takes the next byte or bytes, which are 0 after the
 * end of the input. Called by fuzz_build.
 */
#ifndef ETLPROOF_TARGETS_MODEL_FROM_INPUT_H
#define ETLPROOF_TARGETS_MODEL_FROM_INPUT_H

#include "etlproof/bytes.h"
#include "image/file_layout.h"

/* The model is laid out, ready to be written. The caller frees it. */
build_model *target_model_from_input(etl_span choices);

#endif
