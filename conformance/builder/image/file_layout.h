/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout: fills in every size, place and header member of a model that the recipe leaves open.
 */
#ifndef ETLPROOF_FILE_LAYOUT_H
#define ETLPROOF_FILE_LAYOUT_H

#include "model/model.h"

/*
 * Works out, in this order: versions and shapes, sizes of items and events, places, buffer headers, logfile header.
 * Defaults are those of a well-formed file of Windows 10.0.19041, clock PERFCOUNTER, buffers of 0x400 bytes, or more where
 * the events need it. Can be called again after changes.
 *
 * A given BufferSize is followed if the buffer fits: that of a plain buffer for the buffer, that of the logfile header for
 * the plain buffers of a file without compressed ones. All other given members are written, but move nothing.
 * The bits EXTENDED_INFO, PEBS_INDEX and PMC_COUNT are set where the contents need them, even in a given word.
 */
void build_model_lay_out(build_model *model);

/* Compresses `inflated`, works out the stored size, and brings both copies of the buffer's header up to date. */
void build_file_layout_compress(build_model_buffer *buffer);
/* Sets where each buffer starts in the file. */
void build_file_layout_place_buffers(build_model *model);

#endif
