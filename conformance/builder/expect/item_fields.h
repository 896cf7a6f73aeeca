/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoded members of an extended data item, by the layouts of item_types.def.
 */
#ifndef ETLPROOF_ITEM_FIELDS_H
#define ETLPROOF_ITEM_FIELDS_H

#include "model/structure_bytes.h"
#include "json/json_object.h"

/* Adds the fields of an item of that type to its object; none for a type or a size that the table does not know. */
void build_item_fields(build_json_object *object, uint16_t type, build_span data);

#endif
