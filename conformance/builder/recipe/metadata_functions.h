/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that make metadata of payloads, such as schema("Event", field("a", 4)).
 */
#ifndef ETLPROOF_METADATA_FUNCTIONS_H
#define ETLPROOF_METADATA_FUNCTIONS_H

#include "recipe/byte_call.h"

void build_make_field(build_call *c, build_value *value);
void build_make_schema(build_call *c, build_value *value);
void build_make_traits(build_call *c, build_value *value);
void build_make_property(build_call *c, build_value *value);
void build_make_event_info(build_call *c, build_value *value);
void build_make_map_info(build_call *c, build_value *value);

#endif
