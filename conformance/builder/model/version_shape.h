/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Windows version in the first logfile header decides: the shape of buffer headers and INSTANCE events, and the
 * sub-version of the logfile header.
 */
#ifndef ETLPROOF_VERSION_SHAPE_H
#define ETLPROOF_VERSION_SHAPE_H

#include "model/model.h"

/* SubVersion << 8 | SubMinorVersion from which INSTANCE is EVENT_INSTANCE_GUID_HEADER. Source: TYP-003, phnt ntwmi.h. */
enum { BUILD_SUB_VERSION_INSTANCE_GUID = 0x0101 };

/* A value of enum etl_windows_version; the latest one if `logfile` is NULL or has no known MajorVersion. */
uint32_t build_version_of_logfile(const build_structure *logfile);
/* The version of the first logfile header. */
uint32_t build_version_windows(const build_model *model);
/* SubVersion << 8 | SubMinorVersion as the layout will write them in `logfile`, which may be NULL. */
uint32_t build_version_sub_version(const build_model *model, const build_structure *logfile);
etl_structure_id build_version_buffer_header(uint32_t windows);
etl_layout build_version_event_layout(const build_model *model, uint8_t header_type);

/* Converts the headers of one node, or of all, to the shapes that the version asks for. */
void build_version_apply_to_node(const build_model *model, const build_model_node *node);
void build_version_apply(build_model *model);
/*
 * As build_model_find, but converts the node that is found. While a recipe sets the members of a version one by one, the
 * version is another for a while, so that only nodes that are asked for are converted.
 */
bool build_version_find(build_model *model, const char *name, build_model_node *node);

#endif
