/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Well-formed traces, made up from bytes: each choice takes the next byte or bytes, and all are 0 behind the last.
 */
#ifndef ETLPROOF_MADE_H
#define ETLPROOF_MADE_H

#include "etlproof/bytes.h"
#include "image/file_layout.h"

/* Laid out. The caller frees it. */
build_model *target_made_model(etl_span choices);

#endif
