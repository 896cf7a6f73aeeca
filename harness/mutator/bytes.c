/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits that know nothing of structure: what is left where there is none, and what reaches the bytes that no member names.
 */
#include "edit.h"

#include <string.h>

/* The most bytes that one change puts in. */
enum { INSERT_MOST = 64 };

static void change_bit(etl_random *random, uint8_t *bytes, size_t size)
{
    uint8_t *at = bytes + etl_random_below(random, size);
    *at ^= (uint8_t)(1u << etl_random_below(random, 8));
}

static void change_byte(etl_random *random, uint8_t *bytes, size_t size)
{
    uint8_t *at = bytes + etl_random_below(random, size);
    *at = (uint8_t)(*at + 1 + etl_random_below(random, UINT8_MAX));
}

/* A number of 2, 4 or 8 bytes, as it may stand at an end of what it can say, or near to what it was. */
static void change_number(etl_random *random, uint8_t *bytes, size_t size)
{
    const size_t width = (size_t)2 << etl_random_below(random, 3);
    if (width > size) {
        change_byte(random, bytes, size);
        return;
    }
    uint8_t *at = bytes + etl_random_below(random, size - width + 1);
    uint64_t now = 0;
    for (size_t i = 0; i < width; i++)
        now |= (uint64_t)at[i] << 8 * i;
    const uint64_t sign = UINT64_C(1) << (width * 8 - 1);
    const uint64_t little = etl_random_small(random, 32);
    const uint64_t numbers[] = {0, 1, sign, sign - 1, UINT64_MAX, now + little, now - little, now ^ sign};
    const uint64_t value = numbers[etl_random_below(random, sizeof numbers / sizeof numbers[0])];
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A run of bytes takes the place of another. */
static void copy_run(etl_random *random, uint8_t *bytes, size_t size)
{
    const size_t run = etl_random_small(random, size);
    const size_t from = etl_random_below(random, size - run + 1), to = etl_random_below(random, size - run + 1);
    memmove(bytes + to, bytes + from, run);
}

static void fill_run(etl_random *random, uint8_t *bytes, size_t size)
{
    static const uint8_t fills[] = {0, UINT8_MAX, 'A'};
    const size_t run = etl_random_small(random, size), at = etl_random_below(random, size - run + 1);
    memset(bytes + at, fills[etl_random_below(random, sizeof fills)], run);
}

/* One byte is left at least. */
static size_t cut_run(etl_random *random, uint8_t *bytes, size_t size)
{
    const size_t run = etl_random_small(random, size - 1), from = etl_random_below(random, size - run + 1);
    memmove(bytes + from, bytes + from + run, size - from - run);
    return size - run;
}

/* Bytes by chance, or those that follow once more. */
static size_t insert_run(etl_random *random, uint8_t *bytes, size_t size, size_t most)
{
    size_t run = etl_random_small(random, INSERT_MOST);
    if (run > most - size)
        run = most - size;
    const size_t at = etl_random_below(random, size + 1);
    const bool repeat = etl_random_once_in(random, 2) && size - at >= run;
    memmove(bytes + at + run, bytes + at, size - at);
    for (size_t i = 0; i < run && !repeat; i++)
        bytes[at + i] = (uint8_t)etl_random_next(random);
    return size + run;
}

size_t etl_bytes_change(etl_random *random, uint8_t *bytes, size_t size, size_t most)
{
    if (size == 0)
        return most > 0 ? insert_run(random, bytes, size, most) : 0;
    switch (etl_random_below(random, 8)) {
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

bool etl_edit_bytes(etl_edit *edit)
{
    static const etl_piece_kind kinds[] = {ETL_PIECE_DATA, ETL_PIECE_DATA, ETL_PIECE_RAW,     ETL_PIECE_EXTRA,
                                           ETL_PIECE_LOST, ETL_PIECE_ITEM, ETL_PIECE_PADDING, ETL_PIECE_EVENT};
    etl_piece *piece = etl_edit_pick_of(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (piece == NULL)
        return false;
    const bool grows = piece->structure == ETL_STRUCTURE_COUNT && etl_edit_has_room(edit, INSERT_MOST);
    const size_t before = piece->size;
    if (!grows && before == 0)
        return false;
    uint8_t *bytes = etl_piece_resize(edit->draft, piece, before + (grows ? INSERT_MOST : 0));
    size_t after = before;
    if (grows)
        after = etl_bytes_change(&edit->random, bytes, before, before + INSERT_MOST);
    else
        change_number(&edit->random, bytes, before);
    etl_piece_resize(edit->draft, piece, after);
    if (etl_piece_is_slack(piece))
        etl_piece_keep_extent(piece->parent);
    etl_edit_say(edit, "bytes of ");
    etl_edit_say_piece(edit, piece);
    etl_edit_say(edit, " changed");
    if (after != before)
        etl_edit_say(edit, ", %zu -> %zu", before, after);
    return true;
}
