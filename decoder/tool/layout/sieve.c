/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block of words is seen at a glance, all words at once: does any of them have what a structure begins with? Few blocks
 * do, and only their words are looked at; of those, few are left after the first members.
 */
#include "layout/sieve.h"

#include <string.h>

#include "span.h"

#define WORD 8u
#define WORDS 16u
#define BLOCK (WORDS * WORD)
/* With the word behind, which may have a mark that lies in a structure that begins before, and that behind it, which may be
   part of the mark. */
#define MARKED (BLOCK + 2 * WORD)
/* Points at which a place is given up before all of its members are looked at. */
#define FLOOR (-25 * ETL_GUESS_BIT)

/* Bytes of the types, and offsets of the parts, of the tables: of x64, and of what is the same on both architectures. */
enum {
#define ETL_MEMORY_TYPE(name, kind, count, x86, x64, align_x86, align_x64, text) SIZE_##name = (x64),
#include "format/layouts/types.def"
#define ETL_MEMORY_PART(kind, part, part_kind, x86, x64, size_x86, size_x64) \
    AT_##kind##_##part = (x64), AT_X86_##kind##_##part = (x86),
#include "format/layouts/kinds.def"
};

/* Of ProviderEnableInfo and EnableInfo, which follows it; and the bits that the first word of each has clear. */
#define ENABLE_COUNT ((SIZE_TRACE_ENABLE_INFO + SIZE_TRACE_ENABLE_INFO_8) / SIZE_TRACE_ENABLE_INFO)
#define ENABLE_WORDS (SIZE_TRACE_ENABLE_INFO / WORD)
#define ENABLE_BITS(part, most) ((uint64_t)(most) << 8 * AT_TRACE_ENABLE_INFO_##part)
#define ENABLE_CLEAR \
    (~(ENABLE_BITS(IsEnabled, 1) | ENABLE_BITS(Level, UINT8_MAX) | ENABLE_BITS(LoggerId, ETL_MEMORY_LOGGERS_MOST - 1)))

/* What is seen of a block at a glance, and of the blocks behind it in the bits above. */
#define GLANCE_ADDRESS 1u /* a word has the highest bit, as those of a kernel's list have */
#define GLANCE_SESSION 2u /* a word has the mark of a session */
#define GLANCE_TIME 4u    /* a word has that of a time */
#define GLANCE_ENABLE 8u  /* its words can be those of TRACE_ENABLE_INFO structures that begin with one of them */
#define GLANCE_BITS 4u
#define BEHIND(seen, blocks) ((seen) << GLANCE_BITS * (blocks))

/* A provider's TRACE_ENABLE_INFO structures fill the first block behind the one in which they begin: from that in which the
   provider begins, the next or the one after. */
_Static_assert((ENABLE_COUNT - 1) * SIZE_TRACE_ENABLE_INFO >= 2 * BLOCK, "EnableInfo need not fill a block");
enum { NONE = 0 };
#define ETL_MEMORY_MEMBER(name, type, since, until, x86, x64, evidence) \
    _Static_assert(ETL_MEMORY_TYPE_##type != ETL_MEMORY_TYPE_TRACE_ENABLE_INFO || \
                       ((x86) <= BLOCK && (x64) <= BLOCK), "EnableInfo is out of sight");
#include "format/layouts/etw_guid_entry.def"

/* A word has a mark if, less `least`, the bits of `mask` are a number below `end`. */
typedef struct mark_facts {
    uint64_t least, mask, end;
} mark_facts;

#define ADDRESS_X64 UINT64_C(0xFFFF800000000000)
#define ADDRESS_X86 UINT64_C(0x8000000080000000) /* two */
/* An event is larger than its header, and smaller than its buffer. */
#define EVENT_LEAST ((uint64_t)ETL_SIZE(EVENT_HEADER) + 1)
#define BUFFER_SIZE_CLEAR (~(uint64_t)(ETL_MEMORY_BUFFER_SIZE_MOST - 1) | (ETL_MEMORY_BUFFER_SIZE_LEAST - 1))

static const mark_facts marks[] = {
    [ETL_SIEVE_LIST_X86] = {ADDRESS_X86, ADDRESS_X86 | UINT64_C(0x0000000300000003), 1},
    [ETL_SIEVE_LIST_X64] = {ADDRESS_X64, ADDRESS_X64 | 7, 1},
    [ETL_SIEVE_SESSION] = {(uint64_t)ETL_MEMORY_BUFFER_SIZE_LEAST << 32,
                           BUFFER_SIZE_CLEAR << 32 | (UINT32_MAX & ~(uint32_t)(ETL_MEMORY_LOGGERS_MOST - 1)), 1},
    [ETL_SIEVE_TIME] = {ETL_GUESS_TIME_LEAST, UINT64_MAX, ETL_GUESS_TIME_MOST - ETL_GUESS_TIME_LEAST + 1},
};

