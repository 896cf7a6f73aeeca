/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits that insert new pieces: events and items of every type, header parts, buffers, gaps.
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
    uint16_t value, unless;
    uint8_t size;
} options[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) {value, unless, size},
#include "format/message_options.def"
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void fill(mutator_edit *edit, mutator_piece *piece)
{
    uint8_t *bytes = mutator_piece_edit(edit->draft, piece);
    for (size_t i = 0; i < piece->size; i++)
        bytes[i] = (uint8_t)mutator_random_next(&edit->random);
}

static mutator_piece *make_bytes(mutator_edit *edit, mutator_piece_kind kind, size_t size)
{
    mutator_piece *piece = mutator_draft_make(edit->draft, kind, ETL_STRUCTURE_COUNT, size);
    fill(edit, piece);
    return piece;
}

/* Items. */

/* Text of `size` bytes, the last of them a NUL. */
static void put_text(uint8_t *at, size_t size)
{
    memset(at, 'n', size - 1);
    at[size - 1] = 0;
}

/* TraceLogging metadata: u16 total size, a tag byte, a name; then fields with a name and a type without further bytes. */
static void fill_schema(mutator_edit *edit, mutator_piece *data)
{
    enum { FIXED = 3, FIELD = 3, TYPES_OF_FIELDS = 0x20 };
    fill(edit, data);
    if (data->size <= FIXED)
        return;
    const size_t rest = data->size - FIXED, fields = mutator_random_below(&edit->random, (rest - 1) / FIELD + 1);
    mutator_piece_set_member(edit->draft, data, 0, sizeof(uint16_t), data->size);
    uint8_t *bytes = mutator_piece_edit(edit->draft, data) + FIXED;
    bytes[-1] = 0;
    put_text(bytes, rest - fields * FIELD);
    bytes += rest - fields * FIELD;
    for (size_t i = 0; i < fields; i++, bytes += FIELD) {
        put_text(bytes, 2);
        bytes[2] = (uint8_t)mutator_random_below(&edit->random, TYPES_OF_FIELDS);
    }
}

/* Provider traits: u16 total size, a name; then at most one chunk: u16 size, u8 type (1 or 2), a GUID. */
static void fill_traits(mutator_edit *edit, mutator_piece *data)
{
    enum { FIXED = 2, CHUNK = 19 };
    fill(edit, data);
    if (data->size <= FIXED)
        return;
    const size_t rest = data->size - FIXED;
    const size_t chunk = rest > CHUNK && mutator_random_once_in(&edit->random, 2) ? CHUNK : 0;
    const uint32_t at = (uint32_t)(data->size - chunk);
    const uint64_t type = 1 + mutator_random_below(&edit->random, 2);
    mutator_piece_set_member(edit->draft, data, 0, sizeof(uint16_t), data->size);
    put_text(mutator_piece_edit(edit->draft, data) + FIXED, rest - chunk);
    if (chunk > 0) {
        mutator_piece_set_member(edit->draft, data, at, sizeof(uint16_t), chunk);
        mutator_piece_set_member(edit->draft, data, at + sizeof(uint16_t), 1, type);
    }
}

/* Revision 1, and as many sub-authorities as fit. */
static void fill_sid(mutator_edit *edit, mutator_piece *data)
{
    enum { REVISION = 1, FIXED = 8, SUB_AUTHORITY = 4 };
    fill(edit, data);
    if (data->size < FIXED)
        return;
    mutator_piece_set_member(edit->draft, data, 0, 1, REVISION);
    mutator_piece_set_member(edit->draft, data, 1, 1, (data->size - FIXED) / SUB_AUTHORITY);
}

