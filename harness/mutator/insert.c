/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits that put in what was not there: events of every type, items of every type, parts of headers, buffers, gaps.
 */
#include "edit.h"

#include <string.h>

static const struct {
    uint8_t type;
    uint8_t layout;
} types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {value, ETL_LAYOUT_##layout},
#include "format/header_types.def"
};
enum { TYPES = sizeof types / sizeof types[0] };

static const uint32_t times_at[ETL_LAYOUT_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) [ETL_LAYOUT_##name] = (time_at),
#include "format/layouts.def"
};

static const struct {
    uint16_t type;
    uint8_t layout, base, unit;
    uint16_t most;
} item_types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) {value, ETL_ITEM_LAYOUT_##layout, base, unit, most},
#include "format/item_types.def"
};
enum { ITEM_TYPES = sizeof item_types / sizeof item_types[0] };

static const struct {
    uint16_t value;
    uint8_t size;
} options[] = {
#define ETL_MESSAGE_OPTION(value, name, size, meaning, source) {value, size},
#include "format/message_options.def"
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void fill(etl_edit *edit, etl_piece *piece)
{
    uint8_t *bytes = etl_piece_edit(edit->draft, piece);
    for (size_t i = 0; i < piece->size; i++)
        bytes[i] = (uint8_t)etl_random_next(&edit->random);
}

static etl_piece *make_bytes(etl_edit *edit, etl_piece_kind kind, size_t size)
{
    etl_piece *piece = etl_draft_make(edit->draft, kind, ETL_STRUCTURE_COUNT, size);
    fill(edit, piece);
    return piece;
}

/* Items. */

/* A text of `size` bytes, the last of them its NUL. */
static void put_text(uint8_t *at, size_t size)
{
    memset(at, 'n', size - 1);
    at[size - 1] = 0;
}

/* TraceLogging metadata: u16 size of it all, a tag byte, a name; then fields of a name and a type without further bytes. */
static void fill_schema(etl_edit *edit, etl_piece *data)
{
    enum { FIXED = 3, FIELD = 3, TYPES_OF_FIELDS = 0x20 };
    fill(edit, data);
    if (data->size <= FIXED)
        return;
    const size_t rest = data->size - FIXED, fields = etl_random_below(&edit->random, (rest - 1) / FIELD + 1);
    etl_piece_set_member(edit->draft, data, 0, sizeof(uint16_t), data->size);
    uint8_t *bytes = etl_piece_edit(edit->draft, data) + FIXED;
    bytes[-1] = 0;
    put_text(bytes, rest - fields * FIELD);
    bytes += rest - fields * FIELD;
    for (size_t i = 0; i < fields; i++, bytes += FIELD) {
        put_text(bytes, 2);
        bytes[2] = (uint8_t)etl_random_below(&edit->random, TYPES_OF_FIELDS);
    }
}

/* Provider traits: u16 size of it all, a name; then at most one chunk: u16 size, u8 type, which is 1 or 2, a GUID. */
static void fill_traits(etl_edit *edit, etl_piece *data)
{
    enum { FIXED = 2, CHUNK = 19 };
    fill(edit, data);
    if (data->size <= FIXED)
        return;
    const size_t rest = data->size - FIXED;
    const size_t chunk = rest > CHUNK && etl_random_once_in(&edit->random, 2) ? CHUNK : 0;
    const uint32_t at = (uint32_t)(data->size - chunk);
    const uint64_t type = 1 + etl_random_below(&edit->random, 2);
    etl_piece_set_member(edit->draft, data, 0, sizeof(uint16_t), data->size);
    put_text(etl_piece_edit(edit->draft, data) + FIXED, rest - chunk);
    if (chunk > 0) {
        etl_piece_set_member(edit->draft, data, at, sizeof(uint16_t), chunk);
        etl_piece_set_member(edit->draft, data, at + sizeof(uint16_t), 1, type);
    }
}

/* Revision 1, and as many sub-authorities as there is room for. */
static void fill_sid(etl_edit *edit, etl_piece *data)
{
    enum { REVISION = 1, FIXED = 8, SUB_AUTHORITY = 4 };
    fill(edit, data);
    if (data->size < FIXED)
        return;
    etl_piece_set_member(edit->draft, data, 0, 1, REVISION);
    etl_piece_set_member(edit->draft, data, 1, 1, (data->size - FIXED) / SUB_AUTHORITY);
}

static etl_piece *make_item(etl_edit *edit)
{
    const size_t row = etl_random_below(&edit->random, ITEM_TYPES);
    const size_t most = item_types[row].unit == 1 ? 64 : 16; /* far fewer than there may be */
    const size_t few = item_types[row].most < most ? item_types[row].most : most;
    const size_t units = item_types[row].unit == 0 ? 0 : etl_random_below(&edit->random, few + 1);
    size_t size = item_types[row].base + units * item_types[row].unit;
    uint64_t type = item_types[row].type;
    if (etl_random_once_in(&edit->random, 8))
        size += 1;
    if (etl_random_once_in(&edit->random, 16))
        type = etl_random_next(&edit->random);
    etl_piece *item = etl_draft_make(edit->draft, ETL_PIECE_ITEM, ETL_STRUCTURE_EXTENDED_DATA_ITEM,
                                     ETL_SIZE(EXTENDED_DATA_ITEM));
    etl_piece *data = make_bytes(edit, ETL_PIECE_DATA, size);
    switch (item_types[row].layout) {
    case ETL_ITEM_LAYOUT_SID: fill_sid(edit, data); break;
    case ETL_ITEM_LAYOUT_SCHEMA: fill_schema(edit, data); break;
    case ETL_ITEM_LAYOUT_TRAITS: fill_traits(edit, data); break;
    default: break;
    }
    etl_piece_set_member(edit->draft, item, ETL_AT(EXTENDED_DATA_ITEM, ExtType), sizeof(uint16_t), type);
    etl_piece_set_member(edit->draft, item, ETL_AT(EXTENDED_DATA_ITEM, DataSize), sizeof(uint16_t), size);
    etl_draft_insert(data, item, NULL);
    return item;
}

/* The event that gets it is the first EVENT_HEADER from any on. */
static etl_piece *pick_item_parent(etl_edit *edit)
{
    if (edit->draft->input == ETL_INPUT_ITEMS)
        return edit->draft->root;
    etl_piece *event = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
    while (event != NULL && event->structure != ETL_STRUCTURE_EVENT_HEADER)
        event = etl_draft_next(edit->draft, event, ETL_PIECE_EVENT);
    return event;
}

bool etl_edit_new_item(etl_edit *edit)
{
    etl_piece *parent = pick_item_parent(edit);
    if (parent == NULL)
        return false;
    etl_piece *item = make_item(edit);
    if (!etl_edit_has_room(edit, etl_piece_extent(item)))
        return false;
    etl_draft_insert(item, parent, etl_edit_pick_item_place(edit, parent));
    etl_edit_say(edit, "new item of type 0x%x in ",
                 (unsigned)etl_piece_member(item, ETL_AT(EXTENDED_DATA_ITEM, ExtType), sizeof(uint16_t)));
    etl_edit_say_piece(edit, parent);
    return true;
}

/* Parts of headers. */

static etl_piece *parts_of(etl_edit *edit, etl_piece *event)
{
    if (event->first != NULL && event->first->kind == ETL_PIECE_EXTRA)
        return event->first;
    etl_piece *extra = etl_draft_make(edit->draft, ETL_PIECE_EXTRA, ETL_STRUCTURE_COUNT, 0);
    etl_draft_insert(extra, event, event->first);
    return extra;
}

/* A component id comes in place of a GUID, and the two time stamps have one place. */
static bool shares_place(uint64_t option, uint64_t word)
{
    return (option == ETL_MESSAGE_OPTION_GUID && word & ETL_MESSAGE_OPTION_COMPONENTID) ||
           (option == ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP && word & ETL_MESSAGE_OPTION_TIMESTAMP);
}

/* Options by chance, and what they ask for. */
static void set_options(etl_edit *edit, etl_piece *event)
{
    uint64_t word = 0;
    size_t size = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (etl_random_once_in(&edit->random, 2))
            continue;
        word |= options[i].value;
        if (!shares_place(options[i].value, word))
            size += options[i].size;
    }
    etl_piece_set_member(edit->draft, event, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags), sizeof(uint16_t), word);
    etl_piece *extra = parts_of(edit, event);
    etl_piece_resize(edit->draft, extra, size);
    fill(edit, extra);
}

