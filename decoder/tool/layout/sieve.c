/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word of 8 bytes is looked at once, and the answers of 64 words make a word of bits for each mark. Few places have one;
 * of those, few are left after the first members.
 */
#include "layout/sieve.h"

#include <string.h>

#include "span.h"

#define WORD 8u
#define WORDS 64u
#define CHUNK (WORDS * WORD)
/* Points at which a place is given up before all of its members are looked at. */
#define FLOOR (-25 * ETL_GUESS_BIT)

/* What no BufferSize has, but for some just above the largest. */
#define BUFFER_SIZE_CLEAR (~(2u * ETL_MEMORY_BUFFER_SIZE_MOST - 1) | (ETL_MEMORY_BUFFER_SIZE_LEAST - 1))
/* The kernel's half of 4 GiB, in multiples of 4; and the high half of an address of 8 bytes in the kernel's half. */
#define ADDRESS_X86_MASK 0x80000003u
#define ADDRESS_X86 0x80000000u
#define ADDRESS_X64_HIGH 0xFFFF8000u
/* The top 16 bits of a FILETIME. */
#define TIME_LEAST ((uint32_t)(ETL_GUESS_TIME_LEAST >> 48))
#define TIME_MOST ((uint32_t)(ETL_GUESS_TIME_MOST >> 48))

static bool has_member(const etl_guess_plan *plan, const char *member, uint32_t *offset)
{
    etl_memory_member found;
    if (!etl_memory_find(plan->layout, member, &found))
        return false;
    *offset = found.offset;
    return true;
}

/* The bits of a TRACE_ENABLE_INFO's first word that a part has when it is `most`. */
static uint64_t enable_bits(const etl_memory_member *info, etl_arch arch, const char *name, uint64_t most)
{
    etl_memory_member part;
    return etl_memory_part_find(info, arch, name, &part) ? most << 8 * (part.offset - info->offset) : 0;
}

/* Fills in what there is of ProviderEnableInfo and EnableInfo, which follows it; false if the layout has none. */
static bool has_enable_info(const etl_guess_plan *plan, etl_sieve_group *group)
{
    const etl_arch arch = plan->layout.arch;
    etl_memory_member whole, each;
    if (!etl_memory_find(plan->layout, "ProviderEnableInfo", &whole) ||
        !etl_memory_find(plan->layout, "EnableInfo", &each))
        return false;
    group->enable_offset = whole.offset;
    group->enable_size = whole.size;
    group->enable_count = whole.count + each.count;
    group->enable_clear = ~(enable_bits(&whole, arch, "IsEnabled", 1) | enable_bits(&whole, arch, "Level", UINT8_MAX) |
                            enable_bits(&whole, arch, "LoggerId", ETL_MEMORY_LOGGERS_MOST - 1));
    return true;
}

/* What structures of a layout begin with. */
static etl_sieve_group group_of(const etl_guess_plan *plan)
{
    etl_sieve_group group = {.mark = ETL_SIEVE_TIME};
    uint32_t offset;
    if (has_enable_info(plan, &group)) {
        group.mark = plan->layout.arch == ETL_ARCH_X64 ? ETL_SIEVE_LIST_X64 : ETL_SIEVE_LIST_X86;
    } else if (has_member(plan, "LoggerId", &offset) && offset == 0) {
        group.mark = ETL_SIEVE_SESSION;
    } else if (!has_member(plan, "ReferenceTime", &group.mark_offset) || group.mark_offset != 0) {
        has_member(plan, "StartTime", &group.mark_offset);
    }
    return group;
}

static bool is_alike(const etl_sieve_group *a, const etl_sieve_group *b)
{
    return a->mark == b->mark && a->mark_offset == b->mark_offset && a->enable_offset == b->enable_offset;
}

static void add_contender(etl_sieve_group *group, const etl_guess_plan *plan, size_t index)
{
    uint32_t key = 0;
    has_member(plan, group->enable_offset != 0 ? "RefCount" : "LoggerName", &key);
    group->contenders[group->count] = (uint8_t)index;
    group->keys[group->count++] = (uint16_t)key;
}