static mutator_piece *make_item(mutator_edit *edit)
{
    const size_t row = mutator_random_below(&edit->random, ITEM_TYPES);
    const size_t most = item_types[row].unit == 1 ? 64 : 16; /* far fewer than the maximum */
    const size_t few = item_types[row].most < most ? item_types[row].most : most;
    const size_t units = item_types[row].unit == 0 ? 0 : mutator_random_below(&edit->random, few + 1);
    size_t size = item_types[row].base + units * item_types[row].unit;
    uint64_t type = item_types[row].type;
    if (mutator_random_once_in(&edit->random, 8))
        size += 1;
    if (mutator_random_once_in(&edit->random, 16))
        type = mutator_random_next(&edit->random);
    mutator_piece *item =
        mutator_draft_make(edit->draft, MUTATOR_PIECE_ITEM, ETL_STRUCTURE_EXTENDED_DATA_ITEM, ETL_SIZE(EXTENDED_DATA_ITEM));
    mutator_piece *data = make_bytes(edit, MUTATOR_PIECE_DATA, size);
    switch (item_types[row].layout) {
    case ETL_ITEM_LAYOUT_SID: fill_sid(edit, data); break;
    case ETL_ITEM_LAYOUT_SCHEMA: fill_schema(edit, data); break;
    case ETL_ITEM_LAYOUT_TRAITS: fill_traits(edit, data); break;
    default: break;
    }
    mutator_piece_set_member(edit->draft, item, ETL_AT(EXTENDED_DATA_ITEM, ExtType), sizeof(uint16_t), type);
    mutator_piece_set_member(edit->draft, item, ETL_AT(EXTENDED_DATA_ITEM, DataSize), sizeof(uint16_t), size);
    mutator_draft_insert(data, item, NULL);
    return item;
}

/* The parent of a new item: the first EVENT_HEADER from a random event on. */
static mutator_piece *pick_item_parent(mutator_edit *edit)
{
    if (edit->draft->input == INPUT_ITEMS)
        return edit->draft->root;
    mutator_piece *event = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
    while (event != NULL && event->structure != ETL_STRUCTURE_EVENT_HEADER)
        event = mutator_draft_next(edit->draft, event, MUTATOR_PIECE_EVENT);
    return event;
}

bool mutator_edit_new_item(mutator_edit *edit)
{
    mutator_piece *parent = pick_item_parent(edit);
    if (parent == NULL)
        return false;
    mutator_piece *item = make_item(edit);
    if (!mutator_edit_has_space(edit, mutator_piece_extent(item)))
        return false;
    mutator_draft_insert(item, parent, mutator_edit_pick_item_place(edit, parent));
    mutator_edit_say(edit, "new item of type 0x%x in ",
                     (unsigned)mutator_piece_member(item, ETL_AT(EXTENDED_DATA_ITEM, ExtType), sizeof(uint16_t)));
    mutator_edit_say_piece(edit, parent);
    return true;
}

/* Parts of headers. */

static mutator_piece *parts_of(mutator_edit *edit, mutator_piece *event)
{
    if (event->first != NULL && event->first->kind == MUTATOR_PIECE_EXTRA)
        return event->first;
    mutator_piece *extra = mutator_draft_make(edit->draft, MUTATOR_PIECE_EXTRA, ETL_STRUCTURE_COUNT, 0);
    mutator_draft_insert(extra, event, event->first);
    return extra;
}

/* Random options, and the parts that they require. */
static void set_options(mutator_edit *edit, mutator_piece *event)
{
    uint64_t word = 0;
    size_t size = 0;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (mutator_random_once_in(&edit->random, 2))
            continue;
        word |= options[i].value;
        if (!(word & options[i].unless))
            size += options[i].size;
    }
    mutator_piece_set_member(edit->draft, event, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags), sizeof(uint16_t), word);
    mutator_piece *extra = parts_of(edit, event);
    mutator_piece_resize(edit->draft, extra, size);
    fill(edit, extra);
}

/* A PEBS index and counters after the header, as the Version word states. */
static void set_counters(mutator_edit *edit, mutator_piece *event)
{
    const uint64_t mask = ETL_VERSION_MASK_PMC_COUNT, least = mask & (~mask + 1);
    const uint32_t at = ETL_AT(PERFINFO_TRACE_HEADER, Version);
    const uint64_t count = mutator_random_below(&edit->random, (size_t)(mask / least) + 1);
    const bool pebs = mutator_random_once_in(&edit->random, 2);
    uint64_t word = mutator_piece_member(event, at, sizeof(uint16_t)) & ETL_VERSION_MASK_EVENT_VERSION;
    word |= count * least | (pebs ? (uint64_t)ETL_VERSION_MASK_PEBS_INDEX : 0);
    mutator_piece_set_member(edit->draft, event, at, sizeof(uint16_t), word);
    mutator_piece *extra = parts_of(edit, event);
    mutator_piece_resize(edit->draft, extra, (size_t)(count + (pebs ? 1 : 0)) * sizeof(uint64_t));
    fill(edit, extra);
}

