/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of layouts.def and header_types.def as C tables. event_form.h uses them to turn the first bytes of an event
 * into its form.
 */
#include "event_form.h"

const etl_layout_row etl_layout_rows[ETL_LAYOUT_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) \
    [ETL_LAYOUT_##name] = {ETL_SIZE(structure), ETL_AT(structure, Size), (time_at)},
#include "format/layouts.def"
};

const etl_type_row etl_type_rows[ETL_HEADER_TYPE_COUNT] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) [value] = {true, ETL_LAYOUT_##layout},
#include "format/header_types.def"
};

#define ETL_LAYOUT(name, structure, time_at) \
    _Static_assert(ETL_SIZE(structure) >= ETL_SIZE(OPAQUE_HEADER) && ETL_SIZE(structure) <= UINT8_MAX, #name);
#include "format/layouts.def"

#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) \
    _Static_assert((int)ETL_LAYOUT_##layout < (int)ETL_LAYOUT_COUNT, #name);
#include "format/header_types.def"
