/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over structures in memory: each passes on the decoder's result, and fails on a wrong one.
 */
#include <stdio.h>
#include <string.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"

#define KERNEL UINT64_C(0xFFFFBE0123456780)

/* An ETW_GUID_ENTRY with a link that is null, cut off after GuidList. */
static struct played_decode {
    uint8_t bytes[0x1A8];
    etl_span structure;
    etl_memory_member before, member;
    etl_memory_value value;
    bool whole;
    etl_findings findings, left;
    etl_guess_plan plan;
    oracle_guess_scores scores;
} s;

static const etl_memory_layout layout = {ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY, ETL_WINDOWS_2004, ETL_ARCH_X64};

static void make(const char *name)
{
    put(s.bytes, 8, KERNEL);
    s.bytes[0x20] = 0xFE; /* RefCount */
    s.bytes[0x28] = 0xA1; /* Guid */
    s.structure = (etl_span){s.bytes, sizeof s.bytes};
    etl_memory_find(layout, "GuidList", &s.before);
    etl_memory_find(layout, name, &s.member);
    s.whole = etl_memory_read(s.structure, &s.member, &s.value);
    etl_memory_check(layout, s.structure, 0, &s.findings);
    etl_memory_check(layout, (etl_span){s.bytes, 0x10}, 0, &s.left);
}

static void nothing(void) {}
static void overlaps(void) { s.member.offset = 8; }
static void unaligned(void) { s.member.offset++; }
static void outside(void) { s.member.offset = 0x1A0; }
static void of_no_size(void) { s.member.size = 0; }
static void of_no_count(void) { s.member.count = 0; }
static void of_no_align(void) { s.member.align = 0; }
static void at_end_of_before(void) { s.member.offset = s.before.offset + s.before.size; }
static void at_before(void) { s.member.offset = s.before.offset; }
static void at_end(void) { s.member.offset = etl_memory_size(layout) - s.member.size; }
static bool place_holds(oracle_watch *o) { return oracle_memory_place(o, layout, &s.before, &s.member); }

static void other_number(void) { s.value.number ^= 0x100; }
static void other_guid(void) { s.value.guid.data4[7]++; }
static void other_bytes(void) { s.value.bytes.at++; }
static void other_data1(void) { s.value.guid.data1++; }
static void other_data2(void) { s.value.guid.data2++; }
static void other_data3(void) { s.value.guid.data3++; }
static void fewer_bytes(void) { s.value.bytes.size--; }
static void refused(void) { s.whole = false; }
static bool value_holds(oracle_watch *o) { return oracle_memory_value(o, s.structure, &s.member, s.whole, &s.value); }

static void cut(void)
{
    s.structure.size = s.member.offset + 3;
    s.whole = etl_memory_read(s.structure, &s.member, &s.value);
}

/* The value still claims to be complete. */
static void cut_later(void) { s.structure.size = s.member.offset + 3; }
static void cut_said_whole(void) { cut(), s.whole = true; }
static void cut_with_number(void) { cut(), s.value.number = 1; }
static void cut_without_bytes(void) { cut(), s.value.bytes.size = 0; }

static void cut_with_guid(void) { cut(), s.value.guid.data1 = 1; }
static void cut_of_other_bytes(void) { cut(), s.value.bytes.at++; }

static void cut_at(uint32_t size)
{
    s.structure.size = size;
    s.whole = etl_memory_read(s.structure, &s.member, &s.value);
}

static void cut_before(void) { cut_at(s.member.offset), s.value.bytes.at = NULL; }
static void cut_long_before(void) { cut_at(s.member.offset - 1), s.value.bytes.at = NULL; }
static void cut_behind(void) { cut_at(s.member.offset + s.member.size); }

/* A complete value that is reported as truncated. */
static void said_cut(void)
{
    s.value = (etl_memory_value){.bytes = {s.bytes + s.member.offset, s.member.size}};
    s.whole = false;
}

/* A number of 4 bytes, sign-extended if SIGNED, or of 8 bytes. */
static void number_of(uint64_t number, etl_memory_kind kind, uint32_t size)
{
    put(s.bytes + s.member.offset, size, number);
    s.member.kind = kind;
    s.member.size = size;
    s.whole = etl_memory_read(s.structure, &s.member, &s.value);
}

