/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector's two files: the .etl or .bin, and the JSON with its expected decode. The JSON follows from what was built
 * and from the claims of the recipe, never from a decoder.
 */
#ifndef ETLPROOF_EXPECTED_DECODE_H
#define ETLPROOF_EXPECTED_DECODE_H

#include "model/vector.h"

/*
 * Makes `image`, the file, and `json`, its expected decode; the caller frees both. `sha256` is called once the image is
 * done, and gives the lower-case hex of its hash. False with `*why` set if patch, places or claims do not fit the trace;
 * the text is valid until the next call in the same thread. `*where` is then the fault's position in the recipe, line 0 if
 * unknown.
 */
bool build_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                           build_chunk *image, build_chunk *json, const char **why, build_position *where);

#endif
