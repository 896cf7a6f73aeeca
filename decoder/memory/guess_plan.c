/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout -> the tests that clues.c makes on bytes that may be a structure of it; and which layouts bytes cannot
 * distinguish. Called by the layout verb, once for each layout.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"
#include "probes.h"
#include "span.h"

/* A plan, and how far the members that it covers reach. */
typedef struct plan_builder {
    etl_guess_plan *plan;
    uint32_t end; /* of the members so far */
} plan_builder;

static void add(plan_builder *p, etl_guess_test test)
{
    if (p->plan->count < ETL_GUESS_TESTS_MAX)
        p->plan->tests[p->plan->count++] = test;
}

/* The kind of test for a member; `*with` is the name of the member that it is compared with, or NULL. */
static etl_probe probe_of(const etl_memory_member *member, const char **with)
{
    *with = NULL;
#define ETL_PROBE_OF_MEMBER(text, probe, other) \
    if (etl_memory_same_text(member->name, text)) { \
        *with = other; \
        return ETL_PROBE_##probe; \
    }
#include "format/layouts/clues.def"
#define ETL_PROBE_OF_TYPE(text, probe) \
    if (etl_memory_same_text(member->type, text)) \
        return ETL_PROBE_##probe;
#include "format/layouts/clues.def"
    switch (member->kind) {
#define ETL_PROBE_OF_KIND(kind, probe) \
    case ETL_MEMORY_KIND_##kind: \
        return ETL_PROBE_##probe;
#include "format/layouts/clues.def"
    default:
        return ETL_PROBE_NONE;
    }
}

/* The bits that have a meaning in a member; 0 if the tables have none. */
static uint32_t bits_of(etl_memory_layout layout, etl_memory_meaning meaning)
{
    uint32_t bits = 0;
    etl_memory_bits run;
    if (meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        return etl_memory_bits_known(layout, meaning);
    for (uint32_t i = 0; etl_memory_bits_of(layout, meaning, i, &run); i++)
        if (!run.spare && etl_evidence_get(run.evidence)->taken)
            bits |= run.mask;
    return bits;
}

/* Sets the operand of a test; false if the layout does not have it. */
static bool set_with(etl_guess_test *test, etl_memory_layout layout, const etl_memory_member *member, const char *other)
{
    etl_memory_member found;
    if (test->probe == ETL_PROBE_BITS) {
        test->with = bits_of(layout, member->meaning);
        return test->with != 0;
    }
    if (!other)
        return true;
    const bool has_other = etl_memory_find(layout, other, &found);
    test->with = has_other ? found.offset : 0;
    return has_other;
}

static void add_member(plan_builder *p, const etl_memory_member *member)
{
    const char *other;
    const etl_probe probe = probe_of(member, &other);
    if (probe == ETL_PROBE_NONE)
        return;
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_memory_element(member, i);
        etl_guess_test test = {.member = member->name, .offset = (uint16_t)element.offset, .size = (uint16_t)element.size,
                               .probe = (uint8_t)(i > 0 && probe == ETL_PROBE_LINK ? ETL_PROBE_AGAIN : probe),
                               .element = (uint8_t)(member->count > 1 ? i + 1 : 0)};
        if (set_with(&test, p->plan->layout, member, other))
            add(p, test);
    }
}

/* Padding for alignment is clear in memory that was cleared. A larger gap may hold unknown members: it is not tested. */
static void add_padding(plan_builder *p, uint32_t to, uint32_t align)
{
    if (p->end < to && to - p->end < align)
        add(p, (etl_guess_test){.member = ETL_GUESS_PADDING, .offset = (uint16_t)p->end, .size = (uint16_t)(to - p->end),
                                .probe = ETL_PROBE_PADDING});
}

/*
 * Only the first member of a union is tested. An EX_FAST_REF replaces it: a test for a pointer would reject its count.
 */
static bool replaces_other(plan_builder *p, const etl_memory_member *member)
{
    if (member->kind != ETL_MEMORY_KIND_FAST_REF || p->plan->count == 0 ||
        p->plan->tests[p->plan->count - 1].offset != member->offset)
        return false;
    p->plan->count--;
    return true;
}

