/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many bytes of a well-formed XPRESS stream it takes to inflate to a given size. Only lengths are read; nothing is
 * inflated.
 */
#ifndef ETLPROOF_XPRESS_STREAM_LENGTH_H
#define ETLPROOF_XPRESS_STREAM_LENGTH_H

#include "model/chunk.h"

/* All bytes but a final flag word that no token needs. */
uint32_t build_xpress_stream_length(const build_chunk *stream, uint64_t output);

#endif
