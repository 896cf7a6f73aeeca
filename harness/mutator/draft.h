/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input as a tree of pieces. Each piece has bytes of its own, followed by those of the pieces in it. A draft without
 * edits writes exactly the bytes that it was read from. Bytes that the decoder cannot read are kept as raw pieces.
 *
 *     INPUT
 *       CONTEXT                        the context of an input that is not a file
 *       BUFFER                         its bytes: WMI_BUFFER_HEADER
 *         EVENT                        its bytes: the fixed part of its trace header
 *           EXTRA                      PEBS index, counters, parts of a message
 *           ITEM                       its bytes: EXTENDED_DATA_ITEM
 *             DATA, PADDING            both counted in TotalSize
 *           RECORD                     the structure that the user data begins with: TRACE_LOGFILE_HEADER and so on
 *           DATA                       user data, or what follows the RECORD
 *           LOST                       bytes of the event that could not be read
 *           PADDING                    not counted in Size
 *         RAW                          gaps
 *       BUFFER                         compressed:
 *         STREAM                       its bytes: the XPRESS stream; in it, its inflated pieces
 *           EVENT, RAW                 (DATA, if the input is only a stream)
 *         RAW                          what follows the stream
 *       RAW                            between buffers, or the tail
 *
 * In inputs with a context, the pieces follow the context: events, items, a stream. Inputs of CLOCK, MEMORY, RECIPE and
 * TEXT are one RAW.
 *
 *     mutator_draft *draft = mutator_draft_new();
 *     mutator_draft_read(draft, INPUT_FILE, bytes, size);
 *     mutator_draft_remove(draft, mutator_draft_next(draft, NULL, MUTATOR_PIECE_EVENT));
 *     mutator_draft_settle(draft, MUTATOR_SETTLE_ALL);
 *     size = mutator_draft_write(draft, out, most);
 *
 * Pieces, and the input's bytes, are used until the draft is read again.
 */
#ifndef ETLPROOF_MUTATOR_DRAFT_H
#define ETLPROOF_MUTATOR_DRAFT_H

#include <stdbool.h>

#include "etlproof/etlproof.h"
#include "fuzz_input.h"
#include "model/model.h"

/* MUTATOR_PIECE(name, text): the text is for descriptions. */
#define MUTATOR_PIECES(PIECE)                                                                                              \
    PIECE(INPUT, "input")                                                                                                  \
    PIECE(CONTEXT, "context")                                                                                              \
    PIECE(BUFFER, "buffer")                                                                                                \
    PIECE(STREAM, "stream")                                                                                                \
    PIECE(EVENT, "event")                                                                                                  \
    PIECE(EXTRA, "header parts")                                                                                           \
    PIECE(ITEM, "item")                                                                                                    \
    PIECE(RECORD, "record")                                                                                                \
    PIECE(DATA, "data")                                                                                                    \
    PIECE(LOST, "lost bytes")                                                                                              \
    PIECE(PADDING, "padding")                                                                                              \
    PIECE(RAW, "raw bytes")

typedef enum mutator_piece_kind {
#define MUTATOR_PIECE(name, text) MUTATOR_PIECE_##name,
    MUTATOR_PIECES(MUTATOR_PIECE)
#undef MUTATOR_PIECE
        MUTATOR_PIECE_COUNT
} mutator_piece_kind;

/* `number` of a piece that was not in the input. */
#define MUTATOR_PIECE_NEW UINT32_MAX

typedef struct mutator_piece mutator_piece;
struct mutator_piece {
    mutator_piece_kind kind;
    etl_structure_id structure; /* of its bytes; ETL_STRUCTURE_COUNT: of none */
    etl_region_kind region;     /* RAW, LOST, PADDING: the kind that the decoder reported */
    uint32_t number;            /* among the pieces of its kind in the input, from 0 */
    bool changed;               /* its bytes or pieces are not those that were read */
    bool resized;               /* enclosing sizes may need correction: for mutator_draft_settle */
    uint32_t kept_size;         /* BUFFER: the size to keep as long as its slack suffices; initially its own */
    bool stated;                /* BUFFER: an edit has set its BufferSize, which settling keeps */
    build_model_compression mode; /* STREAM: how it is compressed again if the pieces in it have changed */
    const uint8_t *at;          /* its own bytes; of a STREAM as read, void once the pieces in it have changed */
    size_t size;
    mutator_piece *parent, *before, *next, *first, *last;
};

typedef struct mutator_draft mutator_draft;
struct mutator_draft {
    input_kind input;
    etl_context context;    /* of the events */
    etl_buffer_shape shape; /* of the buffers */
    mutator_piece *root;        /* the INPUT */
    uint32_t numbers[MUTATOR_PIECE_COUNT]; /* pieces read, by kind */
    struct mutator_arena *arena;
    build_chunk inflated, stream; /* for writing streams */
};