static void most(void) { number_of(0x7FFFFFFF, ETL_MEMORY_KIND_SIGNED, 4); }
static void least(void) { number_of(0x80000000, ETL_MEMORY_KIND_SIGNED, 4); }
static void unsigned_most(void) { number_of(0xFFFFFFFF, ETL_MEMORY_KIND_UNSIGNED, 4); }
static void above_most(void) { number_of(0x80000000, ETL_MEMORY_KIND_SIGNED, 8); }
static void least_not_widened(void) { least(), s.value.number &= UINT32_MAX; }
static void most_widened(void) { unsigned_most(), s.value.number = UINT64_MAX; }

static void forgotten(void) { s.left.count = 0; }
static void invented(void) { s.left.at[s.left.count++] = (etl_finding){.rule = ETL_RULE_LAY_004}; }
static void of_other_rule(void) { s.findings.at[0].rule = ETL_RULE_LAY_004; }
static void of_other_place(void) { s.findings.at[0].offset ^= 1; }
static void of_other_relation(void) { s.findings.at[0].relation ^= 1; }
static void of_other_expected(void) { s.findings.at[0].expected++; }

/* Loses a finding about one member, before or after the cut. */
static void lost_at(uint64_t offset)
{
    s.findings.count = 1, s.left.count = 0;
    s.findings.at[0] = (etl_finding){.rule = ETL_RULE_LAY_004, .offset = offset};
}

/* Two findings about members before the cut, both of which the cut structure has. */
static void two_findings(void)
{
    lost_at(0x0E);
    s.findings.at[1] = s.findings.at[0];
    s.findings.at[1].offset++;
    s.left = s.findings;
    s.left.count = s.findings.count = 2;
    s.left.at[1] = s.findings.at[1];
}

static void lost_second(void) { two_findings(), s.left.count = 1; }
static void invented_first(void) { two_findings(), s.findings.at[0] = s.findings.at[1]; }
static void invented_second(void) { two_findings(), s.findings.at[1] = s.findings.at[0]; }
static void lost_behind(void) { lost_at(0x10); }
static void lost_before(void) { lost_at(0x0F); }
static void said_otherwise(void) { s.findings.at[0].actual++; }
static bool cut_holds(oracle_watch *o) { return oracle_memory_cut(o, &s.findings, &s.left, 0x10); }

static void score(void)
{
    s.scores.all = s.scores.same = etl_guess_score(&s.plan, s.structure, INT32_MIN);
    s.scores.floor = s.scores.all + 1;
    s.scores.early = etl_guess_score(&s.plan, s.structure, s.scores.floor);
}

static void guess(void)
{
    etl_guess_prepare(&s.plan, layout);
    score();
}

/* The plan has a test of a member that it places outside the structure. */
static void guess_outside(void)
{
    etl_guess_prepare(&s.plan, layout);
    s.plan.size = 8;
    score();
}

/* The array entry after the last test must not be read. */
static void guess_behind_last(void)
{
    guess();
    s.plan.tests[s.plan.count].offset = (uint16_t)s.plan.size;
    s.plan.tests[s.plan.count].size = 8;
}

/* The first test that gives points is the only one, and so the last. */
static void guess_of_one(void)
{
    uint32_t i = 0;
    guess();
    while (etl_clue_get(etl_guess_clue(&s.plan, i, s.structure))->points[layout.arch] == 0)
        i++;
    s.plan.tests[0] = s.plan.tests[i];
    s.plan.count = 1;
    score();
}

static void guess_of_cut(void) { s.structure.size = 0x25, guess(); }
static void guess_of_cut_as_whole(void) { guess(), s.structure.size = 0x25; }
static void guess_too_high(void) { guess(), s.scores.all++, s.scores.same++; }
static void guess_of_half(void) { guess(), s.scores.early = s.scores.floor; }
static void guess_of_all(void) { guess(), s.scores.early = s.scores.all, s.scores.floor = s.scores.all - 1; }
static void guess_otherwise(void) { guess(), s.scores.same--; }
static bool guess_holds(oracle_watch *o) { return oracle_guess(o, &s.plan, s.structure, s.scores); }