/* A PEBS index and counters behind the header, as the Version word says. */
static void set_counters(etl_edit *edit, etl_piece *event)
{
    const uint64_t mask = ETL_VERSION_MASK_PMC_COUNT, least = mask & (~mask + 1);
    const uint32_t at = ETL_AT(PERFINFO_TRACE_HEADER, Version);
    const uint64_t count = etl_random_below(&edit->random, (size_t)(mask / least) + 1);
    const bool pebs = etl_random_once_in(&edit->random, 2);
    uint64_t word = etl_piece_member(event, at, sizeof(uint16_t)) & ETL_VERSION_MASK_EVENT_VERSION;
    word |= count * least | (pebs ? (uint64_t)ETL_VERSION_MASK_PEBS_INDEX : 0);
    etl_piece_set_member(edit->draft, event, at, sizeof(uint16_t), word);
    etl_piece *extra = parts_of(edit, event);
    etl_piece_resize(edit->draft, extra, (size_t)(count + (pebs ? 1 : 0)) * sizeof(uint64_t));
    fill(edit, extra);
}

static bool has_parts(const etl_piece *event)
{
    return event->structure == ETL_STRUCTURE_MESSAGE_TRACE_HEADER ||
           event->structure == ETL_STRUCTURE_PERFINFO_TRACE_HEADER;
}

