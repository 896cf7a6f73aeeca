/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of compression: plain buffers compressed, compressed ones made plain, streams written anew in another way, and
 * streams themselves damaged. What is in a stream is edited like all else; writing the draft compresses it anew.
 */
#include "edit.h"

static etl_model_compression pick_mode(etl_edit *edit)
{
    static const etl_model_compression modes[] = {ETL_MODEL_LITERAL, ETL_MODEL_GREEDY, ETL_MODEL_LAZY};
    return modes[etl_random_below(&edit->random, sizeof modes / sizeof modes[0])];
}

static const char *mode_text(etl_model_compression mode)
{
    switch (mode) {
    case ETL_MODEL_LITERAL: return "literals alone";
    case ETL_MODEL_GREEDY: return "longest matches";
    default: return "matches of every form";
    }
}

static void move_all(etl_draft *draft, etl_piece *from, etl_piece *into, etl_piece *before)
{
    for (etl_piece *p = from->first, *next; p != NULL; p = next) {
        next = p->next;
        if (p == into)
            continue;
        etl_draft_remove(draft, p);
        if (!etl_piece_is_slack(p))
            etl_draft_insert(p, into, before);
    }
}

static void set_flag(etl_draft *draft, etl_piece *buffer, bool compressed)
{
    const uint32_t at = ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag);
    const uint64_t flags = etl_piece_member(buffer, at, sizeof(uint16_t)), bit = ETL_BUFFER_FLAG_COMPRESSED;
    etl_piece_set_member(draft, buffer, at, sizeof(uint16_t), compressed ? flags | bit : flags & ~bit);
}

/* What of the file announces compressed buffers: the format in the header buffer's State, and a bit of LogFileMode. */
static void announce(etl_draft *draft)
{
    etl_piece *record = etl_draft_next(draft, NULL, ETL_PIECE_RECORD);
    etl_piece *buffer = record != NULL ? etl_piece_holder(record, ETL_PIECE_BUFFER) : NULL;
    if (buffer == NULL)
        return;
    uint32_t at = ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode);
    if (record->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER32)
        at = ETL_AT(TRACE_LOGFILE_HEADER32, LogFileMode);
    else if (record->structure != ETL_STRUCTURE_TRACE_LOGFILE_HEADER64)
        return;
    const uint64_t mode = etl_piece_member(record, at, sizeof(uint32_t));
    etl_piece_set_member(draft, record, at, sizeof(uint32_t), mode | ETL_LOGGER_MODE_COMPRESSED_MODE);
    etl_piece_set_member(draft, buffer, ETL_AT(WMI_BUFFER_HEADER_61, State), sizeof(uint16_t),
                         ETL_COMPRESSION_FORMAT_XPRESS);
}

/*
 * The headers of 5.0 and 5.1 have no flag to say it. Header buffers are left plain but once in a while: the decoder does
 * not take them for compressed ones.
 */
bool etl_edit_pack(etl_edit *edit)
{
    etl_piece *buffer = etl_edit_pick(edit, edit->draft, ETL_PIECE_BUFFER);
    if (buffer == NULL || etl_piece_contents(buffer) != buffer || buffer->structure == ETL_STRUCTURE_WMI_BUFFER_HEADER_50)
        return false;
    if (etl_piece_is_head(buffer) && !etl_random_once_in(&edit->random, 16))
        return false;
    etl_piece *stream = etl_draft_make(edit->draft, ETL_PIECE_STREAM, ETL_STRUCTURE_COUNT, 0);
    etl_draft_insert(stream, buffer, buffer->first);
    move_all(edit->draft, buffer, stream, NULL);
    stream->mode = pick_mode(edit);
    stream->changed = true;
    set_flag(edit->draft, buffer, true);
    if (!etl_random_once_in(&edit->random, 8))
        announce(edit->draft);
    etl_edit_say_piece(edit, buffer);
    etl_edit_say(edit, " compressed, %s", mode_text(stream->mode));
    return true;
}

static etl_piece *pick_stream(etl_edit *edit)
{
    return etl_edit_pick(edit, edit->draft, ETL_PIECE_STREAM);
}

bool etl_piece_unpack(etl_draft *draft, etl_piece *stream)
{
    if (stream->parent->kind != ETL_PIECE_BUFFER || stream->first == NULL)
        return false;
    etl_piece *buffer = stream->parent;
    while (stream->next != NULL)
        etl_draft_remove(draft, stream->next);
    move_all(draft, stream, buffer, NULL);
    etl_draft_remove(draft, stream);
    set_flag(draft, buffer, false);
    etl_piece_keep_extent(buffer);
    return true;
}

bool etl_edit_unpack(etl_edit *edit)
{
    etl_piece *stream = pick_stream(edit);
    etl_piece *buffer = stream != NULL ? stream->parent : NULL;
    if (stream == NULL || !etl_piece_unpack(edit->draft, stream))
        return false;
    etl_edit_say_piece(edit, buffer);
    etl_edit_say(edit, " made plain");
    return true;
}

bool etl_edit_repack(etl_edit *edit)
{
    etl_piece *stream = pick_stream(edit);
    if (stream == NULL || stream->first == NULL)
        return false;
    stream->mode = pick_mode(edit);
    stream->changed = true;
    for (etl_piece *p = stream->parent; p != NULL; p = p->parent)
        p->changed = p->resized = true;
    etl_edit_say_piece(edit, stream);
    etl_edit_say(edit, " compressed anew, %s", mode_text(stream->mode));
    return true;
}

/* The stream's own bytes, as no compressor would write them; from then on it is closed, or an edit inside would undo it. */
bool etl_edit_stream(etl_edit *edit)
{
    enum { MORE = 16 };
    etl_piece *stream = pick_stream(edit);
    if (stream == NULL)
        return false;
    etl_draft_compress(edit->draft);
    const size_t before = stream->size;
    if (before == 0 || !etl_edit_has_room(edit, MORE))
        return false;
    uint8_t *bytes = etl_piece_resize(edit->draft, stream, before + MORE);
    const size_t after = etl_bytes_change(&edit->random, bytes, before, before + MORE);
    etl_piece_resize(edit->draft, stream, after);
    stream->first = stream->last = NULL;
    etl_edit_say_piece(edit, stream);
    etl_edit_say(edit, " damaged, %zu -> %zu bytes", before, after);
    return true;
}