static const struct row {
    const char *what, *member;
    oracle_promise promise; /* COUNT: none is broken */
    void (*spoil)(void);
    bool (*holds)(oracle_watch *oracle);
} rows[] = {
    {"a member after another", "RefCount", ORACLE_PROMISE_COUNT, nothing, place_holds},
    {"a member that shares bytes with the one before", "RefCount", ORACLE_PROMISE_MEMORY, overlaps, place_holds},
    {"a member that is not aligned", "RefCount", ORACLE_PROMISE_MEMORY, unaligned, place_holds},
    {"a member past the end", "Guid", ORACLE_PROMISE_MEMORY, outside, place_holds},
    {"a member without size", "RefCount", ORACLE_PROMISE_MEMORY, of_no_size, place_holds},
    {"a member without elements", "RefCount", ORACLE_PROMISE_MEMORY, of_no_count, place_holds},
    {"a member without alignment", "RefCount", ORACLE_PROMISE_MEMORY, of_no_align, place_holds},
    {"a member directly after the one before", "RefCount", ORACLE_PROMISE_COUNT, at_end_of_before, place_holds},
    {"a member at the offset of the one before", "RefCount", ORACLE_PROMISE_COUNT, at_before, place_holds},
    {"a member at the end", "RefCount", ORACLE_PROMISE_COUNT, at_end, place_holds},
    {"a number as read", "RefCount", ORACLE_PROMISE_COUNT, nothing, value_holds},
    {"a GUID as read", "Guid", ORACLE_PROMISE_COUNT, nothing, value_holds},
    {"another number", "RefCount", ORACLE_PROMISE_MEMORY, other_number, value_holds},
    {"another GUID", "Guid", ORACLE_PROMISE_MEMORY, other_guid, value_holds},
    {"a number in addition to a GUID", "Guid", ORACLE_PROMISE_MEMORY, other_number, value_holds},
    {"a value of other bytes", "Guid", ORACLE_PROMISE_MEMORY, other_bytes, value_holds},
    {"a complete member reported as truncated", "Guid", ORACLE_PROMISE_MEMORY, refused, value_holds},
    {"a truncated member", "RefCount", ORACLE_PROMISE_COUNT, cut, value_holds},
    {"a truncated member reported as complete", "RefCount", ORACLE_PROMISE_MEMORY, cut_said_whole, value_holds},
    {"a truncated member read as complete", "RefCount", ORACLE_PROMISE_MEMORY, cut_later, value_holds},
    {"a number for a truncated member", "RefCount", ORACLE_PROMISE_MEMORY, cut_with_number, value_holds},
    {"no bytes for a truncated member", "RefCount", ORACLE_PROMISE_MEMORY, cut_without_bytes, value_holds},
    {"another first part of a GUID", "Guid", ORACLE_PROMISE_MEMORY, other_data1, value_holds},
    {"another second part of a GUID", "Guid", ORACLE_PROMISE_MEMORY, other_data2, value_holds},
    {"another third part of a GUID", "Guid", ORACLE_PROMISE_MEMORY, other_data3, value_holds},
    {"a value of fewer bytes", "Guid", ORACLE_PROMISE_MEMORY, fewer_bytes, value_holds},
    {"the largest signed number", "RefCount", ORACLE_PROMISE_COUNT, most, value_holds},
    {"the smallest signed number", "RefCount", ORACLE_PROMISE_COUNT, least, value_holds},
    {"the largest unsigned number", "RefCount", ORACLE_PROMISE_COUNT, unsigned_most, value_holds},
    {"a signed number of eight bytes", "RefCount", ORACLE_PROMISE_COUNT, above_most, value_holds},
    {"a member that is longer than a number", "GuidList", ORACLE_PROMISE_COUNT, nothing, value_holds},
    {"a negative number that is not sign-extended", "RefCount", ORACLE_PROMISE_MEMORY, least_not_widened, value_holds},
    {"an unsigned number that is sign-extended", "RefCount", ORACLE_PROMISE_MEMORY, most_widened, value_holds},
    {"a GUID for a truncated member", "Guid", ORACLE_PROMISE_MEMORY, cut_with_guid, value_holds},
    {"other bytes for a truncated member", "Guid", ORACLE_PROMISE_MEMORY, cut_of_other_bytes, value_holds},
    {"a member that starts at the cut", "Guid", ORACLE_PROMISE_COUNT, cut_before, value_holds},
    {"a member that starts after the cut", "Guid", ORACLE_PROMISE_COUNT, cut_long_before, value_holds},
    {"a member that ends at the cut", "Guid", ORACLE_PROMISE_COUNT, cut_behind, value_holds},
    {"a complete member read as truncated", "RefCount", ORACLE_PROMISE_MEMORY, said_cut, value_holds},
    {"a finding with another rule after a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, of_other_rule, cut_holds},
    {"a finding at another place after a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, of_other_place, cut_holds},
    {"a finding with another relation after a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, of_other_relation, cut_holds},
    {"a finding with another expectation after a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, of_other_expected, cut_holds},
    {"a finding lost by a cut before it", "Guid", ORACLE_PROMISE_COUNT, lost_behind, cut_holds},
    {"a finding lost by a cut one byte after it", "Guid", ORACLE_PROMISE_MEMORY_CUT, lost_before, cut_holds},
    {"two findings after a cut", "Guid", ORACLE_PROMISE_COUNT, two_findings, cut_holds},
    {"the second of two findings lost by a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, lost_second, cut_holds},
    {"a first finding that only the cut structure has", "Guid", ORACLE_PROMISE_MEMORY_CUT, invented_first, cut_holds},
    {"a second finding that only the cut structure has", "Guid", ORACLE_PROMISE_MEMORY_CUT, invented_second, cut_holds},
    {"the sum above a floor", "Guid", ORACLE_PROMISE_COUNT, guess_of_all, guess_holds},
    {"the findings of a truncated structure", "Guid", ORACLE_PROMISE_COUNT, nothing, cut_holds},
    {"a finding lost by a cut after it", "Guid", ORACLE_PROMISE_MEMORY_CUT, forgotten, cut_holds},
    {"a finding that only the cut structure has", "Guid", ORACLE_PROMISE_MEMORY_CUT, invented, cut_holds},
    {"a finding that differs after a cut", "Guid", ORACLE_PROMISE_MEMORY_CUT, said_otherwise, cut_holds},
    {"the score of a whole structure", "Guid", ORACLE_PROMISE_COUNT, guess, guess_holds},
    {"the score of one test", "Guid", ORACLE_PROMISE_COUNT, guess_of_one, guess_holds},
    {"the score of a cut structure", "Guid", ORACLE_PROMISE_COUNT, guess_of_cut, guess_holds},
    {"points for missing members", "Guid", ORACLE_PROMISE_GUESS, guess_of_cut_as_whole, guess_holds},
    {"one point too many", "Guid", ORACLE_PROMISE_GUESS, guess_too_high, guess_holds},
    {"the floor in place of a sum below it", "Guid", ORACLE_PROMISE_GUESS, guess_of_half, guess_holds},
    {"another score for a version with the same layout", "Guid", ORACLE_PROMISE_GUESS, guess_otherwise, guess_holds},
    {"a member past the end of the structure", "Guid", ORACLE_PROMISE_GUESS, guess_outside, guess_holds},
    {"an array entry after the last test", "Guid", ORACLE_PROMISE_COUNT, guess_behind_last, guess_holds},
};

/* The whole structure has one finding of the rule, at its start; the truncated one has the same finding if `is_left`.
   */
static bool rule_holds(etl_rule rule, bool is_left)
{
    oracle_watch oracle;
    etl_findings whole = {.count = 1}, left = {.count = is_left};
    whole.at[0] = left.at[0] = (etl_finding){.rule = rule};
    oracle_init(&oracle, sizeof s.bytes, ETL_LIMITS_DEFAULT, true);
    return oracle_memory_cut(&oracle, &whole, &left, 0x10);
}

/* The oracle accepts exactly the rules of structures in memory that can be reported. */
static void test_rules(void)
{
    for (etl_rule rule = 0; rule < ETL_RULE_COUNT; rule++) {
        const etl_rule_info *info = etl_rule_get(rule);
        const bool is_known = strcmp(info->layer, "memory") == 0 && info->severity != ETL_SEVERITY_STRUCTURE;
        if (rule_holds(rule, true) != is_known)
            say(false, info->id);
    }
    say(!rule_holds(ETL_RULE_LAY_014, false), "a finding about one member lost by a cut after it");
    say(rule_holds(ETL_RULE_LAY_015, false), "a finding about two members lost by a cut between them");
}

void test_memory(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        oracle_watch oracle;
        memset(&s, 0, sizeof s);
        make(rows[i].member);
        oracle_init(&oracle, sizeof s.bytes, ETL_LIMITS_DEFAULT, true);
        rows[i].spoil();
        const bool held = rows[i].holds(&oracle);
        const bool right = oracle.broken == rows[i].promise && held == (oracle.broken == ORACLE_PROMISE_COUNT) &&
                           (oracle.broken != ORACLE_PROMISE_GUESS || oracle.broken_at == 0);
        say(right, rows[i].what);
        if (!right)
            printf("# expected %s, got %s\n", oracle_promise_name(rows[i].promise), oracle_promise_name(oracle.broken));
        if (oracle.broken < ORACLE_PROMISE_COUNT)
            fired[oracle.broken] = true;
    }
    test_rules();
}
