/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first, cheapest filter of the search for structures in an image. sieve.c calls this for each stretch of blocks.
 */
#include "layout/glance.h"

#define ENABLE_WORDS (ETL_TYPE_SIZE(TRACE_ENABLE_INFO) / TOOL_WORD)

/* Bits seen in a block itself. The higher bits are what a later block has if a structure begins in an earlier one. */
#define SEEN_LIST (TOOL_SIGHT(TOOL_MARK_LIST_X86) | TOOL_SIGHT(TOOL_MARK_LIST_X64)) /* a word has the highest bit */
#define SEEN_SESSION TOOL_SIGHT(TOOL_MARK_SESSION)
#define SEEN_TIME TOOL_SIGHT(TOOL_MARK_TIME)
#define BEHIND(seen) ((seen) << TOOL_MARK_BEGINNINGS)
#define SEEN_ENABLE BEHIND(SEEN_LIST)  /* its words can be TRACE_ENABLE_INFO structures */
#define SEEN_NAME BEHIND(SEEN_SESSION) /* half a word has its highest bit set, as kernel addresses have */

/* Blocks behind the start of a structure that are seen. The TRACE_ENABLE_INFO structures of a provider fill the first block
   behind the one they begin in, which is block 1 or 2. The address of the name of a session lies no further. */
#define FURTHEST 2u
_Static_assert((TOOL_ENABLE_COUNT - 1) * ETL_TYPE_SIZE(TRACE_ENABLE_INFO) >= FURTHEST * TOOL_BLOCK,
               "EnableInfo need not fill a block");
enum { NONE = 0 };
#define ETL_MEMORY_MEMBER(name, type, since, until, x86, x64, evidence) \
    _Static_assert(ETL_MEMORY_TYPE_##type != ETL_MEMORY_TYPE_TRACE_ENABLE_INFO || \
                       ((x86) <= TOOL_BLOCK && (x64) <= TOOL_BLOCK), "EnableInfo is out of sight");
#include "format/layouts/etw_guid_entry.def"
/* No other string member has a name of that length. */
#define ETL_MEMORY_MEMBER(name, type, since, until, x86, x64, evidence)                                                    \
    _Static_assert(ETL_MEMORY_TYPE_##type != ETL_MEMORY_TYPE_UNICODE_STRING || sizeof(name) != sizeof("LoggerName") ||     \
                       ((x86) + ETL_PART_AT_X86(UNICODE_STRING, Buffer) <= FURTHEST * TOOL_BLOCK &&                        \
                        (x64) + ETL_PART_AT(UNICODE_STRING, Buffer) <= FURTHEST * TOOL_BLOCK),                             \
                   "LoggerName is out of sight");
#include "format/layouts/wmi_logger_context.def"

/* Like tool_sign_if_marked, but ignores the highest bit: one operation less for each word of the image. */
static inline uint64_t sign_if_like(uint64_t word, tool_mark mark)
{
    const tool_mark_facts *facts = &tool_marks[mark];
    return ((word - facts->least) & facts->mask & INT64_MAX) - facts->end;
}

static inline uint8_t seen(etl_span block)
{
    uint64_t session = 0, time = 0, enable = 0, all = 0, columns[ENABLE_WORDS] = {0};
    block.size = TOOL_BLOCK; /* known to the compiler, so that the loads need no checks */
    for (size_t i = 0; i < TOOL_BLOCK_WORDS; i++) {
        session |= sign_if_like(etl_load_u64(block, i * TOOL_WORD), TOOL_MARK_SESSION);
        time |= sign_if_like(etl_load_u64(block, i * TOOL_WORD), TOOL_MARK_TIME);
    }
    for (size_t i = 0; i < TOOL_BLOCK_WORDS; i++)
        columns[i % ENABLE_WORDS] |= etl_load_u64(block, i * TOOL_WORD);
    for (size_t i = 0; i < ENABLE_WORDS; i++) {
        enable |= sign_if_like(columns[i], TOOL_MARK_ENABLE);
        all |= columns[i];
    }
    return (uint8_t)((all >> 63 != 0 ? SEEN_LIST : 0) | (session >> 63 != 0 ? SEEN_SESSION : 0) |
                     (time >> 63 != 0 ? SEEN_TIME : 0) | (enable >> 63 != 0 ? SEEN_ENABLE : 0) |
                     ((all & TOOL_ADDRESS_X86) != 0 ? SEEN_NAME : 0));
}

/* The time may be the second word of a structure, and so lie in the next block. */
static uint8_t sight_of(const uint8_t *blocks)
{
    const uint32_t behind = blocks[1] | blocks[2];
    return (uint8_t)((blocks[0] & behind >> TOOL_MARK_BEGINNINGS & SEEN_LIST) |
                     (blocks[0] & (blocks[0] | behind) >> TOOL_MARK_BEGINNINGS & SEEN_SESSION) |
                     ((blocks[0] | blocks[1]) & SEEN_TIME));
}

void tool_glance(etl_span bytes, size_t count, uint8_t *sights)
{
    uint8_t blocks[TOOL_STRETCH + FURTHEST], copy[TOOL_BLOCK];
    for (size_t i = 0; i < count + FURTHEST; i++)
        blocks[i] = seen(tool_block_bytes(bytes, i * TOOL_BLOCK, copy, TOOL_BLOCK));
    for (size_t i = 0; i < count; i++)
        sights[i] = sight_of(&blocks[i]);
}
