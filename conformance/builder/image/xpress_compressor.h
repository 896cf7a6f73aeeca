/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An XPRESS (MS-XCA plain LZ77) compressor. The modes exist to produce every form of token, not the smallest stream.
 */
#ifndef ETLPROOF_XPRESS_COMPRESSOR_H
#define ETLPROOF_XPRESS_COMPRESSOR_H

#include "model/model.h"

/*
 * Appends the stream of `size` bytes, fewer than 2^32 - 1, to `out`. `mode` is LITERAL, GREEDY or LAZY. The longest match
 * is chosen among the nearest 256 places with the same hash of three bytes, so that the time is linear in `size`.
 */
void build_xpress_compress(const uint8_t *bytes, size_t size, build_model_compression mode, build_chunk *out);

#endif
