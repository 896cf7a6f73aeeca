/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a trace apart into inputs of the fuzz targets, as input/fuzz_input.h has them.
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

/* Hands out what no trace has: a structure in memory of each layout, all zeros. False if `take` returned it. */
bool carve_layouts(carve_take *take, void *context);

/* The same of a layout that there is, of the bytes given, as many of them as the structure has at most. */
bool carve_structure(etl_memory_layout layout, etl_span bytes, carve_take *take, void *context);

/* Which layout a vector's JSON says that its bytes are of. False if it says none. */
bool carve_layout_of(etl_span json, etl_memory_layout *layout);

#endif