void etl_sieve_open(etl_sieve *sieve, const etl_ranking *ranking)
{
    *sieve = (etl_sieve){.ranking = ranking};
    for (size_t i = 0; i < ranking->count; i++) {
        const etl_sieve_group like = group_of(&ranking->at[i].plan);
        uint32_t g = 0;
        while (g < sieve->count && !is_alike(&sieve->groups[g], &like))
            g++;
        if (g == sieve->count)
            sieve->groups[sieve->count++] = like;
        add_contender(&sieve->groups[g], &ranking->at[i].plan, i);
    }
}

static bool is_zero(etl_span chunk)
{
    uint64_t all = 0;
    for (size_t i = 0; i < CHUNK; i += WORD)
        all |= etl_load_u64(chunk, i);
    return all == 0;
}

/* A bit for each mark that a word has, without a branch: in noise none could be foreseen. */
static uint32_t marks_of(uint32_t low, uint32_t high)
{
    const uint32_t x86 = ((low & ADDRESS_X86_MASK) == ADDRESS_X86) & ((high & ADDRESS_X86_MASK) == ADDRESS_X86);
    const uint32_t x64 = (high >= ADDRESS_X64_HIGH) & (low % 8 == 0);
    const uint32_t session = (low < ETL_MEMORY_LOGGERS_MOST) & ((high & BUFFER_SIZE_CLEAR) == 0) & (high != 0);
    const uint32_t time = (high >> 16) - TIME_LEAST <= TIME_MOST - TIME_LEAST;
    return x86 << ETL_SIEVE_LIST_X86 | x64 << ETL_SIEVE_LIST_X64 | session << ETL_SIEVE_SESSION | time << ETL_SIEVE_TIME;
}

/* Bit `mark` of 64 bytes. */
static uint64_t gather(etl_span bytes, unsigned mark)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < WORDS; i += 8) {
        const uint64_t ones = etl_load_u64(bytes, i) >> mark & UINT64_C(0x0101010101010101);
        bits |= (ones * UINT64_C(0x0102040810204080) >> 56) << i; /* the product's top byte has one bit of each byte */
    }
    return bits;
}

static void mark_words(etl_span chunk, uint64_t marks[ETL_SIEVE_MARKS])
{
    uint8_t found[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        found[i] = (uint8_t)marks_of(etl_load_u32(chunk, i * WORD), etl_load_u32(chunk, i * WORD + 4));
    for (unsigned mark = 0; mark < ETL_SIEVE_MARKS; mark++)
        marks[mark] = gather((etl_span){found, WORDS}, mark);
}

/* The marks of the words from `at` on. Of the last words of all, less than a chunk, those that are not there are zero. */
static void mark_chunk(const etl_sieve_walk *walk, size_t at, uint64_t marks[ETL_SIEVE_MARKS])
{
    uint8_t padded[CHUNK] = {0};
    etl_span part = etl_span_part(walk->bytes, at, CHUNK);
    if (part.size < CHUNK) {
        if (part.size > 0)
            memcpy(padded, part.at, part.size);
        part.at = padded;
    }
    part.size = CHUNK; /* known to the compiler, so that the loads need no checks */
    for (int i = 0; i < ETL_SIEVE_MARKS; i++)
        marks[i] = 0;
    if (!is_zero(part))
        mark_words(part, marks);
}

/* The places of a group: a bit for each word of the chunk that a structure may begin with. */
static uint64_t places_of(const etl_sieve_walk *walk, const etl_sieve_group *group)
{
    const uint64_t here = walk->marks[0][group->mark];
    const uint64_t behind = here >> 1 | walk->marks[1][group->mark] << (WORDS - 1);
    if (group->mark == ETL_SIEVE_LIST_X64)
        return here & behind;
    return group->mark_offset == 0 ? here : behind;
}

/* ProviderEnableInfo, EnableInfo[8]: of places that have their mark by chance, hardly one has this too. */
static bool can_be_enabled(const etl_sieve_group *group, etl_span bytes)
{
    for (uint32_t i = 0; i < group->enable_count; i++)
        if ((etl_load_u64(bytes, group->enable_offset + i * group->enable_size) & group->enable_clear) != 0)
            return false;
    return true;
}

/* LoggerId, BufferSize, MaximumEventSize: an event is smaller than its buffer, and larger than its header. */
static bool can_be_session(etl_span bytes)
{
    const uint32_t buffer = etl_load_u32(bytes, 4), event = etl_load_u32(bytes, 8);
    return ETL_SIZE(EVENT_HEADER) < event && event < buffer;
}

static bool can_be(const etl_sieve_group *group, etl_span bytes)
{
    if (group->enable_offset != 0)
        return can_be_enabled(group, bytes);
    return group->mark != ETL_SIEVE_SESSION || can_be_session(bytes);
}

/* The lowest bit's number; at least one is set. */
static uint32_t lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t number = 0;
    for (uint32_t width = WORDS / 2; width > 0; width /= 2)
        if ((bits << (WORDS - width)) == 0) {
            bits >>= width;
            number += width;
        }
    return number;
#endif
}