static bool has_parts(const mutator_piece *event)
{
    return event->structure == ETL_STRUCTURE_MESSAGE_TRACE_HEADER ||
           event->structure == ETL_STRUCTURE_PERFINFO_TRACE_HEADER;
}

static void set_parts(mutator_edit *edit, mutator_piece *event)
{
    if (event->structure == ETL_STRUCTURE_MESSAGE_TRACE_HEADER)
        set_options(edit, event);
    else
        set_counters(edit, event);
}

bool mutator_edit_new_parts(mutator_edit *edit)
{
    enum { PARTS_MOST = 64 };
    mutator_piece *event = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
    while (event != NULL && !has_parts(event))
        event = mutator_draft_next(edit->draft, event, MUTATOR_PIECE_EVENT);
    if (event == NULL || !mutator_edit_has_space(edit, PARTS_MOST))
        return false;
    set_parts(edit, event);
    mutator_edit_say_piece(edit, event);
    mutator_edit_say(edit, " with other header parts, %zu bytes", event->first->size);
    return true;
}

/* Events. */

static etl_structure_id structure_of(const mutator_draft *draft, size_t row)
{
    if (types[row].type == ETL_HEADER_TYPE_WNODE_HEADER)
        return ETL_STRUCTURE_WNODE_HEADER;
    if (types[row].layout == ETL_LAYOUT_INSTANCE && draft->context.instance_guid)
        return ETL_STRUCTURE_EVENT_INSTANCE_GUID_HEADER;
    return etl_layout_structure((etl_layout)types[row].layout);
}

/* The time stamp of any event that has one at a fixed offset. */
static uint64_t some_time(mutator_edit *edit)
{
    const mutator_piece *event = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
    for (size_t i = 0; event != NULL && i < ETL_LAYOUT_COUNT; i++)
        if (event->structure == etl_layout_structure((etl_layout)i) && times_at[i] != 0)
            return mutator_piece_member(event, times_at[i], sizeof(uint64_t));
    return 0;
}

/* Marker and type, as the header stores them; a WNODE_HEADER has its size there. */
static void set_type(mutator_edit *edit, mutator_piece *event, uint8_t type)
{
    uint8_t marker = ETL_MARKER_EVENT_TRACE;
    if (type == ETL_HEADER_TYPE_WNODE_HEADER && mutator_random_once_in(&edit->random, 2))
        return;
    event->structure = event->structure == ETL_STRUCTURE_WNODE_HEADER ? ETL_STRUCTURE_OPAQUE_HEADER : event->structure;
    if (type == ETL_HEADER_TYPE_MESSAGE)
        marker = ETL_MARKER_MESSAGE;
    else if (type == ETL_HEADER_TYPE_TIMED && mutator_random_once_in(&edit->random, 2))
        marker = ETL_MARKER_ULONG32_TIME;
    else
        mutator_piece_set_member(edit->draft, event, ETL_AT(OPAQUE_HEADER, HeaderType), 1, type);
    mutator_piece_set_member(edit->draft, event, ETL_AT(OPAQUE_HEADER, MarkerFlags), 1, marker);
}

/* Copies the header of another event with the same structure, if there is one. */
static mutator_piece *make_header(mutator_edit *edit, size_t row)
{
    const etl_structure_id structure = structure_of(edit->draft, row);
    const uint32_t size = etl_structure_size_of(structure);
    mutator_piece *event = mutator_draft_make(edit->draft, MUTATOR_PIECE_EVENT, structure, size);
    const mutator_piece *like = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
    if (like != NULL && like->structure == structure && like->size == size)
        memcpy(mutator_piece_edit(edit->draft, event), like->at, size);
    set_type(edit, event, types[row].type);
    const uint32_t time_at = times_at[types[row].layout];
    if (time_at != 0)
        mutator_piece_set_member(edit->draft, event, time_at, sizeof(uint64_t), some_time(edit));
    return event;
}

