/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector as its file: the JSON that goes beside the .etl or .bin. It is made from what was written and the claims of the
 * recipe alone.
 */
#ifndef ETLPROOF_EXPECT_H
#define ETLPROOF_EXPECT_H

#include "model/vector.h"

/*
 * Makes `image`, the file, and `json`, what is expected of it; both are the caller's to free. `sha256` is the lower-case
 * hex of the image's hash and is asked for once the image is done. False with `*why` set if patch, places or claims do not
 * fit the trace; the text holds until the next call in the same thread, and `*where` is what of the recipe is at fault,
 * line 0 if no spot of it can be told.
 */
bool build_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                           build_chunk *image, build_chunk *json, const char **why, build_position *where);

#endif
