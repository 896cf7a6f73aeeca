/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input taken apart: a tree of pieces, each with bytes of its own, which lie before those of the pieces in it. A draft
 * that nobody edited writes exactly the bytes that it was read from. What the decoder cannot read is kept as raw pieces.
 *
 *     INPUT
 *       CONTEXT                        the first bytes of a part
 *       BUFFER                         its bytes: WMI_BUFFER_HEADER
 *         EVENT                        its bytes: the fixed part of its trace header
 *           EXTRA                      PEBS index, counters, parts of a message
 *           ITEM                       its bytes: EXTENDED_DATA_ITEM
 *             DATA, PADDING            both counted in TotalSize
 *           RECORD                     the structure that the user data begins with: TRACE_LOGFILE_HEADER and so on
 *           DATA                       user data, or what follows the RECORD
 *           LOST                       what of the event could not be read
 *           PADDING                    not counted in Size
 *         RAW                          gaps
 *       BUFFER                         compressed:
 *         STREAM                       its bytes: the XPRESS stream; in it, what it inflates to
 *           EVENT, RAW                 (DATA, where the input is a stream alone)
 *         RAW                          what follows the stream
 *       RAW                            between buffers, or the tail
 *
 * Parts of files have their pieces where the context ends: events, items, a stream. Inputs of CLOCK, MEMORY, RECIPE and
 * TEXT are one RAW.
 *
 *     etl_draft *draft = etl_draft_new();
 *     etl_draft_read(draft, ETL_INPUT_FILE, bytes, size);
 *     etl_draft_remove(draft, etl_draft_next(draft, NULL, ETL_PIECE_EVENT));
 *     etl_draft_settle(draft, ETL_SETTLE_ALL);
 *     size = etl_draft_write(draft, out, most);
 *
 * Pieces live as long as the draft is not read anew, the input's bytes have to as well.
 */
#ifndef ETLPROOF_DRAFT_H
#define ETLPROOF_DRAFT_H

#include <stdbool.h>

#include "etlproof/etlproof.h"
#include "input.h"
#include "model.h"

/* ETL_PIECE(name, text): the text is for descriptions. */
#define ETL_PIECES(PIECE)                                                                                                  \
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

typedef enum etl_piece_kind {
#define ETL_PIECE(name, text) ETL_PIECE_##name,
    ETL_PIECES(ETL_PIECE)
#undef ETL_PIECE
    ETL_PIECE_COUNT
} etl_piece_kind;

/* `number` of a piece that was not in the input. */
#define ETL_PIECE_NEW UINT32_MAX

typedef struct etl_piece etl_piece;
struct etl_piece {
    etl_piece_kind kind;
    etl_structure_id structure; /* of its bytes; ETL_STRUCTURE_COUNT: of none */
    etl_region_kind region;     /* RAW, LOST, PADDING: what the decoder took it for */
    uint32_t number;            /* among the pieces of its kind in the input, from 0 */
    bool changed;               /* bytes in it, or its pieces, are not those that were read */
    bool resized;               /* so much that sizes around may have to follow: for etl_draft_settle */
    uint32_t room;              /* BUFFER: bytes that it keeps to as far as its slack goes; at first those that it had */
    bool stated;                /* BUFFER: an edit has set its BufferSize, which settling leaves at that */
    etl_model_compression mode; /* STREAM: how it is compressed anew if what is in it has changed */
    const uint8_t *at;          /* its own bytes; of a STREAM those that were read, void once what is in it has changed */
    size_t size;
    etl_piece *parent, *before, *next, *first, *last;
};

typedef struct etl_draft etl_draft;
struct etl_draft {
    etl_input input;
    etl_context context;    /* of the events */
    etl_buffer_shape shape; /* of the buffers */
    etl_piece *root;        /* the INPUT */
    uint32_t numbers[ETL_PIECE_COUNT]; /* pieces read, by kind */
    struct etl_arena *arena;
    etl_chunk inflated, stream; /* for writing what is compressed anew */
};

/* Never NULL: without memory, the process ends. */
etl_draft *etl_draft_new(void);
void etl_draft_free(etl_draft *draft);

/* Takes the input apart. What was read before is gone. Takes time and memory linear in `size`. */
void etl_draft_read(etl_draft *draft, etl_input input, const uint8_t *bytes, size_t size);