static mutator_piece *make_event(mutator_edit *edit, size_t row)
{
    mutator_piece *event = make_header(edit, row);
    const etl_structure_id structure = event->structure;
    if (structure == ETL_STRUCTURE_SYSTEM_TRACE_HEADER || structure == ETL_STRUCTURE_COMPACT_TRACE_HEADER)
        mutator_piece_set_member(edit->draft, event, ETL_AT(SYSTEM_TRACE_HEADER, HookId), sizeof(uint16_t),
                                 1 + mutator_random_below(&edit->random, UINT16_MAX));
    if (has_parts(event))
        set_parts(edit, event);
    if (structure == ETL_STRUCTURE_EVENT_HEADER)
        for (size_t i = mutator_random_below(&edit->random, 4); i > 0; i--)
            mutator_draft_insert(make_item(edit), event, NULL);
    mutator_draft_insert(make_bytes(edit, MUTATOR_PIECE_DATA, mutator_random_small(&edit->random, 256) - 1), event, NULL);
    return event;
}

bool mutator_edit_new_event(mutator_edit *edit)
{
    mutator_piece *parent = mutator_edit_pick_container(edit);
    if (parent == NULL)
        return false;
    const size_t row = mutator_random_below(&edit->random, TYPES);
    mutator_piece *event = make_event(edit, row);
    if (!mutator_edit_has_space(edit, mutator_piece_extent(event)))
        return false;
    mutator_draft_insert(event, parent, mutator_edit_pick_place(edit, parent));
    mutator_edit_say(edit, "new event of type %s in ", etl_header_type_name(types[row].type));
    mutator_edit_say_piece(edit, parent);
    return true;
}

/* Buffers and gaps. */

/* A copy of another buffer with its first event or none, and slack in place of the others. */
bool mutator_edit_new_buffer(mutator_edit *edit)
{
    const mutator_piece *like = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_BUFFER);
    if (like == NULL || !mutator_edit_has_space(edit, mutator_piece_extent(like)))
        return false;
    mutator_piece *buffer = mutator_draft_copy(edit->draft, like);
    mutator_piece *contents = mutator_piece_contents(buffer);
    size_t kept = mutator_random_small(&edit->random, 4) - 1;
    for (mutator_piece *p = contents->first, *next; p != NULL; p = next) {
        next = p->next;
        if (p->kind == MUTATOR_PIECE_EVENT && kept > 0)
            kept--;
        else if (!mutator_piece_is_slack(p))
            mutator_draft_remove(edit->draft, p);
    }
    mutator_draft_insert(buffer, like->parent, mutator_edit_pick_place(edit, like->parent));
    mutator_edit_say(edit, "new buffer like ");
    mutator_edit_say_piece(edit, like);
    return true;
}

bool mutator_edit_new_gap(mutator_edit *edit)
{
    static const uint8_t fills[] = {0, UINT8_MAX};
    mutator_piece *parent =
        mutator_random_once_in(&edit->random, 3) ? edit->draft->root : mutator_edit_pick_container(edit);
    if (parent == NULL)
        return false;
    const size_t little = mutator_random_small(&edit->random, 32), more = mutator_random_small(&edit->random, 512);
    const size_t sizes[] = {8, 16, little, more, ETL_SIZE(WMI_BUFFER_HEADER_61)};
    const size_t size = sizes[mutator_random_below(&edit->random, sizeof sizes / sizeof sizes[0])];
    if (!mutator_edit_has_space(edit, size))
        return false;
    mutator_piece *gap = make_bytes(edit, MUTATOR_PIECE_RAW, size);
    gap->region = ETL_REGION_DAMAGED;
    if (!mutator_random_once_in(&edit->random, 3))
        memset(mutator_piece_edit(edit->draft, gap), fills[mutator_random_below(&edit->random, sizeof fills)], size);
    mutator_draft_insert(gap, parent, mutator_edit_pick_place(edit, parent));
    mutator_edit_say(edit, "gap of %zu bytes in ", size);
    mutator_edit_say_piece(edit, parent);
    return true;
}
