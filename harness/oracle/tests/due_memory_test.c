/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests due_memory.c on structures of every layout, filled with edge values: the findings of etl_memory_check are those
 * that are due; and none may be missing, added or differ in a member. Every rule must have a finding among them.
 */
#include <stdio.h>
#include <string.h>

#include "due.h"
#include "oracle.h"
#include "oracle_test.h"

#define OFFSET UINT64_C(0xFFFFFFC0)
#define TIMES 24u

/* The first EDGES_32 have 32 bits. */
#define EDGES_32 24
static const uint64_t edges[] = {
    0, 1, 2, 3, 4, 7, 8, 15, 16, 63, 64, 0x3FF, 0x400, 0x401, 0x800, 0xFFFF, 0x10000, 0x1000000, 0x1000400,
    0x40000000, 0x7FFFFFFF, 0x80000000, 0x80000004, 0xFFFFFFFF, UINT64_C(0x0002000200020002),
    UINT64_C(0x0003000400030004), UINT64_C(0x00007FFFFFFFFFFF), UINT64_C(0x0000800000000000),
    UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0xFFFF7FFFFFFFFFFF), UINT64_C(0xFFFF800000000000),
    UINT64_C(0xFFFF800000000008), UINT64_C(0xFFFFFFFFFFFFFFFF),
    /* TRACE_ENABLE_INFO, enabled with Level 5, of the last LoggerId and the one above it */
    UINT64_C(0x003F000500000001), UINT64_C(0x0040000500000001)};

static uint8_t bytes[0x1000];
static unsigned seen[ETL_RULE_COUNT];

static uint32_t random_below(uint32_t most)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % most;
}

static void fill(uint32_t size)
{
    for (uint32_t at = 0; at + 8 <= sizeof bytes && at < size; at += 8) {
        put(bytes + at, 8, edges[random_below(sizeof edges / sizeof edges[0])]);
        if (random_below(2))
            put(bytes + at + 4, 4, edges[random_below(EDGES_32)]);
    }
}

static bool holds(etl_memory_layout layout, etl_span structure, const etl_findings *findings)
{
    oracle_watch oracle;
    oracle_due due;
    oracle_init(&oracle, structure.size, ETL_LIMITS_DEFAULT, false);
    oracle_due_begin(&due, findings);
    oracle_due_memory(&due, layout, structure, OFFSET);
    return oracle_due_end(&oracle, &due);
}

static void change(etl_finding *f, unsigned way)
{
    switch (way) {
    case 0: f->rule = f->rule == ETL_RULE_LAY_002 ? ETL_RULE_LAY_003 : ETL_RULE_LAY_002; break;
    case 1: f->offset &= UINT32_MAX; break;
    case 2: f->relation = f->relation == ETL_RELATION_EQUAL ? ETL_RELATION_NOT : ETL_RELATION_EQUAL; break;
    case 3: f->expected ^= 1; break;
    case 4: f->actual ^= 1; break;
    case 5: f->action = ETL_ACTION_STOP; break;
    case 6: f->lost++; break;
    default: f->buffer = 0;
    }
}

/* How many changes of a finding are not noticed. */
static unsigned missed(etl_memory_layout layout, etl_span structure, etl_findings *findings, uint32_t index)
{
    const etl_finding original = findings->at[index];
    unsigned count = 0;
    for (unsigned way = 0; way < 8; way++) {
        change(&findings->at[index], way);
        if (original.offset > UINT32_MAX || way != 1)
            count += holds(layout, structure, findings);
        findings->at[index] = original;
    }
    findings->at[index] = findings->at[--findings->count];
    count += holds(layout, structure, findings);
    findings->at[findings->count++] = findings->at[index];
    findings->at[index] = original;
    findings->at[findings->count++] = original;
    count += holds(layout, structure, findings);
    findings->count--;
    return count;
}

/* Fills a structure, or the start of one. Returns how much is wrong. */
static unsigned try_layout(etl_memory_layout layout)
{
    static etl_findings findings;
    const uint32_t size = etl_memory_size(layout), cut = random_below(4) > 0 ? size : random_below(size);
    const etl_span structure = {bytes, cut};
    unsigned wrong = 0;
    fill(size);
    findings.count = 0;
    etl_memory_check(layout, structure, OFFSET, &findings);
    if (!holds(layout, structure, &findings))
        return 1;
    for (uint32_t i = 0; i < findings.count; i++) {
        seen[findings.at[i].rule]++;
        if (seen[findings.at[i].rule] < 200)
            wrong += missed(layout, structure, &findings, i);
    }
    return wrong;
}

static void test_layouts_of(etl_memory_structure structure)
{
    unsigned wrong = 0;
    for (unsigned windows = 0; windows < ETL_WINDOWS_COUNT; windows++)
        for (unsigned arch = 0; arch < ETL_ARCH_COUNT; arch++) {
            const etl_memory_layout layout = {structure, (etl_windows)windows, (etl_arch)arch};
            for (unsigned i = 0; i < TIMES && etl_memory_size(layout) > 0; i++)
                wrong += try_layout(layout);
        }
    char line[80];
    (void)snprintf(line, sizeof line, "%s: findings are due, and no others", etl_memory_structure_get(structure)->name);
    say(wrong == 0, line);
}

void test_due_memory(void)
{
    for (unsigned structure = 0; structure < ETL_MEMORY_STRUCTURE_COUNT; structure++)
        test_layouts_of((etl_memory_structure)structure);
    for (unsigned rule = ETL_RULE_LAY_002; rule <= ETL_RULE_LAY_020; rule++) {
        char line[80];
        (void)snprintf(line, sizeof line, "%s has findings", etl_rule_get((etl_rule)rule)->id);
        say(seen[rule] > 0, line);
    }
}
