/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_span: a run of built bytes, and numbers and structures read from it. Places are known from the model, so that
 * nothing is searched or guessed here; the decoder's span.h is not used.
 */
#ifndef ETLPROOF_BYTE_SPAN_H
#define ETLPROOF_BYTE_SPAN_H

#include "model/structure_bytes.h"

typedef struct build_span {
    const uint8_t *at;
    size_t size;
} build_span;

/* `size` bytes from `at` on, or as many of them as there are. */
build_span build_span_slice(build_span bytes, size_t at, size_t size);
/* A little-endian number of up to 8 bytes, all within the span. */
uint64_t build_span_number(build_span bytes, size_t at, size_t size);

/*
 * The structure at the start of `bytes`. Numbers and GUIDs that are not wholly there are 0, also in nested structures; of a
 * text, the whole characters that are there count.
 */
build_structure build_structure_read(etl_structure_id id, build_span bytes);

#endif