static void plan_member(plan_builder *p, const etl_memory_member *member)
{
    add_padding(p, member->offset, member->align);
    if (member->offset >= p->end || replaces_other(p, member))
        add_member(p, member);
    if (member->offset + member->size > p->end)
        p->end = member->offset + member->size;
}

static bool next_taken(etl_memory_walk *walk, etl_memory_member *member)
{
    while (etl_memory_next(walk, member))
        if (etl_evidence_get(member->evidence)->taken)
            return true;
    return false;
}

bool etl_guess_prepare(etl_guess_plan *plan, etl_memory_layout layout)
{
    *plan = (etl_guess_plan){.layout = layout, .size = etl_memory_size(layout), .half = etl_memory_half_of(layout)};
    plan_builder p = {plan, 0};
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member;
    while (next_taken(&walk, &member))
        plan_member(&p, &member);
    if (plan->size == 0)
        return false;
    add_padding(&p, plan->size, 2 * etl_arch_pointer_size(layout.arch));
    add(&p, (etl_guess_test){.member = ETL_GUESS_LISTS, .probe = ETL_PROBE_PLACE});
    return true;
}

/* Whether bytes cannot tell two members apart. */
static bool is_like(const etl_memory_member *x, const etl_memory_member *y)
{
    return etl_memory_same_text(x->name, y->name) && x->kind == y->kind && x->offset == y->offset && x->size == y->size &&
           x->count == y->count;
}

static bool is_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walks[2] = {etl_memory_members(a), etl_memory_members(b)};
    etl_memory_member x, y;
    bool same = etl_memory_size(a) == etl_memory_size(b), more = true;
    while (same && more) {
        more = next_taken(&walks[0], &x);
        same = more == next_taken(&walks[1], &y);
        if (same && more)
            same = is_like(&x, &y);
    }
    return same;
}

etl_windows etl_memory_same_until(etl_memory_layout layout)
{
    etl_memory_layout next = layout;
    while (next.windows + 1 < ETL_WINDOWS_COUNT) {
        next.windows++;
        if (!is_same(layout, next))
            return next.windows - 1;
    }
    return next.windows;
}

/* Moves the walk to the first member at or after `offset`; members come by offset. */
static void skip_to(etl_memory_walk *walk, uint32_t offset)
{
    etl_memory_walk next = *walk;
    etl_memory_member member;
    while (next_taken(&next, &member) && member.offset < offset)
        *walk = next;
}

/* Whether one of the remaining members of the walk is like this one. */
static bool has_like(etl_memory_walk *walk, const etl_memory_member *member)
{
    etl_memory_member other;
    skip_to(walk, member->offset);
    etl_memory_walk next = *walk;
    while (next_taken(&next, &other) && other.offset == member->offset)
        if (is_like(&other, member))
            return true;
    return false;
}

/* Whether a member is zeros, and no test gives a clue against that. */
static bool may_be_zeros(const etl_guess_plan *plan, const etl_memory_member *member, etl_span structure)
{
    const etl_span bytes = etl_span_part(structure, member->offset, member->size);
    if (etl_span_run(bytes, 0) != bytes.size)
        return false;
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->tests[i].member == member->name &&
            etl_clue_get(etl_guess_clue(plan, i, structure))->points[plan->layout.arch] <= -ETL_GUESS_BIT)
            return false;
    return true;
}

/* Whether every member of a layout that the other layout does not have is zeros, and may be zeros. */
static bool adds_nothing(const etl_guess_plan *plan, etl_memory_layout other, etl_span structure)
{
    etl_memory_walk walk = etl_memory_members(plan->layout), beside = etl_memory_members(other);
    etl_memory_member member;
    while (next_taken(&walk, &member))
        if (!has_like(&beside, &member) && !may_be_zeros(plan, &member, structure))
            return false;
    return true;
}

bool etl_guess_alike(const etl_guess_plan *a, const etl_guess_plan *b, etl_span structure)
{
    return a->layout.structure == b->layout.structure && a->layout.arch == b->layout.arch &&
           adds_nothing(a, b->layout, structure) && adds_nothing(b, a->layout, structure);
}
