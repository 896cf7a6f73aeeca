/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of event_layouts.def: how the builder writes each event layout, and how the expected decode shows it.
 */
#ifndef ETLPROOF_EVENT_LAYOUTS_H
#define ETLPROOF_EVENT_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"

/* What lies between a header's structure and the payload. */
typedef enum build_header_extras {
    BUILD_EXTRAS_NOTHING,
    BUILD_EXTRAS_COUNTERS,
    BUILD_EXTRAS_MESSAGE_FIELDS,
    BUILD_EXTRAS_ITEMS
} build_header_extras;

typedef struct build_event_layout {
    build_header_extras written, decoded;
    uint16_t hook;
    uint16_t version;
    bool joins_times, joins_ids;
} build_event_layout;

const build_event_layout *build_event_layout_get(etl_layout layout);
/* The row of the layout whose header is this structure; NULL if no layout has it. */
const build_event_layout *build_event_layout_of_header(etl_structure_id header);
/* The layout that header_types.def gives a HeaderType; OPAQUE for a type that it does not know. */
etl_layout build_event_layout_of_type(uint8_t header_type);

#endif
