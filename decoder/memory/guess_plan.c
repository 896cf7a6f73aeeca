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

/*@ predicate building{L}(plan_builder *p) =
  @   \valid(p) && \valid(p->plan) && \separated(p, p->plan) && etl_prepared(p->plan); */

/*@ requires building(p);
  @ assigns p->plan->count, p->plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
  @ ensures building(p); */
static void add(plan_builder *p, etl_guess_test test)
{
    if (p->plan->count < ETL_GUESS_TESTS_MAX)
        p->plan->tests[p->plan->count++] = test;
}

/* The bits that have a meaning in a member; 0 if the tables have none. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing; */
static uint32_t bits_of(etl_memory_layout layout, etl_memory_meaning meaning)
{
    uint32_t bits = 0;
    etl_memory_bits run;
    if (meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        return etl_memory_bits_known(layout, meaning);
    /*@ loop invariant i <= UINT8_MAX;
      @ loop assigns i, bits, run;
      @ loop variant UINT8_MAX - i; */
    for (uint32_t i = 0; etl_memory_bits_of(layout, meaning, i, &run); i++)
        if (!run.spare && etl_evidence_get(run.evidence)->taken)
            bits |= run.mask;
    return bits;
}

/* Sets the operand of a test; false if the layout does not have it. */
/*@ requires \valid(test) && etl_known_layout(layout) && \valid_read(member) && \separated(test, member);
  @ requires other == \null || etl_text(other);
  @ assigns test->with; */
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

/*@ requires building(p) && \valid_read(member) && etl_known_member(*member) && \separated(member, p, p->plan);
  @ assigns p->plan->count, p->plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
  @ ensures building(p); */
static void add_member(plan_builder *p, const etl_memory_member *member)
{
    const char *other;
    const etl_probe probe = etl_probe_of(member, &other);
    if (probe == ETL_PROBE_NONE)
        return;
    //@ ghost etl_guess_plan *plan = p->plan;
    /*@ loop invariant i <= member->count && building(p) && p->plan == plan;
      @ loop assigns i, plan->count, plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
      @ loop variant member->count - i; */
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
/*@ requires building(p);
  @ assigns p->plan->count, p->plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
  @ ensures building(p); */
static void add_padding(plan_builder *p, uint32_t to, uint32_t align)
{
    if (p->end < to && to - p->end < align)
        add(p, (etl_guess_test){.member = ETL_GUESS_PADDING, .offset = (uint16_t)p->end, .size = (uint16_t)(to - p->end),
                                .probe = ETL_PROBE_PADDING});
}

/*
 * Only the first member of a union is tested. An EX_FAST_REF replaces it: a test for a pointer would reject its count.
 */
/*@ requires building(p) && \valid_read(member);
  @ assigns p->plan->count;
  @ ensures building(p); */
static bool replaces_other(plan_builder *p, const etl_memory_member *member)
{
    if (member->kind != ETL_MEMORY_KIND_FAST_REF || p->plan->count == 0 ||
        p->plan->tests[p->plan->count - 1].offset != member->offset)
        return false;
    p->plan->count--;
    return true;
}

/*@ requires building(p) && \valid_read(member) && etl_known_member(*member) && \separated(member, p, p->plan);
  @ assigns p->end, p->plan->count, p->plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
  @ ensures building(p); */
static void plan_member(plan_builder *p, const etl_memory_member *member)
{
    add_padding(p, member->offset, member->align);
    if (member->offset >= p->end || replaces_other(p, member))
        add_member(p, member);
    if (member->offset + member->size > p->end)
        p->end = member->offset + member->size;
}

/*@ requires \valid(walk) && \valid(member) && \separated(walk, member);
  @ requires etl_known_layout(walk->layout) && walk->row <= UINT16_MAX;
  @ assigns walk->row, *member;
  @ ensures \old(walk->row) <= walk->row <= UINT16_MAX;
  @ ensures \result ==> \old(walk->row) < walk->row && etl_known_member(*member); */
static bool next_taken(etl_memory_walk *walk, etl_memory_member *member)
{
    /*@ loop invariant \at(walk->row, Pre) <= walk->row <= UINT16_MAX;
      @ loop assigns walk->row, *member;
      @ loop variant UINT16_MAX - walk->row; */
    while (etl_memory_next(walk, member))
        if (etl_evidence_get(member->evidence)->taken)
            return true;
    return false;
}

/* Adds the tests of all members. */
/*@ requires building(p);
  @ assigns p->end, p->plan->count, p->plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
  @ ensures building(p); */
static void plan_members(plan_builder *p)
{
    etl_memory_walk walk = etl_memory_members(p->plan->layout);
    etl_memory_member member;
    //@ ghost etl_guess_plan *plan = p->plan;
    /*@ loop invariant walk.row <= UINT16_MAX && building(p) && p->plan == plan;
      @ loop assigns walk.row, member, p->end, plan->count, plan->tests[0 .. ETL_GUESS_TESTS_MAX - 1];
      @ loop variant UINT16_MAX - walk.row; */
    while (next_taken(&walk, &member))
        plan_member(p, &member);
}

bool etl_guess_prepare(etl_guess_plan *plan, etl_memory_layout layout)
{
    plan_builder p = {plan, 0};
    *plan = (etl_guess_plan){.layout = layout, .size = etl_memory_size(layout), .half = etl_memory_half_of(layout)};
    plan_members(&p);
    if (plan->size == 0)
        return false;
    add_padding(&p, plan->size, 2 * etl_arch_pointer_size(layout.arch));
    add(&p, (etl_guess_test){.member = ETL_GUESS_LISTS, .probe = ETL_PROBE_PLACE});
    return true;
}

/* Whether bytes cannot tell two members apart. */
/*@ requires \valid_read(x) && \valid_read(y) && etl_known_member(*x) && etl_known_member(*y);
  @ assigns \nothing; */
static bool is_like(const etl_memory_member *x, const etl_memory_member *y)
{
    return etl_memory_same_text(x->name, y->name) && x->kind == y->kind && x->offset == y->offset && x->size == y->size &&
           x->count == y->count;
}

/*@ requires etl_known_layout(a) && etl_known_layout(b);
  @ assigns \nothing; */
static bool is_same(etl_memory_layout a, etl_memory_layout b)
{
    etl_memory_walk walk = etl_memory_members(a), beside = etl_memory_members(b);
    etl_memory_member x, y;
    if (etl_memory_size(a) != etl_memory_size(b))
        return false;
    /*@ loop invariant walk.row <= UINT16_MAX && beside.row <= UINT16_MAX;
      @ loop assigns walk.row, beside.row, x, y;
      @ loop variant UINT16_MAX - walk.row; */
    while (next_taken(&walk, &x))
        if (!next_taken(&beside, &y) || !is_like(&x, &y))
            return false;
    return !next_taken(&beside, &y);
}

etl_windows etl_memory_same_until(etl_memory_layout layout)
{
    etl_memory_layout next = layout;
    /*@ loop invariant layout.windows <= next.windows < ETL_WINDOWS_COUNT;
      @ loop assigns next.windows;
      @ loop variant ETL_WINDOWS_COUNT - next.windows; */
    while (next.windows + 1 < ETL_WINDOWS_COUNT) {
        next.windows++;
        if (!is_same(layout, next))
            return next.windows - 1;
    }
    return next.windows;
}

/* Moves the walk to the first member at or after `offset`; members come by offset. */
/*@ requires \valid(walk) && etl_known_layout(walk->layout) && walk->row <= UINT16_MAX;
  @ assigns walk->row;
  @ ensures walk->row <= UINT16_MAX; */
static void skip_to(etl_memory_walk *walk, uint32_t offset)
{
    etl_memory_walk next = *walk;
    etl_memory_member member;
    /*@ loop invariant walk->row <= UINT16_MAX && next.row <= UINT16_MAX;
      @ loop assigns next.row, member, walk->row;
      @ loop variant UINT16_MAX - next.row; */
    while (next_taken(&next, &member) && member.offset < offset)
        walk->row = next.row;
}

/* Whether one of the remaining members of the walk is like this one. */
/*@ requires \valid(walk) && etl_known_layout(walk->layout) && walk->row <= UINT16_MAX;
  @ requires \valid_read(member) && etl_known_member(*member) && \separated(walk, member);
  @ assigns walk->row;
  @ ensures walk->row <= UINT16_MAX; */
static bool has_like(etl_memory_walk *walk, const etl_memory_member *member)
{
    etl_memory_member other;
    skip_to(walk, member->offset);
    etl_memory_walk next = *walk;
    /*@ loop invariant next.row <= UINT16_MAX;
      @ loop assigns next.row, other;
      @ loop variant UINT16_MAX - next.row; */
    while (next_taken(&next, &other) && other.offset == member->offset)
        if (is_like(&other, member))
            return true;
    return false;
}

/* Whether a member is zeros, and no test gives a clue against that. */
/*@ requires etl_prepared(plan) && \valid_read(member) && etl_readable(structure);
  @ assigns \nothing; */
static bool may_be_zeros(const etl_guess_plan *plan, const etl_memory_member *member, etl_span structure)
{
    const etl_span bytes = etl_span_part(structure, member->offset, member->size);
    if (etl_span_run(bytes, 0) != bytes.size)
        return false;
    /*@ loop invariant i <= plan->count;
      @ loop assigns i;
      @ loop variant plan->count - i; */
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->tests[i].member == member->name &&
            etl_clue_get(etl_guess_clue(plan, i, structure))->points[plan->layout.arch] <= -ETL_GUESS_BIT)
            return false;
    return true;
}

/* Whether every member of a layout that the other layout does not have is zeros, and may be zeros. */
/*@ requires etl_prepared(plan) && etl_known_layout(other) && etl_readable(structure);
  @ assigns \nothing; */
static bool adds_nothing(const etl_guess_plan *plan, etl_memory_layout other, etl_span structure)
{
    etl_memory_walk walk = etl_memory_members(plan->layout), beside = etl_memory_members(other);
    etl_memory_member member;
    /*@ loop invariant walk.row <= UINT16_MAX && beside.row <= UINT16_MAX;
      @ loop assigns walk.row, beside.row, member;
      @ loop variant UINT16_MAX - walk.row; */
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
