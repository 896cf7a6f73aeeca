/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of compression: compress plain buffers, make compressed ones plain, write streams in another way, and damage
 * streams. The pieces in a stream are edited like all others; writing the draft compresses them again.
 */
#include "edit.h"

static build_model_compression pick_mode(mutator_edit *edit)
{
    static const build_model_compression modes[] = {BUILD_MODEL_LITERAL, BUILD_MODEL_GREEDY, BUILD_MODEL_LAZY};
    return modes[mutator_random_below(&edit->random, sizeof modes / sizeof modes[0])];
}

static const char *mode_text(build_model_compression mode)
{
    switch (mode) {
    case BUILD_MODEL_LITERAL: return "literals alone";
    case BUILD_MODEL_GREEDY: return "longest matches";
    default: return "matches of every form";
    }
}

static void move_all(mutator_draft *draft, mutator_piece *from, mutator_piece *into, mutator_piece *before)
{
    for (mutator_piece *p = from->first, *next; p != NULL; p = next) {
        next = p->next;
        if (p == into)
            continue;
        mutator_draft_remove(draft, p);
        if (!mutator_piece_is_slack(p))
            mutator_draft_insert(p, into, before);
    }
}

static void set_flag(mutator_draft *draft, mutator_piece *buffer, bool compressed)
{
    const uint32_t at = ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag);
    const uint64_t flags = mutator_piece_member(buffer, at, sizeof(uint16_t)), bit = ETL_BUFFER_FLAG_COMPRESSED;
    mutator_piece_set_member(draft, buffer, at, sizeof(uint16_t), compressed ? flags | bit : flags & ~bit);
}

/* What announces compressed buffers in the file: the format in the header buffer's State, and a bit of LogFileMode. */
static void announce(mutator_draft *draft)
{
    mutator_piece *record = mutator_draft_next(draft, NULL, MUTATOR_PIECE_RECORD);
    mutator_piece *buffer = record != NULL ? mutator_piece_holder(record, MUTATOR_PIECE_BUFFER) : NULL;
    if (buffer == NULL)
        return;
    uint32_t at = ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode);
    if (record->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER32)
        at = ETL_AT(TRACE_LOGFILE_HEADER32, LogFileMode);
    else if (record->structure != ETL_STRUCTURE_TRACE_LOGFILE_HEADER64)
        return;
    const uint64_t mode = mutator_piece_member(record, at, sizeof(uint32_t));
    mutator_piece_set_member(draft, record, at, sizeof(uint32_t), mode | ETL_LOGGER_MODE_COMPRESSED_MODE);
    mutator_piece_set_member(draft, buffer, ETL_AT(WMI_BUFFER_HEADER_61, State), sizeof(uint16_t),
                             ETL_COMPRESSION_FORMAT_XPRESS);
}

/*
 * The header of Windows 5.0 and 5.1 has no flag for compression. Header buffers mostly stay plain: the decoder never takes
 * them for compressed ones.
 */
bool mutator_edit_pack(mutator_edit *edit)
{
    mutator_piece *buffer = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_BUFFER);
    if (buffer == NULL || mutator_piece_contents(buffer) != buffer ||
        buffer->structure == ETL_STRUCTURE_WMI_BUFFER_HEADER_50)
        return false;
    if (mutator_piece_is_head(buffer) && !mutator_random_once_in(&edit->random, 16))
        return false;
    mutator_piece *stream = mutator_draft_make(edit->draft, MUTATOR_PIECE_STREAM, ETL_STRUCTURE_COUNT, 0);
    mutator_draft_insert(stream, buffer, buffer->first);
    move_all(edit->draft, buffer, stream, NULL);
    stream->mode = pick_mode(edit);
    stream->changed = true;
    set_flag(edit->draft, buffer, true);
    if (!mutator_random_once_in(&edit->random, 8))
        announce(edit->draft);
    mutator_edit_say_piece(edit, buffer);
    mutator_edit_say(edit, " compressed, %s", mode_text(stream->mode));
    return true;
}

static mutator_piece *pick_stream(mutator_edit *edit)
{
    return mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_STREAM);
}

bool mutator_piece_unpack(mutator_draft *draft, mutator_piece *stream)
{
    if (stream->parent->kind != MUTATOR_PIECE_BUFFER || stream->first == NULL)
        return false;
    mutator_piece *buffer = stream->parent;
    while (stream->next != NULL)
        mutator_draft_remove(draft, stream->next);
    move_all(draft, stream, buffer, NULL);
    mutator_draft_remove(draft, stream);
    set_flag(draft, buffer, false);
    mutator_piece_keep_extent(buffer);
    return true;
}

bool mutator_edit_unpack(mutator_edit *edit)
{
    mutator_piece *stream = pick_stream(edit);
    mutator_piece *buffer = stream != NULL ? stream->parent : NULL;
    if (stream == NULL || !mutator_piece_unpack(edit->draft, stream))
        return false;
    mutator_edit_say_piece(edit, buffer);
    mutator_edit_say(edit, " made plain");
    return true;
}

bool mutator_edit_repack(mutator_edit *edit)
{
    mutator_piece *stream = pick_stream(edit);
    if (stream == NULL || stream->first == NULL)
        return false;
    stream->mode = pick_mode(edit);
    stream->changed = true;
    for (mutator_piece *p = stream->parent; p != NULL; p = p->parent)
        p->changed = p->resized = true;
    mutator_edit_say_piece(edit, stream);
    mutator_edit_say(edit, " compressed anew, %s", mode_text(stream->mode));
    return true;
}

/* Changes the stream's own bytes as no compressor would write them. The stream stays closed then, as an edit inside would
   undo the change. */
bool mutator_edit_stream(mutator_edit *edit)
{
    enum { MORE = 16 };
    mutator_piece *stream = pick_stream(edit);
    if (stream == NULL)
        return false;
    mutator_draft_compress(edit->draft);
    const size_t before = stream->size;
    if (before == 0 || !mutator_edit_has_space(edit, MORE))
        return false;
    uint8_t *bytes = mutator_piece_resize(edit->draft, stream, before + MORE);
    const size_t after = mutator_bytes_change(&edit->random, bytes, before, before + MORE);
    mutator_piece_resize(edit->draft, stream, after);
    stream->first = stream->last = NULL;
    mutator_edit_say_piece(edit, stream);
    mutator_edit_say(edit, " damaged, %zu -> %zu bytes", before, after);
    return true;
}
