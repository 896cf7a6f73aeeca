/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of members that the recipe leaves open and that no layout works out: those of a well-formed file of Windows 10.
 * No two members of a structure share a value, and no GUID reads the same backwards, so that a reader that takes one member
 * for another is caught. `number` counts events, and makes each differ from the next.
 */
#ifndef ETLPROOF_DEFAULT_VALUES_H
#define ETLPROOF_DEFAULT_VALUES_H

#include "model/model.h"

enum { BUILD_DEFAULT_ALIGNMENT = 8 }; /* of WMI_CLIENT_CONTEXT, on every processor ever seen */

build_structure build_default_buffer(etl_structure_id header);
build_structure build_default_event(etl_layout layout, uint32_t number);
build_structure build_default_logfile(uint8_t pointer_size);
build_message_fields build_default_message_fields(uint32_t number);
/* Appends LoggerName and LogFileName. */
void build_default_names(build_chunk *names);
/* The build of a Windows version. */
uint32_t build_default_build(uint32_t windows);
/* The session clock at StartTime; `logfile` may be NULL. */
int64_t build_default_clock_start(const build_structure *logfile, uint32_t windows);

#endif
