/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second filter of the search for structures in an image: the words of a block that have a mark. sieve.c calls this.
 */
#include "layout/marks.h"

#include "etlproof/format.h"

/* The block and two more words: the first may hold a mark of a structure that begins in the block, the second the rest of
   that mark. */
#define MARKED (TOOL_BLOCK + 2 * TOOL_WORD)
/* An event is larger than its header, and smaller than its buffer. */
#define EVENT_LEAST ((uint64_t)ETL_SIZE(EVENT_HEADER) + 1)

/* A mark may continue in the next word. */
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

/* No branch depends on a single word: random bytes would make it unpredictable. */
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

/* Each call has a constant mark, so that the compiler specialises the loop. */
uint32_t tool_marked_words(etl_span bytes, size_t at, tool_mark mark)
{
    uint8_t block[MARKED];
    const etl_span words = tool_block_bytes(bytes, at, block, MARKED);
    switch (mark) {
    case TOOL_MARK_LIST_X86: return bits_of(words, TOOL_MARK_LIST_X86);
    case TOOL_MARK_LIST_X64: return bits_of(words, TOOL_MARK_LIST_X64);
    case TOOL_MARK_SESSION: return bits_of(words, TOOL_MARK_SESSION);
    default: return bits_of(words, TOOL_MARK_TIME);
    }
}