static bool has_member(const etl_guess_plan *plan, const char *member, uint32_t *offset)
{
    etl_memory_member found;
    if (!etl_memory_find(plan->layout, member, &found))
        return false;
    *offset = found.offset;
    return true;
}

/* What structures of a layout begin with. */
static etl_sieve_group group_of(const etl_guess_plan *plan)
{
    etl_sieve_group group = {.mark = ETL_SIEVE_TIME};
    uint32_t offset;
    if (has_member(plan, "ProviderEnableInfo", &group.enable_offset)) {
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

static bool has_same_members(const etl_sieve_candidate *a, const etl_sieve_candidate *b)
{
    const etl_memory_layout *x = &a->contender->plan.layout, *y = &b->contender->plan.layout;
    return x->structure == y->structure && x->arch == y->arch && a->references == b->references &&
           a->registrations == b->registrations && a->id == b->id && a->name == b->name;
}

static void add_contender(etl_sieve_group *group, const etl_contender *contender)
{
    etl_sieve_candidate *candidate = &group->at[group->count];
    *candidate = (etl_sieve_candidate){.contender = contender};
    has_member(&contender->plan, "RefCount", &candidate->references);
    has_member(&contender->plan, "RegListHead", &candidate->registrations);
    has_member(&contender->plan, "LoggerId", &candidate->id);
    has_member(&contender->plan, "LoggerName", &candidate->name);
    candidate->again = group->count > 0 && has_same_members(candidate, candidate - 1);
    group->count++;
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
        add_contender(&sieve->groups[g], &ranking->at[i]);
    }
}

/* The highest bit of the result says whether a number is below `end`, at most 2^63; the other bits say nothing. Compilers
   make it of several words at once, which they do not of a comparison of 64 bits. */
static inline uint64_t sign_if_below(uint64_t number, uint64_t end)
{
    return (number - end) & ~number;
}

/* The same, whether a word has a mark. */
static inline uint64_t sign_if_marked(uint64_t word, const mark_facts *m)
{
    return sign_if_below((word - m->least) & m->mask, m->end);
}

static uint32_t glance(etl_span block)
{
    uint64_t session = 0, time = 0, enable = 0, all = 0, columns[ENABLE_WORDS] = {0};
    block.size = BLOCK; /* known to the compiler, so that the loads need no checks */
    for (size_t i = 0; i < WORDS; i++) {
        session |= sign_if_marked(etl_load_u64(block, i * WORD), &marks[ETL_SIEVE_SESSION]);
        time |= sign_if_marked(etl_load_u64(block, i * WORD), &marks[ETL_SIEVE_TIME]);
    }
    for (size_t i = 0; i < WORDS; i++)
        columns[i % ENABLE_WORDS] |= etl_load_u64(block, i * WORD);
    for (size_t i = 0; i < ENABLE_WORDS; i++) {
        enable |= sign_if_below(columns[i] & ENABLE_CLEAR, 1);
        all |= columns[i];
    }
    return (all >> 63 != 0 ? GLANCE_ADDRESS : 0) | (session >> 63 != 0 ? GLANCE_SESSION : 0) |
           (time >> 63 != 0 ? GLANCE_TIME : 0) | (enable >> 63 != 0 ? GLANCE_ENABLE : 0);
}

/* The bytes from `at` on; those behind the end are zeros, in `room`. */
static etl_span bytes_at(etl_span bytes, size_t at, uint8_t *room, size_t size)
{
    const etl_span part = etl_span_part(bytes, at, size);
    if (part.size == size)
        return part;
    memset(room, 0, size);
    if (part.size > 0)
        memcpy(room, part.at, part.size);
    return (etl_span){room, size};
}

static uint32_t glance_at(const etl_sieve_walk *walk, size_t at)
{
    uint8_t room[BLOCK];
    return glance(bytes_at(walk->bytes, at, room, BLOCK));
}

/* Whether a word of the block can have a mark, with what comes behind it in a structure. */
static bool is_in_sight(uint32_t sight, etl_sieve_mark mark)
{
    switch (mark) {
    case ETL_SIEVE_SESSION: return (sight & GLANCE_SESSION) != 0;
    case ETL_SIEVE_TIME: return (sight & (GLANCE_TIME | BEHIND(GLANCE_TIME, 1))) != 0;
    default:
        return (sight & GLANCE_ADDRESS) != 0 && (sight & (BEHIND(GLANCE_ENABLE, 1) | BEHIND(GLANCE_ENABLE, 2))) != 0;
    }
}

/* The same of a word among others: a mark may go on in the word behind. */
static inline uint64_t sign_at(etl_span words, size_t index, etl_sieve_mark mark)
{
    const uint64_t word = etl_load_u64(words, index * WORD), behind = etl_load_u64(words, index * WORD + WORD);
    const uint64_t sign = sign_if_marked(word, &marks[mark]), event = behind & UINT32_MAX, buffer = word >> 32;
    if (mark == ETL_SIEVE_LIST_X64)
        return sign & sign_if_marked(behind, &marks[mark]);
    if (mark == ETL_SIEVE_SESSION)
        return sign & sign_if_below(event - EVENT_LEAST, buffer - EVENT_LEAST);
    return sign;
}

/* A bit for each word of the block, and the one behind, that has the mark. No branch depends on a single word: in noise
   none could be foreseen. */
static inline uint32_t bits_of(etl_span words, etl_sieve_mark mark)
{
    uint64_t any = 0;
    uint32_t bits = 0;
    words.size = MARKED;
    for (size_t i = 0; i <= WORDS; i++)
        any |= sign_at(words, i, mark);
    for (size_t i = WORDS + 1; any >> 63 != 0 && i-- > 0;)
        bits = 2 * bits + (uint32_t)(sign_at(words, i, mark) >> 63);
    return bits;
}

/* The mark is a constant in each, so that no word is asked which it is. */
static uint32_t marked_words(const etl_sieve_walk *walk, etl_sieve_mark mark)
{
    uint8_t room[MARKED];
    const etl_span words = bytes_at(walk->bytes, walk->at, room, MARKED);
    switch (mark) {
    case ETL_SIEVE_LIST_X86: return bits_of(words, ETL_SIEVE_LIST_X86);
    case ETL_SIEVE_LIST_X64: return bits_of(words, ETL_SIEVE_LIST_X64);
    case ETL_SIEVE_SESSION: return bits_of(words, ETL_SIEVE_SESSION);
    default: return bits_of(words, ETL_SIEVE_TIME);
    }
}

/* ProviderEnableInfo, EnableInfo[8]: of places that have their mark by chance, hardly one has this too. */
static bool can_be_enabled(const etl_sieve_group *group, etl_span bytes)
{
    for (uint32_t i = 0; i < ENABLE_COUNT; i++)
        if ((etl_load_u64(bytes, group->enable_offset + i * SIZE_TRACE_ENABLE_INFO) & ENABLE_CLEAR) != 0)
            return false;
    return true;
}

/* The lowest bit's number; at least one is set. */
static uint32_t lowest_bit(uint32_t bits)
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

/* A bit for each word of the block that a structure of the group may begin with. */
static uint32_t places_of(const etl_sieve_walk *walk, const etl_sieve_group *group, uint32_t marked)
{
    const uint32_t all = (UINT32_C(1) << WORDS) - 1;
    uint32_t places = all & (group->mark_offset == 0 ? marked : marked >> 1);
    if (group->enable_offset == 0)
        return places;
    for (uint32_t left = places; left != 0; left &= left - 1) {
        const uint32_t word = lowest_bit(left);
        if (!can_be_enabled(group, etl_span_from(walk->bytes, walk->at + (size_t)word * WORD)))
            places &= ~(UINT32_C(1) << word);
    }
    return places;
}

static void look_at_block(etl_sieve_walk *walk)
{
    uint32_t marked[ETL_SIEVE_MARKS], any = 0;
    walk->places = 0;
    for (etl_sieve_mark mark = 0; mark < ETL_SIEVE_MARKS; mark++) {
        marked[mark] = is_in_sight(walk->sight, mark) ? marked_words(walk, mark) : 0;
        any |= marked[mark];
    }
    for (uint32_t i = 0; i < walk->sieve->count && any != 0; i++) {
        const etl_sieve_group *group = &walk->sieve->groups[i];
        walk->groups[i] = places_of(walk, group, marked[group->mark]);
        walk->places |= walk->groups[i];
    }
}

/* Steps a block on. */
static uint32_t next_sight(const etl_sieve_walk *walk, uint32_t sight, size_t at)
{
    return sight >> GLANCE_BITS | BEHIND(glance_at(walk, at + 2 * BLOCK), 2);
}

etl_sieve_walk etl_sieve_search(const etl_sieve *sieve, etl_span bytes, size_t size)
{
    etl_sieve_walk walk = {.sieve = sieve, .bytes = bytes, .size = size};
    walk.sight = glance_at(&walk, 0) | BEHIND(glance_at(&walk, BLOCK), 1) | BEHIND(glance_at(&walk, 2 * BLOCK), 2);
    look_at_block(&walk);
    return walk;
}

/* Steps to the next block in which anything is in sight, or to the last. */
static void next_block(etl_sieve_walk *walk)
{
    size_t at = walk->at;
    uint32_t sight = walk->sight;
    do {
        at += BLOCK;
        sight = next_sight(walk, sight, at);
    } while (at + BLOCK < walk->size && !is_in_sight(sight, ETL_SIEVE_SESSION) && !is_in_sight(sight, ETL_SIEVE_TIME) &&
             !is_in_sight(sight, ETL_SIEVE_LIST_X64));
    walk->at = at;
    walk->sight = sight;
    look_at_block(walk);
}

/* References, and a list of registrations that was set up. */
static bool is_provider(const etl_sieve_candidate *candidate, etl_sieve_mark list, etl_span bytes)
{
    const uint32_t references = etl_load_u32(bytes, candidate->references);
    return references != 0 && references < ETL_GUESS_REFERENCES_END &&
           sign_if_marked(etl_load_u64(bytes, candidate->registrations), &marks[list]) >> 63 != 0;
}

/* An identifier, and a name. */
static bool is_session(const etl_sieve_candidate *candidate, etl_span bytes)
{
    const etl_guess_plan *plan = &candidate->contender->plan;
    const size_t at = candidate->name;
    if (etl_load_u32(bytes, candidate->id) >= ETL_MEMORY_LOGGERS_MOST)
        return false;
    const uint32_t length = etl_load_u16(bytes, at), most = etl_load_u16(bytes, at + AT_UNICODE_STRING_MaximumLength);
    if (length == 0 || length > most || (length | most) % 2 != 0)
        return false;
    const uint64_t buffer = plan->layout.arch == ETL_ARCH_X64 ? etl_load_u64(bytes, at + AT_UNICODE_STRING_Buffer)
                                                              : etl_load_u32(bytes, at + AT_X86_UNICODE_STRING_Buffer);
    return plan->half.least <= buffer && buffer <= plan->half.most;
}

static bool is_candidate(const etl_sieve_group *group, const etl_sieve_candidate *candidate, etl_span bytes)
{
    return group->enable_offset != 0 ? is_provider(candidate, group->mark, bytes) : is_session(candidate, bytes);
}

/* Whether a contender that the place is not ruled out for has `threshold` points or more. */
static bool is_plausible_for(const etl_sieve_group *group, etl_span bytes, int32_t threshold)
{
    bool can_be = false;
    for (uint32_t i = 0; i < group->count; i++) {
        const etl_sieve_candidate *candidate = &group->at[i];
        const etl_contender *contender = candidate->contender;
        if (!candidate->again)
            can_be = is_candidate(group, candidate, bytes);
        if (can_be && etl_guess_score(&contender->plan, bytes, FLOOR) + contender->prior >= threshold)
            return true;
    }
    return false;
}

static bool is_plausible(const etl_sieve_walk *walk, uint32_t word, etl_span bytes, int32_t threshold)
{
    for (uint32_t i = 0; i < walk->sieve->count; i++)
        if ((walk->groups[i] >> word & 1) != 0 && is_plausible_for(&walk->sieve->groups[i], bytes, threshold))
            return true;
    return false;
}

/* The best contender there of all that do not read the bytes as `but` does, if that is not NULL; NULL if there is none. */
static const etl_contender *best_of(const etl_ranking *ranking, etl_span bytes, const etl_contender *but, int32_t *best)
{
    const etl_contender *found = NULL;
    *best = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        const etl_contender *contender = &ranking->at[i];
        const int32_t score = etl_guess_score(&contender->plan, bytes, INT32_MIN) + contender->prior;
        if ((found != NULL && score <= *best) || (but != NULL && etl_guess_alike(&but->plan, &contender->plan, bytes)))
            continue;
        found = contender;
        *best = score;
    }
    return found;
}

static etl_sieve_hit best_at(const etl_ranking *ranking, uint64_t offset, etl_span bytes)
{
    etl_sieve_hit hit = {.offset = offset};
    int32_t next;
    hit.contender = best_of(ranking, bytes, NULL, &hit.score);
    best_of(ranking, bytes, hit.contender, &next);
    hit.margin = hit.score - next;
    return hit;
}

bool etl_sieve_next(etl_sieve_walk *walk, int32_t threshold, etl_sieve_hit *hit)
{
    for (;;) {
        while (walk->places == 0 && walk->at + BLOCK < walk->size)
            next_block(walk);
        if (walk->places == 0)
            return false;
        const uint32_t word = lowest_bit(walk->places);
        const size_t offset = walk->at + (size_t)word * WORD;
        const etl_span bytes = etl_span_from(walk->bytes, offset);
        walk->places &= walk->places - 1;
        if (offset >= walk->size)
            return false;
        if (is_plausible(walk, word, bytes, threshold)) {
            *hit = best_at(walk->sieve->ranking, offset, bytes);
            return true;
        }
    }
}
