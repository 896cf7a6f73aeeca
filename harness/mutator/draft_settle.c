/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corrects the sizes that enclose edited pieces of a draft, from the inside out: items, events, their padding, Offset, the
 * stream, BufferSize, BuffersWritten. Called by mutator.c after structural edits, and by minimise/.
 */
#include "draft.h"

#include <string.h>

enum { ALIGNMENT = 8, SIZE_MOST = UINT16_MAX };

static uint64_t get_u32(const mutator_piece *piece, uint32_t offset)
{
    return mutator_piece_member(piece, offset, sizeof(uint32_t));
}

static size_t padding_of(size_t size)
{
    return (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;
}

static mutator_piece *last_of(const mutator_piece *parent, mutator_piece_kind kind)
{
    mutator_piece *p = parent->last;
    while (p != NULL && p->kind != kind)
        p = p->before;
    return p;
}

/* Gives the piece that much padding at its end. */
static void pad(mutator_draft *draft, mutator_piece *piece, size_t size)
{
    mutator_piece *padding = last_of(piece, MUTATOR_PIECE_PADDING);
    if (padding != NULL && padding->size != size)
        mutator_piece_resize(draft, padding, size);
    else if (padding == NULL && size > 0)
        mutator_draft_insert(mutator_draft_make(draft, MUTATOR_PIECE_PADDING, ETL_STRUCTURE_COUNT, size), piece, NULL);
}

/* The bytes in a piece without its own and its padding. */
static size_t content_of(const mutator_piece *piece)
{
    const mutator_piece *padding = last_of(piece, MUTATOR_PIECE_PADDING);
    return mutator_piece_extent(piece) - piece->size - (padding != NULL ? padding->size : 0);
}

/* Items. */

static void settle_item(mutator_draft *draft, mutator_piece *item)
{
    const size_t data = content_of(item);
    pad(draft, item, padding_of(item->size + data));
    mutator_piece_set_member(draft, item, ETL_AT(EXTENDED_DATA_ITEM, DataSize), sizeof(uint16_t), data);
    mutator_piece_set_member(draft, item, ETL_AT(EXTENDED_DATA_ITEM, TotalSize), sizeof(uint16_t),
                             mutator_piece_extent(item));
}

/* Bit 0 of Linkage: another item follows. */
static void link_items(mutator_draft *draft, mutator_piece *parent, bool more_after)
{
    bool more = more_after;
    for (mutator_piece *p = parent->last; p != NULL; p = p->before) {
        if (p->kind != MUTATOR_PIECE_ITEM)
            continue;
        const uint32_t at = ETL_AT(EXTENDED_DATA_ITEM, Linkage);
        const uint64_t linkage = mutator_piece_member(p, at, sizeof(uint16_t));
        mutator_piece_set_member(draft, p, at, sizeof(uint16_t), (linkage & ~UINT64_C(1)) | (more ? 1 : 0));
        more = true;
    }
}

/* Where a chain could not be read to its end, the last item still links to the lost bytes. */
static void settle_items(mutator_draft *draft, mutator_piece *parent)
{
    for (mutator_piece *p = parent->first; p != NULL; p = p->next)
        if (p->kind == MUTATOR_PIECE_ITEM && p->resized)
            settle_item(draft, p);
    const bool lost = last_of(parent, MUTATOR_PIECE_LOST) != NULL;
    link_items(draft, parent, lost && last_of(parent, MUTATOR_PIECE_ITEM) != NULL);
    if (parent->structure != ETL_STRUCTURE_EVENT_HEADER || lost)
        return;
    const uint32_t at = ETL_AT(EVENT_HEADER, Flags);
    const uint64_t flags = mutator_piece_member(parent, at, sizeof(uint16_t));
    const uint64_t bit = ETL_EVENT_FLAG_EXTENDED_INFO;
    mutator_piece_set_member(draft, parent, at, sizeof(uint16_t),
                             last_of(parent, MUTATOR_PIECE_ITEM) != NULL ? flags | bit : flags & ~bit);
}

/* Events. */

static const uint32_t size_at[ETL_STRUCTURE_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) [ETL_STRUCTURE_##structure] = ETL_AT(structure, Size),
#include "format/layouts.def"
};

/* A size that does not fit into 16 bits becomes the largest that does. */
static void settle_size(mutator_draft *draft, mutator_piece *event)
{
    const size_t size = event->size + content_of(event);
    if (event->structure == ETL_STRUCTURE_WNODE_HEADER)
        mutator_piece_set_member(draft, event, ETL_AT(WNODE_HEADER, BufferSize), sizeof(uint32_t), size);
    else
        mutator_piece_set_member(draft, event, size_at[event->structure], sizeof(uint16_t),
                                 size < SIZE_MOST ? size : SIZE_MOST);
}

static void settle_events(mutator_draft *draft, unsigned what)
{
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_EVENT); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_EVENT)) {
        if (p->resized && what & MUTATOR_SETTLE_ITEMS)
            settle_items(draft, p);
        if (p->resized && what & MUTATOR_SETTLE_EVENTS)
            settle_size(draft, p);
    }
    if (draft->input == INPUT_ITEMS && draft->root->resized && what & MUTATOR_SETTLE_ITEMS)
        settle_items(draft, draft->root);
}

