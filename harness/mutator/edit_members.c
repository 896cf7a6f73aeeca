/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of members: the structure gives the members, member_roles.def the role of each, and the role the values worth
 * trying.
 */
#include "edit.h"
#include "member_roles.h"

#include <string.h>

/* A member of a piece, nested structures included. */
typedef struct place {
    mutator_piece *piece;
    const char *name;
    uint32_t offset, size;
    etl_member_kind kind;
    mutator_role role;
    mutator_table table; /* of values; empty if there is none */
    uint64_t now;
} place;

static uint64_t mask_of(uint32_t size)
{
    return size < sizeof(uint64_t) ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
}

static uint64_t pick_number(mutator_edit *edit, const uint64_t *numbers, size_t count)
{
    return numbers[mutator_random_below(&edit->random, count)];
}

static uint64_t random_bit(mutator_edit *edit, uint32_t size)
{
    return UINT64_C(1) << mutator_random_below(&edit->random, size * 8);
}

/* For any number: values near to it, and the extremes of its size. */
static uint64_t any_number(mutator_edit *edit, const place *p)
{
    const uint64_t sign = UINT64_C(1) << (p->size * 8 - 1), any = mutator_random_next(&edit->random);
    const uint64_t numbers[] = {0, 1, p->now + 1, p->now - 1, p->now ^ random_bit(edit, p->size), sign, sign - 1,
                                UINT64_MAX, UINT16_MAX, p->now << 1, p->now >> 1, any};
    return pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

/* Bytes from the start of the piece to the end of its container's contents. */
static size_t bytes_left(const mutator_piece *piece)
{
    size_t size = 0;
    for (const mutator_piece *p = piece; p != NULL && !mutator_piece_is_slack(p); p = p->next)
        size += mutator_piece_extent(p);
    return size;
}

static size_t slack_behind(const mutator_piece *piece)
{
    const mutator_piece *last = piece->parent != NULL ? piece->parent->last : NULL;
    return last != NULL && mutator_piece_is_slack(last) ? last->size : 0;
}

/* For sizes: near the smallest possible, near the current one, exactly to the extent and past it, past the buffer. */
static uint64_t size_value(mutator_edit *edit, const place *p)
{
    const uint64_t least = etl_structure_size_of(p->piece->structure), left = bytes_left(p->piece);
    const uint64_t whole = left + slack_behind(p->piece), inside = mutator_piece_extent(p->piece);
    const uint64_t numbers[] = {least - 1, least, least + 1, p->now + 8, p->now - 8, p->now | 1, p->now + 4,
                                p->now / 8 * 8 + 1, left, left + 1, left - 1, left + 8, left - 8, whole, whole + 1,
                                whole + 8, inside, inside + 1};
    return mutator_random_once_in(&edit->random, 3) ? any_number(edit, p)
                                               : pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

/* For offsets in a buffer: the end of its header, the start of any event, the extent, the buffer's end, and values near
   them. */
static uint64_t offset_value(mutator_edit *edit, const place *p)
{
    const mutator_piece *contents = mutator_piece_contents(p->piece);
    const uint64_t header = ETL_BUFFER_SIZE_MIN;
    const uint64_t stated = mutator_piece_member(p->piece, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), sizeof(uint32_t));
    uint64_t start = header, end = header;
    size_t seen = 0;
    for (const mutator_piece *q = contents->first; q != NULL && !mutator_piece_is_slack(q); q = q->next) {
        if (mutator_random_once_in(&edit->random, ++seen))
            start = end;
        end += mutator_piece_extent(q);
    }
    const uint64_t numbers[] = {header - 1, header, header + 1, start, start + 1, start + 8, start - 1, end, end + 1,
                                end - 1, end + 8, end - 8, stated, stated + 1, stated - 1, p->now + 8, p->now - 8};
    return mutator_random_once_in(&edit->random, 3) ? any_number(edit, p)
                                               : pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

static uint64_t from_table(mutator_edit *edit, const place *p)
{
    return p->table.at[mutator_random_below(&edit->random, p->table.count)];
}

/* The bits of one row of the table: one flag, or a random number in a mask. */
static uint64_t flags_value(mutator_edit *edit, const place *p)
{
    const uint64_t row = p->table.count > 0 ? from_table(edit, p) : random_bit(edit, p->size);
    const uint64_t bits = row & mutator_random_next(&edit->random);
    const uint64_t numbers[] = {p->now ^ row, p->now ^ (bits != 0 ? bits : row), p->now | row, p->now & ~row, row,
                                p->now ^ random_bit(edit, p->size), 0, UINT64_MAX};
    return pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

/* Without a table: versions and the like, where small numbers select forms of a structure. */
static uint64_t type_value(mutator_edit *edit, const place *p)
{
    if (p->table.count == 0)
        return mutator_random_once_in(&edit->random, 4) ? any_number(edit, p) : mutator_random_small(&edit->random, 16) - 1;
    const uint64_t row = from_table(edit, p), any = mutator_random_next(&edit->random);
    const uint64_t numbers[] = {row, row, row, row, row + 1, row - 1, row | random_bit(edit, p->size), any};
    return pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

/* The last day with a calendar date in FILETIME, and the day that it counts from. */
static uint64_t time_value(mutator_edit *edit, const place *p)
{
    static const uint64_t days_to_10000 = UINT64_C(3067671), day = ETL_FILETIME_SECOND * 86400;
    const uint64_t numbers[] = {days_to_10000 * day - 1, days_to_10000 * day, p->now + ETL_FILETIME_SECOND,
                                p->now - ETL_FILETIME_SECOND, p->now + day, p->now - day, UINT64_C(0) - p->now,
                                ETL_FILETIME_SECOND, ETL_FILETIME_SECOND - 1, mutator_random_small(&edit->random, 64)};
    return mutator_random_once_in(&edit->random, 2) ? any_number(edit, p)
                                               : pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]);
}

/* The value of another piece with the same structure, if there is one. */
static uint64_t other_value(mutator_edit *edit, const place *p)
{
    const mutator_piece *other = mutator_edit_pick(edit, edit->draft, p->piece->kind);
    if (other == NULL || other->structure != p->piece->structure)
        return any_number(edit, p);
    return mutator_piece_member(other, p->offset, p->size);
}

static uint64_t value_of(mutator_edit *edit, const place *p)
{
    if (mutator_random_once_in(&edit->random, 16))
        return other_value(edit, p);
    switch (p->role) {
    case MUTATOR_ROLE_SIZE: return size_value(edit, p);
    case MUTATOR_ROLE_OFFSET: return offset_value(edit, p);
    case MUTATOR_ROLE_FLAGS: return flags_value(edit, p);
    case MUTATOR_ROLE_TYPE: return type_value(edit, p);
    case MUTATOR_ROLE_TIME: return time_value(edit, p);
    case MUTATOR_ROLE_ID: return mutator_random_once_in(&edit->random, 3) ? other_value(edit, p) : any_number(edit, p);
    default: return any_number(edit, p);
    }
}

/* Picking. */

static bool is_nested(const etl_member_info *info)
{
    return info->kind == ETL_MEMBER_KIND_TIME_ZONE || info->kind == ETL_MEMBER_KIND_SYSTEMTIME;
}

/* A random member in the piece's bytes, nested structures included. */
static bool pick_member(mutator_edit *edit, place *p, etl_structure_id structure)
{
    size_t count;
    p->offset = 0;
    for (;;) {
        const etl_member_info *infos = etl_structure_members(structure, &count);
        const size_t index = mutator_random_below(&edit->random, count);
        const etl_member_info *info = &infos[index];
        p->offset += info->offset;
        p->size = etl_member_kind_size(info->kind);
        p->name = info->name;
        p->kind = info->kind;
        p->role = mutator_role_of(structure, index, &p->table);
        if (!is_nested(info))
            return p->offset <= p->piece->size && p->size <= p->piece->size - p->offset;
        structure = info->kind == ETL_MEMBER_KIND_TIME_ZONE ? ETL_STRUCTURE_TIME_ZONE_INFORMATION
                                                            : ETL_STRUCTURE_SYSTEMTIME;
    }
}

/* Members that steer the decoder are picked more often than members that are only read. */
static bool steers(mutator_role r)
{
    return r == MUTATOR_ROLE_SIZE || r == MUTATOR_ROLE_OFFSET || r == MUTATOR_ROLE_FLAGS || r == MUTATOR_ROLE_TYPE;
}

static bool pick_place(mutator_edit *edit, place *p)
{
    static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_BUFFER, MUTATOR_PIECE_EVENT, MUTATOR_PIECE_EVENT,
                                               MUTATOR_PIECE_ITEM, MUTATOR_PIECE_RECORD};
    p->piece = mutator_edit_pick_of(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (p->piece == NULL || p->piece->structure == ETL_STRUCTURE_COUNT)
        return false;
    for (unsigned tries = 0; tries < 16; tries++)
        if (pick_member(edit, p, p->piece->structure) && (steers(p->role) || mutator_random_once_in(&edit->random, 3)))
            return true;
    return false;
}

static void flip(mutator_edit *edit, uint8_t *bytes, uint32_t size)
{
    uint8_t *at = bytes + mutator_random_below(&edit->random, size);
    *at ^= (uint8_t)random_bit(edit, 1);
}

/* GUIDs and text: as another piece has them, all one byte, or with one bit flipped. */
static void set_bytes(mutator_edit *edit, const place *p)
{
    const mutator_piece *other = mutator_edit_pick(edit, edit->draft, p->piece->kind);
    const bool copy = other != NULL && other != p->piece && other->structure == p->piece->structure &&
                      other->size >= p->size + p->offset;
    const uint8_t *from = copy ? other->at + p->offset : NULL;
    uint8_t *bytes = mutator_piece_edit(edit->draft, p->piece) + p->offset;
    if (copy && mutator_random_once_in(&edit->random, 3))
        memcpy(bytes, from, p->size);
    else if (mutator_random_once_in(&edit->random, 3))
        memset(bytes, mutator_random_once_in(&edit->random, 2) ? 0 : UINT8_MAX, p->size);
    else
        flip(edit, bytes, p->size);
    mutator_edit_say_piece(edit, p->piece);
    mutator_edit_say(edit, " %s (%s): other bytes", p->name, mutator_role_text(p->role));
}

bool mutator_edit_member(mutator_edit *edit)
{
    place p;
    if (!pick_place(edit, &p))
        return false;
    if (p.size > sizeof(uint64_t)) {
        set_bytes(edit, &p);
        return true;
    }
    p.now = mutator_piece_member(p.piece, p.offset, p.size);
    uint64_t value = p.now;
    for (unsigned tries = 0; tries < 8 && value == p.now; tries++)
        value = value_of(edit, &p) & mask_of(p.size);
    if (value == p.now)
        return false;
    mutator_piece_set_member(edit->draft, p.piece, p.offset, p.size, value);
    if (p.piece->kind == MUTATOR_PIECE_BUFFER && p.offset == ETL_AT(WMI_BUFFER_HEADER_61, BufferSize))
        p.piece->stated = true;
    mutator_edit_say_piece(edit, p.piece);
    mutator_edit_say(edit, " %s (%s): 0x%llx -> 0x%llx", p.name, mutator_role_text(p.role), (unsigned long long)p.now,
                     (unsigned long long)value);
    return true;
}

/* The context: its bits, the buffer shape, and values near the size that a stream inflates to. */
bool mutator_edit_context(mutator_edit *edit)
{
    mutator_piece *piece = mutator_draft_next(edit->draft, NULL, MUTATOR_PIECE_CONTEXT);
    if (piece == NULL)
        return false;
    const mutator_piece *stream = mutator_draft_next(edit->draft, NULL, MUTATOR_PIECE_STREAM);
    if (edit->draft->input == INPUT_STREAM && stream != NULL) {
        const uint64_t size = stream->first != NULL ? stream->first->size : 0;
        const uint64_t numbers[] = {0, 1, size, size + 1, size - 1, size / 2, size + 64, size * 2,
                                    mutator_random_next(&edit->random)};
        mutator_piece_set_member(edit->draft, piece, INPUT_INFLATED_SIZE_AT, INPUT_INFLATED_SIZE_BYTES,
                                 pick_number(edit, numbers, sizeof numbers / sizeof numbers[0]));
    } else if (mutator_random_once_in(&edit->random, 3)) {
        mutator_piece_set_member(edit->draft, piece, INPUT_SHAPE_AT, 1,
                                 mutator_random_below(&edit->random, ETL_BUFFER_SHAPE_61 + 1));
    } else {
        mutator_piece_edit(edit->draft, piece)[INPUT_BITS_AT] ^=
            (uint8_t)(1u << mutator_random_below(&edit->random, INPUT_BIT_COUNT));
    }
    mutator_edit_say(edit, "context changed");
    return true;
}
