/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits without knowledge of structure: for inputs that have none, and for bytes that no member covers.
 */
#include "edit.h"

#include <string.h>

/* The most bytes that one change inserts. */
enum { INSERT_MOST = 64 };

static void change_bit(mutator_random *random, uint8_t *bytes, size_t size)
{
    uint8_t *at = bytes + mutator_random_below(random, size);
    *at ^= (uint8_t)(1u << mutator_random_below(random, 8));
}

static void change_byte(mutator_random *random, uint8_t *bytes, size_t size)
{
    uint8_t *at = bytes + mutator_random_below(random, size);
    *at = (uint8_t)(*at + 1 + mutator_random_below(random, UINT8_MAX));
}

/* A number of 2, 4 or 8 bytes: an extreme value, or near to what it was. */
static void change_number(mutator_random *random, uint8_t *bytes, size_t size)
{
    const size_t width = (size_t)2 << mutator_random_below(random, 3);
    if (width > size) {
        change_byte(random, bytes, size);
        return;
    }
    uint8_t *at = bytes + mutator_random_below(random, size - width + 1);
    uint64_t now = 0;
    for (size_t i = 0; i < width; i++)
        now |= (uint64_t)at[i] << 8 * i;
    const uint64_t sign = UINT64_C(1) << (width * 8 - 1);
    const uint64_t little = mutator_random_small(random, 32);
    const uint64_t numbers[] = {0, 1, sign, sign - 1, UINT64_MAX, now + little, now - little, now ^ sign};
    const uint64_t value = numbers[mutator_random_below(random, sizeof numbers / sizeof numbers[0])];
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Overwrites a run of bytes with a copy of another. */
static void copy_run(mutator_random *random, uint8_t *bytes, size_t size)
{
    const size_t run = mutator_random_small(random, size);
    const size_t from = mutator_random_below(random, size - run + 1), to = mutator_random_below(random, size - run + 1);
    memmove(bytes + to, bytes + from, run);
}

static void fill_run(mutator_random *random, uint8_t *bytes, size_t size)
{
    static const uint8_t fills[] = {0, UINT8_MAX, 'A'};
    const size_t run = mutator_random_small(random, size), at = mutator_random_below(random, size - run + 1);
    memset(bytes + at, fills[mutator_random_below(random, sizeof fills)], run);
}

/* At least one byte stays. */
static size_t cut_run(mutator_random *random, uint8_t *bytes, size_t size)
{
    const size_t run = mutator_random_small(random, size - 1), from = mutator_random_below(random, size - run + 1);
    memmove(bytes + from, bytes + from + run, size - from - run);
    return size - run;
}

/* Inserts random bytes, or repeats those that follow. */
static size_t insert_run(mutator_random *random, uint8_t *bytes, size_t size, size_t most)
{
    size_t run = mutator_random_small(random, INSERT_MOST);
    if (run > most - size)
        run = most - size;
    const size_t at = mutator_random_below(random, size + 1);
    const bool repeat = mutator_random_once_in(random, 2) && size - at >= run;
    memmove(bytes + at + run, bytes + at, size - at);
    for (size_t i = 0; i < run && !repeat; i++)
        bytes[at + i] = (uint8_t)mutator_random_next(random);
    return size + run;
}

size_t mutator_bytes_change(mutator_random *random, uint8_t *bytes, size_t size, size_t most)
{
    if (size == 0)
        return most > 0 ? insert_run(random, bytes, size, most) : 0;
    switch (mutator_random_below(random, 8)) {
    case 0:
    case 1: change_bit(random, bytes, size); return size;
    case 2: change_byte(random, bytes, size); return size;
    case 3: change_number(random, bytes, size); return size;
    case 4: copy_run(random, bytes, size); return size;
    case 5: fill_run(random, bytes, size); return size;
    case 6: return size > 1 ? cut_run(random, bytes, size) : size;
    default:
        if (most > size)
            return insert_run(random, bytes, size, most);
        change_bit(random, bytes, size);
        return size;
    }
}

bool mutator_edit_bytes(mutator_edit *edit)
{
    static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_DATA,    MUTATOR_PIECE_DATA,   MUTATOR_PIECE_RAW,
                                               MUTATOR_PIECE_EXTRA, MUTATOR_PIECE_LOST, MUTATOR_PIECE_ITEM,
                                               MUTATOR_PIECE_PADDING, MUTATOR_PIECE_EVENT};
    mutator_piece *piece = mutator_edit_pick_of(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (piece == NULL)
        return false;
    const bool grows = piece->structure == ETL_STRUCTURE_COUNT && mutator_edit_has_space(edit, INSERT_MOST);
    const size_t before = piece->size;
    if (!grows && before == 0)
        return false;
    uint8_t *bytes = mutator_piece_resize(edit->draft, piece, before + (grows ? INSERT_MOST : 0));
    size_t after = before;
    if (grows)
        after = mutator_bytes_change(&edit->random, bytes, before, before + INSERT_MOST);
    else
        change_number(&edit->random, bytes, before);
    mutator_piece_resize(edit->draft, piece, after);
    if (mutator_piece_is_slack(piece))
        mutator_piece_keep_extent(piece->parent);
    mutator_edit_say(edit, "bytes of ");
    mutator_edit_say_piece(edit, piece);
    mutator_edit_say(edit, " changed");
    if (after != before)
        mutator_edit_say(edit, ", %zu -> %zu", before, after);
    return true;
}