static void set_parts(etl_edit *edit, etl_piece *event)
{
    if (event->structure == ETL_STRUCTURE_MESSAGE_TRACE_HEADER)
        set_options(edit, event);
    else
        set_counters(edit, event);
}

bool etl_edit_new_parts(etl_edit *edit)
{
    enum { PARTS_MOST = 64 };
    etl_piece *event = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
    while (event != NULL && !has_parts(event))
        event = etl_draft_next(edit->draft, event, ETL_PIECE_EVENT);
    if (event == NULL || !etl_edit_has_room(edit, PARTS_MOST))
        return false;
    set_parts(edit, event);
    etl_edit_say_piece(edit, event);
    etl_edit_say(edit, " with other header parts, %zu bytes", event->first->size);
    return true;
}

/* Events. */

static etl_structure_id structure_of(const etl_draft *draft, size_t row)
{
    if (types[row].type == ETL_HEADER_TYPE_WNODE_HEADER)
        return ETL_STRUCTURE_WNODE_HEADER;
    if (types[row].layout == ETL_LAYOUT_INSTANCE && draft->context.instance_guid)
        return ETL_STRUCTURE_EVENT_INSTANCE_GUID_HEADER;
    return etl_layout_structure((etl_layout)types[row].layout);
}

/* The time stamp of any event that has one at a fixed place. */
static uint64_t some_time(etl_edit *edit)
{
    const etl_piece *event = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
    for (size_t i = 0; event != NULL && i < ETL_LAYOUT_COUNT; i++)
        if (event->structure == etl_layout_structure((etl_layout)i) && times_at[i] != 0)
            return etl_piece_member(event, times_at[i], sizeof(uint64_t));
    return 0;
}

/* The marker and the type, in the words of their header; a WNODE_HEADER has its size there instead. */
static void set_type(etl_edit *edit, etl_piece *event, uint8_t type)
{
    uint8_t marker = ETL_MARKER_EVENT_TRACE;
    if (type == ETL_HEADER_TYPE_WNODE_HEADER && etl_random_once_in(&edit->random, 2))
        return;
    event->structure = event->structure == ETL_STRUCTURE_WNODE_HEADER ? ETL_STRUCTURE_OPAQUE_HEADER : event->structure;
    if (type == ETL_HEADER_TYPE_MESSAGE)
        marker = ETL_MARKER_MESSAGE;
    else if (type == ETL_HEADER_TYPE_TIMED && etl_random_once_in(&edit->random, 2))
        marker = ETL_MARKER_ULONG32_TIME;
    else
        etl_piece_set_member(edit->draft, event, ETL_AT(OPAQUE_HEADER, HeaderType), 1, type);
    etl_piece_set_member(edit->draft, event, ETL_AT(OPAQUE_HEADER, MarkerFlags), 1, marker);
}

