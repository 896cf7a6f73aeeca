/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: patterns of the words of 8 bytes that structures begin with. A block of words is searched at once.
 */
#ifndef ETLPROOF_LAYOUT_MARKS_H
#define ETLPROOF_LAYOUT_MARKS_H

#include <string.h>

#include "etlproof/memory.h"

#include "memory/type_constants.h"
#include "span.h"

/* All structures are aligned to a word: each has a member of 8 bytes. */
#define TOOL_WORD 8u
#define TOOL_BLOCK_WORDS 16u
#define TOOL_BLOCK (TOOL_BLOCK_WORDS * TOOL_WORD)

typedef enum tool_mark {
    TOOL_MARK_LIST_X86, /* one word with two kernel addresses */
    TOOL_MARK_LIST_X64, /* two words with one kernel address each */
    TOOL_MARK_SESSION,  /* LoggerId and BufferSize, then MaximumEventSize in the next word */
    TOOL_MARK_TIME,     /* FILETIME */
    TOOL_MARK_BEGINNINGS,
    /* Inside a provider */
    TOOL_MARK_ENABLE = TOOL_MARK_BEGINNINGS /* the first word of TRACE_ENABLE_INFO */
} tool_mark;

/* A word has the mark if (word - least) & mask < end. `end` is at most 2^63. */
typedef struct tool_mark_facts {
    uint64_t least, mask, end;
} tool_mark_facts;

#define TOOL_ADDRESS_X64 ETL_MEMORY_KERNEL_LEAST_X64
#define TOOL_ADDRESS_X86 ((uint64_t)ETL_MEMORY_KERNEL_LEAST_X86 << 32 | ETL_MEMORY_KERNEL_LEAST_X86) /* two */
#define TOOL_SESSION_LEAST ((uint64_t)ETL_MEMORY_BUFFER_SIZE_LEAST << 32)
#define TOOL_SESSION_BITS \
    ((uint64_t)(ETL_MEMORY_BUFFER_SIZE_MOST - ETL_MEMORY_BUFFER_SIZE_LEAST) << 32 | (ETL_MEMORY_LOGGERS_MOST - 1))
#define TOOL_ENABLE_BITS(part, most) ((uint64_t)(most) << 8 * ETL_PART_AT(TRACE_ENABLE_INFO, part))

static const tool_mark_facts tool_marks[] = {
    [TOOL_MARK_LIST_X86] = {TOOL_ADDRESS_X86, TOOL_ADDRESS_X86 | UINT64_C(0x0000000300000003), 1},
    [TOOL_MARK_LIST_X64] = {TOOL_ADDRESS_X64, TOOL_ADDRESS_X64 | 7, 1},
    [TOOL_MARK_SESSION] = {TOOL_SESSION_LEAST, ~TOOL_SESSION_BITS, 1},
    [TOOL_MARK_TIME] = {ETL_GUESS_TIME_LEAST, UINT64_MAX, ETL_GUESS_TIME_MOST - ETL_GUESS_TIME_LEAST + 1},
    [TOOL_MARK_ENABLE] = {0,
                          ~(TOOL_ENABLE_BITS(IsEnabled, 1) | TOOL_ENABLE_BITS(Level, UINT8_MAX) |
                            TOOL_ENABLE_BITS(LoggerId, ETL_MEMORY_LOGGERS_MOST - 1)),
                          1},
};

/* The highest bit of the result is set if `number` is below `end`, at most 2^63; the other bits have no meaning. Compilers
   vectorise this, but not a comparison of 64 bits. */
static inline uint64_t tool_sign_if_below(uint64_t number, uint64_t end)
{
    return (number - end) & ~number;
}

/* Likewise, if a word has a mark; for a mark of several words, the part that each of them has. */
static inline uint64_t tool_sign_if_marked(uint64_t word, tool_mark mark)
{
    const tool_mark_facts *facts = &tool_marks[mark];
    return tool_sign_if_below((word - facts->least) & facts->mask, facts->end);
}

/* `size` bytes from `at` on. At the end of the span they are copied to `block` and filled up with zeros. */
static inline etl_span tool_block_bytes(etl_span bytes, size_t at, uint8_t *block, size_t size)
{
    const etl_span part = etl_span_part(bytes, at, size);
    if (part.size == size)
        return part;
    memset(block, 0, size);
    if (part.size > 0)
        memcpy(block, part.at, part.size);
    return (etl_span){block, size};
}

/* The index of the lowest bit that is set. `bits` is not 0. */
static inline uint32_t tool_lowest_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t number = 0;
    for (; (bits & 1) == 0; bits >>= 1)
        number++;
    return number;
#endif
}

/* The TRACE_ENABLE_INFO structures of a provider: ProviderEnableInfo and, behind it, EnableInfo. */
#define TOOL_ENABLE_COUNT \
    ((ETL_TYPE_SIZE(TRACE_ENABLE_INFO) + ETL_TYPE_SIZE(TRACE_ENABLE_INFO_8)) / ETL_TYPE_SIZE(TRACE_ENABLE_INFO))

/* One bit for each word of the block at `at`, and for the word behind it, that has the whole mark. */
uint32_t tool_marked_words(etl_span bytes, size_t at, tool_mark mark);

#endif