/* Writes as much as fits; returns the bytes written. */
size_t etl_draft_write(etl_draft *draft, uint8_t *out, size_t most);
/* Compresses streams anew whose contents have changed. Settling and writing do it where they have to. */
void etl_draft_compress(etl_draft *draft);
/* The bytes of a piece and all in it, where a stream counts as what was read, or if it has changed, as what is in it. */
size_t etl_piece_extent(const etl_piece *piece);

const char *etl_piece_text(etl_piece_kind kind);
/* Bytes behind the events of a buffer, or of what a stream inflates to. */
bool etl_piece_is_slack(const etl_piece *piece);

/* The next piece of that kind after `piece`, in the order of bytes; NULL gives the first, and is given after the last. */
etl_piece *etl_draft_next(const etl_draft *draft, const etl_piece *piece, etl_piece_kind kind);
size_t etl_draft_count(const etl_draft *draft, etl_piece_kind kind);
/* The piece of that kind with `index` others before it; NULL if there are not so many. */
etl_piece *etl_draft_get(const etl_draft *draft, etl_piece_kind kind, size_t index);
/* The next piece of any kind: first those in `piece`, then those after it. */
etl_piece *etl_piece_walk(const etl_piece *piece);
/* The innermost piece of that kind that holds `piece`, or is it; NULL if none does. */
etl_piece *etl_piece_holder(etl_piece *piece, etl_piece_kind kind);

/* Edits. Each marks what it touched, up to the root. */

/* The piece's bytes, to be written. */
uint8_t *etl_piece_edit(etl_draft *draft, etl_piece *piece);
/* The same after its bytes were made `size` long: cut at their end, or filled up with zeros. */
uint8_t *etl_piece_resize(etl_draft *draft, etl_piece *piece, size_t size);
/* Takes bytes out of the piece's own; `from` and `size` are cut to what there is. */
void etl_piece_cut(etl_draft *draft, etl_piece *piece, size_t from, size_t size);
/* Takes the piece out, with all in it. The root and the context stay. */
void etl_draft_remove(etl_draft *draft, etl_piece *piece);
/* Puts a piece that is in no tree into `parent`, before `before`, or last if that is NULL. */
void etl_draft_insert(etl_piece *piece, etl_piece *parent, etl_piece *before);
/* A buffer keeps to the bytes that it has now: after an edit of its slack, which settling would undo. */
void etl_piece_keep_extent(etl_piece *buffer);
/* A piece that is in no tree yet, with `size` bytes of zeros. */
etl_piece *etl_draft_make(etl_draft *draft, etl_piece_kind kind, etl_structure_id structure, size_t size);
/* A copy of a piece, of this draft or another, that is in no tree yet. Its bytes are shared until one is edited. */
etl_piece *etl_draft_copy(etl_draft *draft, const etl_piece *piece);

/* A member of a piece with a structure, little-endian. 0, or false, where the bytes end before the member does. */
uint64_t etl_piece_member(const etl_piece *piece, uint32_t offset, uint32_t size);
bool etl_piece_set_member(etl_draft *draft, etl_piece *piece, uint32_t offset, uint32_t size, uint64_t value);

/* The enclosing sizes, a bit each. */
typedef enum etl_settle {
    ETL_SETTLE_ITEMS = 1,   /* DataSize, TotalSize, Linkage, padding; EXTENDED_INFO of the event */
    ETL_SETTLE_EVENTS = 2,  /* Size */
    ETL_SETTLE_PADDING = 4, /* events padded to a multiple of 8 */
    ETL_SETTLE_OFFSETS = 8, /* Offset; SavedOffset and CurrentOffset where they agreed with it */
    ETL_SETTLE_BUFFERS = 16, /* BufferSize; slack taken or given where the buffer has some */
    ETL_SETTLE_FILE = 32,   /* BuffersWritten */
    ETL_SETTLE_ALL = 63
} etl_settle;

/*
 * Sets the sizes around what was resized since the draft was read or settled; what nobody resized stays as wrong as it was.
 * A change in a compressed buffer resizes it.
 */
void etl_draft_settle(etl_draft *draft, unsigned what);

#endif
