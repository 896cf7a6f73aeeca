/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks structures in memory: members are in order, values equal their bytes, and a cut changes no finding before it.
 * Called by fuzz_layout.
 */
#include "entry_points.h"
#include "input_bytes.h"

static bool lies_well(etl_memory_layout layout, const etl_memory_member *before, const etl_memory_member *member)
{
    const uint32_t end = before->offset + before->size;
    return ORACLE_HOLDS(member->size > 0 && member->count > 0 && member->align > 0) &&
           ORACLE_HOLDS(member->offset % member->align == 0) &&
           ORACLE_HOLDS(member->offset == before->offset || member->offset >= end) &&
           ORACLE_HOLDS(member->offset + member->size <= etl_memory_size(layout));
}

bool oracle_memory_place(oracle_watch *oracle, etl_memory_layout layout, const etl_memory_member *before,
                         const etl_memory_member *member)
{
    return lies_well(layout, before, member) || oracle_break(oracle, ORACLE_PROMISE_MEMORY, member->offset);
}

static bool same_guid(etl_guid a, etl_guid b)
{
    return a.data1 == b.data1 && a.data2 == b.data2 && a.data3 == b.data3 &&
           memcmp(a.data4, b.data4, sizeof a.data4) == 0;
}

uint64_t oracle_memory_number(const uint8_t *at, const etl_memory_member *member)
{
    uint64_t number = oracle_raw(at, member->size);
    if (member->kind == ETL_MEMORY_KIND_SIGNED && member->size == 4 && number > INT32_MAX)
        number |= UINT64_C(0xFFFFFFFF00000000);
    return number;
}

static bool reads_well(etl_span structure, const etl_memory_member *member, const etl_memory_value *value)
{
    static const etl_guid none;
    const uint8_t *at = structure.at + member->offset;
    const bool is_guid = member->kind == ETL_MEMORY_KIND_GUID;
    const bool is_number = !is_guid && member->size <= sizeof(uint64_t);
    return ORACLE_HOLDS(value->bytes.at == at && value->bytes.size == member->size) &&
           ORACLE_HOLDS(value->number == (is_number ? oracle_memory_number(at, member) : 0)) &&
           ORACLE_HOLDS(same_guid(value->guid, is_guid ? oracle_raw_guid(at) : none));
}

/* Whether a truncated value has only the bytes that the structure contains. */
static bool is_short(etl_span structure, const etl_memory_member *member, const etl_memory_value *value)
{
    static const etl_guid none;
    const size_t left = member->offset < structure.size ? structure.size - member->offset : 0;
    return ORACLE_HOLDS(left < member->size) && ORACLE_HOLDS(value->bytes.size == left) &&
           ORACLE_HOLDS(value->number == 0) && ORACLE_HOLDS(same_guid(value->guid, none)) &&
           ORACLE_HOLDS(left == 0 || value->bytes.at == structure.at + member->offset);
}

bool oracle_memory_value(oracle_watch *oracle, etl_span structure, const etl_memory_member *member, bool whole,
                         const etl_memory_value *value)
{
    const bool fits = member->offset <= structure.size && member->size <= structure.size - member->offset;
    const bool holds = ORACLE_HOLDS(whole == fits) &&
                       (whole ? reads_well(structure, member, value) : is_short(structure, member, value));
    return holds || oracle_break(oracle, ORACLE_PROMISE_MEMORY, member->offset);
}

static bool same_finding(const etl_finding *a, const etl_finding *b)
{
    return a->rule == b->rule && a->offset == b->offset && a->relation == b->relation && a->expected == b->expected &&
           a->actual == b->actual;
}

static bool has(const etl_findings *findings, const etl_finding *finding)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (same_finding(&findings->at[i], finding))
            return true;
    return false;
}

/* How many members a rule is about. */
typedef enum scope {
    UNKNOWN,
    ONE_MEMBER,     /* alone, or with the members it consists of */
    SEVERAL_MEMBERS /* or the size: a cut after the place of a finding may change it */
} scope;

static scope scope_of(etl_rule rule)
{
    switch (rule) {
    case ETL_RULE_LAY_003:
    case ETL_RULE_LAY_004:
    case ETL_RULE_LAY_005:
    case ETL_RULE_LAY_006:
    case ETL_RULE_LAY_008:
    case ETL_RULE_LAY_014:
    case ETL_RULE_LAY_016:
    case ETL_RULE_LAY_017:
    case ETL_RULE_LAY_020:
        return ONE_MEMBER;
    case ETL_RULE_LAY_002:
    case ETL_RULE_LAY_007:
    case ETL_RULE_LAY_009:
    case ETL_RULE_LAY_010:
    case ETL_RULE_LAY_011:
    case ETL_RULE_LAY_012:
    case ETL_RULE_LAY_013:
    case ETL_RULE_LAY_015:
    case ETL_RULE_LAY_018:
    case ETL_RULE_LAY_019:
        return SEVERAL_MEMBERS;
    default: /* not a rule of structures in memory, or a new one, which needs its place above */
        return UNKNOWN;
    }
}

/* Whether a finding about the whole structure has a known rule, and must also be found in the cut structure. */
static bool is_left(const etl_finding *finding, const etl_findings *left, uint64_t cut)
{
    const scope about = scope_of(finding->rule);
    return ORACLE_HOLDS(about != UNKNOWN) &&
           (about != ONE_MEMBER || finding->offset >= cut || ORACLE_HOLDS(has(left, finding)));
}

bool oracle_memory_cut(oracle_watch *oracle, const etl_findings *whole, const etl_findings *left, uint64_t cut)
{
    for (uint32_t i = 0; i < left->count; i++)
        if (left->at[i].rule != ETL_RULE_LAY_002 && !ORACLE_HOLDS(has(whole, &left->at[i])))
            return oracle_break(oracle, ORACLE_PROMISE_MEMORY_CUT, left->at[i].offset);
    for (uint32_t i = 0; i < whole->count; i++)
        if (!is_left(&whole->at[i], left, cut))
            return oracle_break(oracle, ORACLE_PROMISE_MEMORY_CUT, whole->at[i].offset);
    return true;
}
