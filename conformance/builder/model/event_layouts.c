/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds event layouts by number, header structure and HeaderType. Called when events are added, written and read back.
 */
#include "model/event_layouts.h"

static const build_event_layout rows[] = {
#define BUILD_EVENT_LAYOUT(name, written, decoded, hook, version, joins_times, joins_ids)                                  \
    [ETL_LAYOUT_##name] = {BUILD_EXTRAS_##written, BUILD_EXTRAS_##decoded, hook, version, joins_times, joins_ids},
#include "model/event_layouts.def"
};

enum {
#define BUILD_EVENT_LAYOUT(name, written, decoded, hook, version, joins_times, joins_ids) HAS_##name,
#include "model/event_layouts.def"
    ROWS
};
_Static_assert(ROWS == (int)ETL_LAYOUT_COUNT, "event_layouts.def needs one row for each row of format/layouts.def");

const build_event_layout *build_event_layout_get(etl_layout layout)
{
    return &rows[layout];
}

const build_event_layout *build_event_layout_of_header(etl_structure_id header)
{
    for (unsigned i = 0; i < ETL_LAYOUT_COUNT; i++)
        if (etl_layout_structure((etl_layout)i) == header)
            return &rows[i];
    return NULL;
}

etl_layout build_event_layout_of_type(uint8_t header_type)
{
    static const struct {
        uint8_t type;
        etl_layout layout;
    } types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {value, ETL_LAYOUT_##layout},
#include "format/header_types.def"
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == header_type)
            return types[i].layout;
    return ETL_LAYOUT_OPAQUE;
}
