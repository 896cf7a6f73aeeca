/* SPDX-License-Identifier: Apache-2.0 */
#include "layout/marks.h"

#include "etlproof/format.h"

/* With the word behind, which may have a mark that lies in a structure that begins before, and that behind it, which may be
   part of the mark. */
#define MARKED (TOOL_BLOCK + 2 * TOOL_WORD)
/* An event is larger than its header, and smaller than its buffer. */
#define EVENT_LEAST ((uint64_t)ETL_SIZE(EVENT_HEADER) + 1)

/* A mark may go on in the word behind. */
static inline uint64_t sign_at(etl_span words, size_t index, tool_mark mark)
{
    const uint64_t word = etl_load_u64(words, index * TOOL_WORD),
                   behind = etl_load_u64(words, index * TOOL_WORD + TOOL_WORD);
    const uint64_t sign = tool_sign_if_marked(word, mark), event = behind & UINT32_MAX, buffer = word >> 32;
    if (mark == TOOL_MARK_LIST_X64)
        return sign & tool_sign_if_marked(behind, mark);
    if (mark == TOOL_MARK_SESSION)
        return sign & tool_sign_if_below(event - EVENT_LEAST, buffer - EVENT_LEAST);
    return sign;
}

/* No branch depends on a single word: in noise none could be foreseen. */
static inline uint32_t bits_of(etl_span words, tool_mark mark)
{
    uint64_t any = 0;
    uint32_t bits = 0;
    words.size = MARKED;
    for (size_t i = 0; i <= TOOL_BLOCK_WORDS; i++)
        any |= sign_at(words, i, mark);
    for (size_t i = TOOL_BLOCK_WORDS + 1; any >> 63 != 0 && i-- > 0;)
        bits = 2 * bits + (uint32_t)(sign_at(words, i, mark) >> 63);
    return bits;
}

/* The mark is a constant in each, so that no word is asked which it is. */
uint32_t tool_marked_words(etl_span bytes, size_t at, tool_mark mark)
{
    uint8_t room[MARKED];
    const etl_span words = tool_block_bytes(bytes, at, room, MARKED);
    switch (mark) {
    case TOOL_MARK_LIST_X86: return bits_of(words, TOOL_MARK_LIST_X86);
    case TOOL_MARK_LIST_X64: return bits_of(words, TOOL_MARK_LIST_X64);
    case TOOL_MARK_SESSION: return bits_of(words, TOOL_MARK_SESSION);
    default: return bits_of(words, TOOL_MARK_TIME);
    }
}
