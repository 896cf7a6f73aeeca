/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image: the bytes of a laid-out trace as a file.
 */
#ifndef ETLPROOF_IMAGE_H
#define ETLPROOF_IMAGE_H

#include "image/file_layout.h"
#include "model/patch.h"

/* The file as laid out. The caller frees the chunk. */
build_chunk build_image_make(const build_model *model);

/*
 * Applies the patch to the image and, for BUILD_PATCH_BYTES, to the members of the model that hold the changed bytes;
 * sizes and places stay as laid out. After a change of inflated bytes, the buffer is compressed anew, and the buffers
 * after it move. False with `*why` set if the patch reaches beyond the file; the text is valid until the next call in
 * the same thread. `patch->inflated` may be a buffer of another copy of the model; the name decides.
 */
bool build_image_patch(build_chunk *image, build_model *model, const build_patch *patch, const char **why);

#endif
