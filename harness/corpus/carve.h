/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes inputs of the fuzz targets, as input/fuzz_input.h defines them, from traces.
 */
#ifndef ETLPROOF_CORPUS_CARVE_H
#define ETLPROOF_CORPUS_CARVE_H

#include <stdbool.h>

#include "etlproof/etlproof.h"

#include "fuzz_input.h"

/* Takes one input, of `size` bytes that are valid until it returns. False ends the carving. */
typedef bool carve_take(void *context, input_kind input, const uint8_t *bytes, size_t size);

/*
 * Hands out every part of the trace that decodes: the file, each buffer, event, chain of items, logfile header, message and
 * XPRESS stream, and the clock with the first time stamps. False if `take` returned it, or there is no memory.
 */
bool carve_file(etl_span file, carve_take *take, void *context);

/* Hands out inputs that no trace has: a structure in memory of each layout, all zeros. False if `take` returned it. */
bool carve_layouts(carve_take *take, void *context);

/* The same for one layout and the given bytes, cut to the size of the structure. */
bool carve_structure(etl_memory_layout layout, etl_span bytes, carve_take *take, void *context);

#define CARVE_TEXT_MAX 256u /* bytes of a text in a line, including the NUL */

/* The layout of a structure in memory, from a line of expectations. */
typedef struct carve_vector_line {
    char id[CARVE_TEXT_MAX];
    etl_memory_layout layout;
} carve_vector_line;

/* False if the line's vector is not a structure in memory, or its layout is unknown. */
bool carve_read_line(etl_span line, carve_vector_line *vector);

#endif
