/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a structure in memory, member by member, and checks it by the rules; checks it again truncated after a member,
 * and scores how plausible it is: while fuzzing, an input gets one of the two. The input is the layout, and the bytes of
 * the structure, all or some of them:
 *
 *     offset  size  what
 *     0       1     etl_memory_structure
 *     1       1     etl_windows
 *     2       1     etl_arch
 *     3       1     after how many members it is cut off
 *     4       ...   the structure
 *
 * Each of the first three is taken modulo the number of possible values.
 */
#include "broken_promise.h"
#include "due.h"
#include "exact_copy.h"
#include "entry_points.h"
#include "share.h"
#include "target.h"

/* The offset of the structure: those of its members overflow in 32 bits. */
#define OFFSET UINT64_C(0xFFFFFFC0)

typedef struct layout_run {
    etl_memory_layout layout;
    etl_span structure;
    unsigned members; /* members left before the cut */
    uint32_t cut;     /* where the last of them ends */
    oracle_watch oracle;
} layout_run;

static void hold_value(layout_run *r, const etl_memory_member *member)
{
    etl_memory_value value;
    const bool whole = etl_memory_read(r->structure, member, &value);
    oracle_memory_value(&r->oracle, r->structure, member, whole, &value);
    target_hold(&r->oracle, member->name);
}

static void hold_parts(layout_run *r, const etl_memory_member *element)
{
    etl_memory_member before = {.offset = element->offset}, part;
    for (uint32_t i = 0; etl_memory_part(element, r->layout.arch, i, &part); i++) {
        oracle_memory_place(&r->oracle, r->layout, &before, &part);
        hold_value(r, &part);
        before = part;
    }
}

static void hold_elements(layout_run *r, const etl_memory_member *member)
{
    etl_memory_member before = {.offset = member->offset};
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_memory_element(member, i);
        oracle_memory_place(&r->oracle, r->layout, &before, &element);
        hold_value(r, &element);
        hold_parts(r, &element);
        before = element;
    }
}

static void hold_members(layout_run *r)
{
    etl_memory_walk walk = etl_memory_members(r->layout);
    etl_memory_member before = {0}, member;
    while (etl_memory_next(&walk, &member)) {
        hold_value(r, &member);
        if (!etl_evidence_get(member.evidence)->taken)
            continue;
        hold_elements(r, &member);
        oracle_memory_place(&r->oracle, r->layout, &before, &member);
        target_hold(&r->oracle, member.name);
        /* No cut between members that share bytes: some of them would stay whole. */
        if (r->members > 0 && member.offset >= r->cut)
            r->cut = member.offset + member.size;
        r->members -= r->members > 0;
        before = member;
    }
}

static void check(layout_run *r, etl_span structure, etl_findings *findings)
{
    static const char *const layers[] = {"memory", NULL};
    findings->count = 0;
    findings->overflow = false;
    etl_memory_check(r->layout, structure, OFFSET, findings);
    oracle_call(&r->oracle, findings, layers, OFFSET, OFFSET + structure.size);
    target_hold(&r->oracle, "findings");
}

static void hold_due(layout_run *r, etl_span structure, const etl_findings *findings)
{
    oracle_due due;
    oracle_due_begin(&due, findings);
    oracle_due_memory(&due, r->layout, structure, OFFSET);
    oracle_due_end(&r->oracle, &due);
    target_hold(&r->oracle, "findings");
}

static void hold_findings(layout_run *r, bool cut_too)
{
    etl_findings whole, left;
    check(r, r->structure, &whole);
    hold_due(r, r->structure, &whole);
    if (!cut_too || r->cut > r->structure.size)
        return;
    const etl_span cut = target_copy((etl_span){r->structure.at, r->cut});
    check(r, cut, &left);
    oracle_memory_cut(&r->oracle, &whole, &left, OFFSET + r->cut);
    target_hold(&r->oracle, "cut");
    target_copy_free(cut);
}

static int32_t score_as(etl_guess_plan *plan, etl_memory_layout layout, etl_span structure)
{
    etl_guess_prepare(plan, layout);
    return etl_guess_score(plan, structure, INT32_MIN);
}

static void hold_guess(layout_run *r)
{
    const etl_memory_layout last = {r->layout.structure, etl_memory_same_until(r->layout), r->layout.arch};
    etl_guess_plan plan, other;
    if (etl_memory_size(r->layout) == 0)
        return;
    const int32_t all = score_as(&plan, r->layout, r->structure);
    const oracle_guess_scores scores = {.all = all,
                                     .floor = 0,
                                     .early = etl_guess_score(&plan, r->structure, 0),
                                     .same = score_as(&other, last, r->structure)};
    oracle_guess(&r->oracle, &plan, r->structure, scores);
    target_hold(&r->oracle, "guess");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    layout_run run = {
        .layout = {(etl_memory_structure)(data[0] % ETL_MEMORY_STRUCTURE_COUNT), (etl_windows)(data[1] % ETL_WINDOWS_COUNT),
                   (etl_arch)(data[2] % ETL_ARCH_COUNT)},
        .members = data[3],
    };
    const uint32_t most = etl_memory_size(run.layout);
    const engine_share share = engine_share_of((etl_span){data, size});
    enum { CUT, GUESS, GROUPS };
    oracle_init(&run.oracle, size, ETL_LIMITS_DEFAULT, true);
    run.structure = target_copy((etl_span){data + 4, size - 4 < most ? size - 4 : most});
    hold_members(&run);
    hold_findings(&run, engine_share_has(share, CUT, GROUPS));
    if (engine_share_has(share, GUESS, GROUPS))
        hold_guess(&run);
    target_copy_free(run.structure);
    return 0;
}