/* Containers of events: buffers, streams, and inputs that are rows of events. */

static bool holds_events(const mutator_piece *piece)
{
    return piece->kind == MUTATOR_PIECE_BUFFER || piece->kind == MUTATOR_PIECE_STREAM || piece->kind == MUTATOR_PIECE_INPUT;
}

/* Offset at which the contents of a container start, in the container's own count. */
static size_t base_of(const mutator_piece *container)
{
    return container->kind == MUTATOR_PIECE_INPUT ? 0 : ETL_BUFFER_SIZE_MIN;
}

static void settle_padding(mutator_draft *draft, mutator_piece *container)
{
    size_t at = base_of(container);
    for (mutator_piece *p = container->first; p != NULL; p = p->next) {
        if (p->kind == MUTATOR_PIECE_EVENT && p->resized)
            pad(draft, p, padding_of(at + p->size + content_of(p)));
        if (p->kind != MUTATOR_PIECE_CONTEXT)
            at += mutator_piece_extent(p);
    }
}

/* Where the events of a container end. */
static size_t events_end(const mutator_piece *container)
{
    size_t at = base_of(container);
    for (const mutator_piece *p = container->first; p != NULL; p = p->next)
        if (p->next != NULL || !mutator_piece_is_slack(p))
            at += mutator_piece_extent(p);
    return at;
}

/* Buffers. */

static mutator_piece *stream_of(const mutator_piece *buffer)
{
    mutator_piece *p = buffer->first;
    while (p != NULL && p->kind != MUTATOR_PIECE_STREAM)
        p = p->next;
    return p;
}

/* SavedOffset and CurrentOffset follow if they had the same value; in many files they differ. */
static void settle_offsets(mutator_draft *draft, mutator_piece *buffer)
{
    static const uint32_t followers[] = {ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset),
                                         ETL_AT(WMI_BUFFER_HEADER_61, CurrentOffset)};
    const uint32_t at = ETL_AT(WMI_BUFFER_HEADER_61, Offset);
    const mutator_piece *stream = stream_of(buffer);
    const mutator_piece *container = stream != NULL ? stream : buffer;
    if (!container->resized)
        return;
    const uint64_t before = get_u32(buffer, at);
    const size_t end = events_end(container);
    for (size_t i = 0; i < sizeof followers / sizeof followers[0]; i++)
        if (get_u32(buffer, followers[i]) == before)
            mutator_piece_set_member(draft, buffer, followers[i], sizeof(uint32_t), end);
    mutator_piece_set_member(draft, buffer, at, sizeof(uint32_t), end);
}

/* A plain buffer keeps its size as long as its slack suffices: bytes 0xFF after the events. */
static void settle_slack(mutator_draft *draft, mutator_piece *buffer)
{
    mutator_piece *slack = buffer->last;
    const size_t size = mutator_piece_extent(buffer);
    if (size == buffer->kept_size)
        return;
    if (slack == NULL || !mutator_piece_is_slack(slack)) {
        if (size > buffer->kept_size)
            return;
        slack = mutator_draft_make(draft, MUTATOR_PIECE_RAW, ETL_STRUCTURE_COUNT, 0);
        slack->region = ETL_REGION_SLACK;
        mutator_draft_insert(slack, buffer, NULL);
    }
    const size_t others = size - slack->size, before = slack->size;
    const size_t after = others < buffer->kept_size ? buffer->kept_size - others : 0;
    uint8_t *bytes = mutator_piece_resize(draft, slack, after);
    if (after > before)
        memset(bytes + before, UINT8_MAX, after - before);
}

static void settle_buffer(mutator_draft *draft, mutator_piece *buffer)
{
    if (stream_of(buffer) == NULL)
        settle_slack(draft, buffer);
    if (!buffer->stated)
        mutator_piece_set_member(draft, buffer, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), sizeof(uint32_t),
                                 mutator_piece_extent(buffer));
}

/* The file. */

static void settle_file(mutator_draft *draft)
{
    const size_t count = mutator_draft_count(draft, MUTATOR_PIECE_BUFFER);
    mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_RECORD);
    if (p == NULL || (count == draft->numbers[MUTATOR_PIECE_BUFFER] && p->number != MUTATOR_PIECE_NEW))
        return;
    if (p->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER64)
        mutator_piece_set_member(draft, p, ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), sizeof(uint32_t), count);
    else if (p->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER32)
        mutator_piece_set_member(draft, p, ETL_AT(TRACE_LOGFILE_HEADER32, BuffersWritten), sizeof(uint32_t), count);
}

static void forget(mutator_draft *draft)
{
    for (mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        p->resized = false;
}

void mutator_draft_settle(mutator_draft *draft, unsigned what)
{
    if (what & MUTATOR_SETTLE_FILE)
        settle_file(draft);
    settle_events(draft, what);
    for (mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        if (what & MUTATOR_SETTLE_PADDING && p->resized && holds_events(p))
            settle_padding(draft, p);
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_BUFFER); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_BUFFER))
        if (what & MUTATOR_SETTLE_OFFSETS && p->resized)
            settle_offsets(draft, p);
    mutator_draft_compress(draft);
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_BUFFER); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_BUFFER))
        if (what & MUTATOR_SETTLE_BUFFERS && p->resized)
            settle_buffer(draft, p);
    forget(draft);
}