/* Never NULL: without memory, the process ends. */
mutator_draft *mutator_draft_new(void);
void mutator_draft_free(mutator_draft *draft);

/* Reads an input; the pieces of the previous one are gone. Time and memory are linear in `size`. */
void mutator_draft_read(mutator_draft *draft, input_kind input, const uint8_t *bytes, size_t size);

/* Writes as much as fits; returns the bytes written. */
size_t mutator_draft_write(mutator_draft *draft, uint8_t *out, size_t most);
/* Compresses the streams whose pieces have changed. Settling and writing do so when they need it. */
void mutator_draft_compress(mutator_draft *draft);
/* The bytes of a piece and all pieces in it. An unchanged stream counts as read, a changed one as its inflated pieces. */
size_t mutator_piece_extent(const mutator_piece *piece);

const char *mutator_piece_text(mutator_piece_kind kind);
/* Whether the piece is the bytes after the events of a buffer or stream. */
bool mutator_piece_is_slack(const mutator_piece *piece);

/* The next piece of that kind after `piece`, in the order of bytes; NULL gives the first, and is given after the last. */
mutator_piece *mutator_draft_next(const mutator_draft *draft, const mutator_piece *piece, mutator_piece_kind kind);
size_t mutator_draft_count(const mutator_draft *draft, mutator_piece_kind kind);
/* The piece of that kind at `index`; NULL after the last. */
mutator_piece *mutator_draft_get(const mutator_draft *draft, mutator_piece_kind kind, size_t index);
/* The next piece of any kind: first those in `piece`, then those after it. */
mutator_piece *mutator_piece_walk(const mutator_piece *piece);
/* The innermost piece of that kind that contains `piece`, or is it; NULL if none does. */
mutator_piece *mutator_piece_holder(mutator_piece *piece, mutator_piece_kind kind);

/* Edits. Each marks the pieces it changes, up to the root. */

/* The piece's bytes, to be written. */
uint8_t *mutator_piece_edit(mutator_draft *draft, mutator_piece *piece);
/* The same after resizing to `size` bytes: cut at the end, or padded with zeros. */
uint8_t *mutator_piece_resize(mutator_draft *draft, mutator_piece *piece, size_t size);
/* Removes bytes of the piece's own; `from` and `size` are limited to them. */
void mutator_piece_cut(mutator_draft *draft, mutator_piece *piece, size_t from, size_t size);
/* Removes the piece with all pieces in it. The root and the context stay. */
void mutator_draft_remove(mutator_draft *draft, mutator_piece *piece);
/* Inserts a piece that is in no tree into `parent`, before `before`, or last if that is NULL. */
void mutator_draft_insert(mutator_piece *piece, mutator_piece *parent, mutator_piece *before);
/* Makes the buffer keep its current size: after an edit of its slack, which settling would undo. */
void mutator_piece_keep_extent(mutator_piece *buffer);
/* A piece that is in no tree yet, with `size` bytes of zeros. */
mutator_piece *mutator_draft_make(mutator_draft *draft, mutator_piece_kind kind, etl_structure_id structure, size_t size);
/* A copy of a piece, of this draft or another, that is in no tree yet. Its bytes are shared until one is edited. */
mutator_piece *mutator_draft_copy(mutator_draft *draft, const mutator_piece *piece);

/* A member of a piece with a structure, little-endian. 0, or false, where the bytes end before the member does. */
uint64_t mutator_piece_member(const mutator_piece *piece, uint32_t offset, uint32_t size);
bool mutator_piece_set_member(mutator_draft *draft, mutator_piece *piece, uint32_t offset, uint32_t size, uint64_t value);

/* The enclosing sizes, a bit each. */
typedef enum mutator_settle {
    MUTATOR_SETTLE_ITEMS = 1,   /* DataSize, TotalSize, Linkage, padding; EXTENDED_INFO of the event */
    MUTATOR_SETTLE_EVENTS = 2,  /* Size */
    MUTATOR_SETTLE_PADDING = 4, /* events padded to a multiple of 8 */
    MUTATOR_SETTLE_OFFSETS = 8, /* Offset; SavedOffset and CurrentOffset where they agreed with it */
    MUTATOR_SETTLE_BUFFERS = 16, /* BufferSize; slack taken or given where the buffer has some */
    MUTATOR_SETTLE_FILE = 32,   /* BuffersWritten */
    MUTATOR_SETTLE_ALL = 63
} mutator_settle;

/*
 * Corrects the sizes that enclose pieces which were resized since the draft was read or settled. Other wrong sizes stay. A
 * change in a compressed buffer resizes it.
 */
void mutator_draft_settle(mutator_draft *draft, unsigned what);

#endif
