/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: what words of 8 bytes have that structures begin with. They are looked for in blocks, in all words of one at once.
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
    TOOL_MARK_LIST_X86, /* a word of two addresses of the kernel's half */
    TOOL_MARK_LIST_X64, /* two words of one each */
    TOOL_MARK_SESSION,  /* LoggerId and BufferSize, and MaximumEventSize in the word behind */
    TOOL_MARK_TIME,     /* FILETIME */
    TOOL_MARK_BEGINNINGS,
    /* Further on in a provider */
    TOOL_MARK_ENABLE = TOOL_MARK_BEGINNINGS /* the first word of TRACE_ENABLE_INFO */
} tool_mark;

/* A word has a mark if, less `least`, the bits of `mask` are a number below `end`, at most 2^63. */
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

/* The highest bit of the result says whether a number is below `end`, at most 2^63; the other bits say nothing. Compilers
   make it of several words at once, which they do not of a comparison of 64 bits. */
static inline uint64_t tool_sign_if_below(uint64_t number, uint64_t end)
{
    return (number - end) & ~number;
}

/* The same, whether a word has a mark; of a mark of several words, the part that is in each. */
static inline uint64_t tool_sign_if_marked(uint64_t word, tool_mark mark)
{
    const tool_mark_facts *facts = &tool_marks[mark];
    return tool_sign_if_below((word - facts->least) & facts->mask, facts->end);
}

/* `size` bytes from `at` on; those behind the end are zeros, in `room`, which has as many. */
static inline etl_span tool_block_bytes(etl_span bytes, size_t at, uint8_t *room, size_t size)
{
    const etl_span part = etl_span_part(bytes, at, size);
    if (part.size == size)
        return part;
    memset(room, 0, size);
    if (part.size > 0)
        memcpy(room, part.at, part.size);
    return (etl_span){room, size};
}

/* The number of the lowest bit that is set; one is. */
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

/* A provider's TRACE_ENABLE_INFO structures: ProviderEnableInfo, and EnableInfo, which follows it. */
#define TOOL_ENABLE_COUNT \
    ((ETL_TYPE_SIZE(TRACE_ENABLE_INFO) + ETL_TYPE_SIZE(TRACE_ENABLE_INFO_8)) / ETL_TYPE_SIZE(TRACE_ENABLE_INFO))

/* A bit for each word of the block at `at`, and for the one behind it, that has the whole mark. */
uint32_t tool_marked_words(etl_span bytes, size_t at, tool_mark mark);

#endif