/* Of places with a mark those that can be structures of the group. */
static uint64_t thin_out(const etl_sieve_walk *walk, const etl_sieve_group *group, uint64_t places)
{
    uint64_t left = 0;
    for (; places != 0; places &= places - 1) {
        const uint32_t word = lowest_bit(places);
        if (can_be(group, etl_span_from(walk->bytes, walk->at + (size_t)word * WORD)))
            left |= UINT64_C(1) << word;
    }
    return left;
}

static void look_at_chunk(etl_sieve_walk *walk)
{
    walk->places = 0;
    for (uint32_t i = 0; i < walk->sieve->count; i++) {
        const etl_sieve_group *group = &walk->sieve->groups[i];
        walk->groups[i] = thin_out(walk, group, places_of(walk, group));
        walk->places |= walk->groups[i];
    }
}

etl_sieve_walk etl_sieve_search(const etl_sieve *sieve, etl_span bytes, size_t size)
{
    etl_sieve_walk walk = {.sieve = sieve, .bytes = bytes, .size = size};
    mark_chunk(&walk, 0, walk.marks[0]);
    mark_chunk(&walk, CHUNK, walk.marks[1]);
    look_at_chunk(&walk);
    return walk;
}

static void next_chunk(etl_sieve_walk *walk)
{
    walk->at += CHUNK;
    for (int i = 0; i < ETL_SIEVE_MARKS; i++)
        walk->marks[0][i] = walk->marks[1][i];
    mark_chunk(walk, walk->at + CHUNK, walk->marks[1]);
    look_at_chunk(walk);
}

/* RefCount, or the lengths of LoggerName. */
static bool has_key(const etl_sieve_group *group, uint32_t key, etl_span bytes)
{
    const uint32_t word = etl_load_u32(bytes, key), length = word & 0xFFFF, most = word >> 16;
    if (group->enable_offset != 0)
        return word != 0 && word < ETL_GUESS_REFERENCES_END;
    return length != 0 && length <= most && ((length | most) & 1) == 0;
}

static void take_best(etl_sieve_hit *hit, const etl_contender *contender, int32_t score)
{
    if (hit->contender == NULL || score > hit->score) {
        hit->margin = hit->contender == NULL ? score : score - hit->score;
        hit->contender = contender;
        hit->score = score;
    } else if (hit->score - score < hit->margin) {
        hit->margin = hit->score - score;
    }
}

static etl_sieve_hit best_at(const etl_sieve_walk *walk, uint32_t word)
{
    etl_sieve_hit hit = {.offset = walk->at + (size_t)word * WORD};
    const etl_span bytes = etl_span_from(walk->bytes, (size_t)hit.offset);
    for (uint32_t g = 0; g < walk->sieve->count; g++) {
        const etl_sieve_group *group = &walk->sieve->groups[g];
        if ((walk->groups[g] >> word & 1) == 0)
            continue;
        for (uint32_t i = 0; i < group->count; i++) {
            const etl_contender *contender = &walk->sieve->ranking->at[group->contenders[i]];
            if (has_key(group, group->keys[i], bytes))
                take_best(&hit, contender, etl_guess_score(&contender->plan, bytes, FLOOR) + contender->prior);
        }
    }
    return hit;
}

bool etl_sieve_next(etl_sieve_walk *walk, int32_t threshold, etl_sieve_hit *hit)
{
    for (;;) {
        while (walk->places == 0 && walk->at + CHUNK < walk->size)
            next_chunk(walk);
        if (walk->places == 0)
            return false;
        const uint32_t word = lowest_bit(walk->places);
        walk->places &= walk->places - 1;
        *hit = best_at(walk, word);
        if (hit->offset >= walk->size)
            return false;
        if (hit->contender != NULL && hit->score >= threshold)
            return true;
    }
}
