/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An XPRESS (MS-XCA plain LZ77) compressor. Its output is what the modes say, not the smallest: vectors want every form of
 * token, not ratio.
 */
#ifndef ETLPROOF_XPRESS_H
#define ETLPROOF_XPRESS_H

#include "model/model.h"

/*
 * Appends the stream of `size` bytes, fewer than 2^32 - 1, to `out`. `mode` is not BUILD_MODEL_PLAIN. The longest match is
 * that of the nearest 256 places where three bytes agree or hash alike, so that the time is linear in `size` for any bytes.
 */
void build_xpress_compress(const uint8_t *bytes, size_t size, build_model_compression mode, build_chunk *out);

#endif