/* Its header like that of another of the structure, where there is one. */
static etl_piece *make_header(etl_edit *edit, size_t row)
{
    const etl_structure_id structure = structure_of(edit->draft, row);
    const uint32_t size = etl_structure_size_of(structure);
    etl_piece *event = etl_draft_make(edit->draft, ETL_PIECE_EVENT, structure, size);
    const etl_piece *like = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
    if (like != NULL && like->structure == structure && like->size == size)
        memcpy(etl_piece_edit(edit->draft, event), like->at, size);
    set_type(edit, event, types[row].type);
    const uint32_t time_at = times_at[types[row].layout];
    if (time_at != 0)
        etl_piece_set_member(edit->draft, event, time_at, sizeof(uint64_t), some_time(edit));
    return event;
}

static etl_piece *make_event(etl_edit *edit, size_t row)
{
    etl_piece *event = make_header(edit, row);
    const etl_structure_id structure = event->structure;
    if (structure == ETL_STRUCTURE_SYSTEM_TRACE_HEADER || structure == ETL_STRUCTURE_COMPACT_TRACE_HEADER)
        etl_piece_set_member(edit->draft, event, ETL_AT(SYSTEM_TRACE_HEADER, HookId), sizeof(uint16_t),
                             1 + etl_random_below(&edit->random, UINT16_MAX));
    if (has_parts(event))
        set_parts(edit, event);
    if (structure == ETL_STRUCTURE_EVENT_HEADER)
        for (size_t i = etl_random_below(&edit->random, 4); i > 0; i--)
            etl_draft_insert(make_item(edit), event, NULL);
    etl_draft_insert(make_bytes(edit, ETL_PIECE_DATA, etl_random_small(&edit->random, 256) - 1), event, NULL);
    return event;
}

bool etl_edit_new_event(etl_edit *edit)
{
    etl_piece *parent = etl_edit_pick_container(edit);
    if (parent == NULL)
        return false;
    const size_t row = etl_random_below(&edit->random, TYPES);
    etl_piece *event = make_event(edit, row);
    if (!etl_edit_has_room(edit, etl_piece_extent(event)))
        return false;
    etl_draft_insert(event, parent, etl_edit_pick_place(edit, parent));
    etl_edit_say(edit, "new event of type %s in ", etl_header_type_name(types[row].type));
    etl_edit_say_piece(edit, parent);
    return true;
}

/* Buffers and gaps. */

/* Like another, with the first of its events, or none, and the room that those leave. */
bool etl_edit_new_buffer(etl_edit *edit)
{
    const etl_piece *like = etl_edit_pick(edit, edit->draft, ETL_PIECE_BUFFER);
    if (like == NULL || !etl_edit_has_room(edit, etl_piece_extent(like)))
        return false;
    etl_piece *buffer = etl_draft_copy(edit->draft, like);
    etl_piece *contents = etl_piece_contents(buffer);
    size_t kept = etl_random_small(&edit->random, 4) - 1;
    for (etl_piece *p = contents->first, *next; p != NULL; p = next) {
        next = p->next;
        if (p->kind == ETL_PIECE_EVENT && kept > 0)
            kept--;
        else if (!etl_piece_is_slack(p))
            etl_draft_remove(edit->draft, p);
    }
    etl_draft_insert(buffer, like->parent, etl_edit_pick_place(edit, like->parent));
    etl_edit_say(edit, "new buffer like ");
    etl_edit_say_piece(edit, like);
    return true;
}

bool etl_edit_new_gap(etl_edit *edit)
{
    static const uint8_t fills[] = {0, UINT8_MAX};
    etl_piece *parent = etl_random_once_in(&edit->random, 3) ? edit->draft->root : etl_edit_pick_container(edit);
    if (parent == NULL)
        return false;
    const size_t little = etl_random_small(&edit->random, 32), more = etl_random_small(&edit->random, 512);
    const size_t sizes[] = {8, 16, little, more, ETL_SIZE(WMI_BUFFER_HEADER_61)};
    const size_t size = sizes[etl_random_below(&edit->random, sizeof sizes / sizeof sizes[0])];
    if (!etl_edit_has_room(edit, size))
        return false;
    etl_piece *gap = make_bytes(edit, ETL_PIECE_RAW, size);
    gap->region = ETL_REGION_DAMAGED;
    if (!etl_random_once_in(&edit->random, 3))
        memset(etl_piece_edit(edit->draft, gap), fills[etl_random_below(&edit->random, sizeof fills)], size);
    etl_draft_insert(gap, parent, etl_edit_pick_place(edit, parent));
    etl_edit_say(edit, "gap of %zu bytes in ", size);
    etl_edit_say_piece(edit, parent);
    return true;
}
