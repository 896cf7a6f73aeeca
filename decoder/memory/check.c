/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure in memory -> findings of the rules of the group `layout`: whether its members are possible and consistent.
 * Members that the layout does not have, or that the span cuts, are not checked. Called by the layout verb.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"
#include "report.h"
#include "span.h"

/* EVENT_TRACE_CLOCK_MAX - 1. */
#define CLOCK_TYPE_MOST (ETL_CLOCK_TYPE_COUNT - 1)

/*@ lemma name{L}: \forall char *s;
  @   etl_ends(s, 5) || etl_ends(s, 6) || etl_ends(s, 8) || etl_ends(s, 9) || etl_ends(s, 10) || etl_ends(s, 11) ||
  @   etl_ends(s, 13) || etl_ends(s, 14) || etl_ends(s, 15) || etl_ends(s, 16) || etl_ends(s, 18) ==> etl_text(s); */

typedef struct memory_check {
    etl_memory_layout layout;
    etl_span structure;
    uint64_t offset; /* of the structure */
    etl_findings *findings;
} memory_check;

/*@ predicate checking{L}(memory_check *c) =
  @   \valid_read(c) && etl_known_layout(c->layout) && etl_readable(c->structure) && etl_list(c->findings) &&
  @   \separated(c->findings, c) && \separated(c->findings, c->structure.at + (0 .. c->structure.size - 1)); */

/* Sets what the last finding expected and found. */
/*@ requires etl_list(findings) && findings->count >= 1;
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void expect(etl_findings *findings, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_expect(&findings->at[findings->count - 1u], relation, expected, actual);
}

/*@ requires checking(c) && \valid_read(member);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void report(memory_check *c, etl_rule rule, const etl_memory_member *member, etl_relation relation,
                   uint64_t expected, uint64_t actual)
{
    (void)etl_report(c->findings, rule, ETL_SPACE_FILE, c->offset + member->offset);
    expect(c->findings, relation, expected, actual);
}

/* Finds and reads a member by name; false if the layout does not have it, or the span cuts it. */
/*@ requires checking(c) && etl_text(name) && \valid(member) && \valid(number);
  @ requires \separated(member, number, c, c->findings);
  @ assigns *member, *number;
  @ ensures checking(c); */
static bool get(const memory_check *c, const char *name, etl_memory_member *member, uint64_t *number)
{
    etl_memory_value value;
    if (!etl_memory_find(c->layout, name, member) || !etl_memory_read(c->structure, member, &value))
        return false;
    *number = value.number;
    return true;
}

/* Finds and reads a part of a member that the span contains. */
/*@ requires checking(c) && etl_text(name) && \valid_read(member) && \valid(part);
  @ requires \separated(part, member) && \separated(part, c, c->findings);
  @ assigns *part;
  @ ensures checking(c); */
static uint64_t part_of(const memory_check *c, const etl_memory_member *member, const char *name, etl_memory_member *part)
{
    etl_memory_value value = {0};
    if (etl_memory_part_find(member, c->layout.arch, name, part))
        etl_memory_read(c->structure, part, &value);
    return value.number;
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_size(memory_check *c)
{
    const uint32_t size = etl_memory_size(c->layout);
    if (c->structure.size >= size)
        return;
    /* `lost` stays 0: the bytes in the span are all used. */
    (void)etl_report(c->findings, ETL_RULE_LAY_002, ETL_SPACE_FILE, c->offset + c->structure.size);
    expect(c->findings, ETL_RELATION_AT_LEAST, size, c->structure.size);
}

etl_memory_half etl_memory_half_of(etl_memory_layout layout)
{
    static const etl_memory_half halves[][2] = {
        [ETL_MEMORY_MODE_KERNEL] = {{ETL_MEMORY_KERNEL_LEAST_X86, UINT32_MAX}, {ETL_MEMORY_KERNEL_LEAST_X64, UINT64_MAX}},
        /* 4 GiB less the first 64 KiB: what a 32-bit process has under a 64-bit kernel. */
        [ETL_MEMORY_MODE_USER] = {{0x10000, UINT32_MAX}, {0x10000, UINT64_C(0x7FFFFFFFFFFF)}},
    };
    return halves[etl_memory_structure_get(layout.structure)->mode][layout.arch == ETL_ARCH_X86 ? 0 : 1];
}

/* Whether an address is in the same half of memory as the structure; if not, reports the rule. */
/*@ requires checking(c) && \valid_read(member);
  @ assigns *c->findings;
  @ ensures checking(c); */
static bool check_half(memory_check *c, etl_rule rule, const etl_memory_member *member, uint64_t address)
{
    const etl_memory_half half = etl_memory_half_of(c->layout);
    if (address < half.least)
        report(c, rule, member, ETL_RELATION_AT_LEAST, half.least, address);
    else if (address > half.most)
        report(c, rule, member, ETL_RELATION_AT_MOST, half.most, address);
    else
        return true;
    return false;
}

/*@ requires checking(c) && \valid_read(member);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_pointer(memory_check *c, const etl_memory_member *member, uint64_t address)
{
    if (address != 0)
        check_half(c, ETL_RULE_LAY_004, member, address);
}

/*
 * The reference count is in the low bits, which are clear in an aligned address. They make no difference at either end of a
 * half of memory, so the aggregate number is checked and reported.
 */
/*@ requires checking(c) && \valid_read(member);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_fast_ref(memory_check *c, const etl_memory_member *member, uint64_t number)
{
    const uint64_t count = 2 * etl_arch_pointer_size(c->layout.arch) - 1;
    if (number > count)
        check_pointer(c, member, number);
}

/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_list(memory_check *c, const etl_memory_member *member)
{
    const uint64_t aligned = ~(uint64_t)(etl_arch_pointer_size(c->layout.arch) - 1);
    etl_memory_member parts[2];
    const uint64_t links[2] = {part_of(c, member, "Flink", &parts[0]), part_of(c, member, "Blink", &parts[1])};
    if (links[0] == 0 && links[1] == 0)
        return;
    /*@ loop invariant 0 <= i <= 2 && checking(c);
      @ loop assigns i, *c->findings;
      @ loop variant 2 - i; */
    for (int i = 0; i < 2; i++) {
        if (links[i] == 0)
            report(c, ETL_RULE_LAY_003, &parts[i], ETL_RELATION_NOT, 0, 0);
        else if (check_half(c, ETL_RULE_LAY_003, &parts[i], links[i]) && (links[i] & ~aligned) != 0)
            report(c, ETL_RULE_LAY_003, &parts[i], ETL_RELATION_BITS_WITHIN, aligned, links[i]);
    }
}

/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_string(memory_check *c, const etl_memory_member *member)
{
    etl_memory_member length_part, most_part, buffer_part;
    const uint64_t length = part_of(c, member, "Length", &length_part);
    const uint64_t most = part_of(c, member, "MaximumLength", &most_part);
    const uint64_t buffer = part_of(c, member, "Buffer", &buffer_part);
    if (length % 2 != 0)
        report(c, ETL_RULE_LAY_005, &length_part, ETL_RELATION_BITS_WITHIN, 0xFFFE, length);
    else if (length > most)
        report(c, ETL_RULE_LAY_005, &length_part, ETL_RELATION_AT_MOST, most, length);
    if (most % 2 != 0)
        report(c, ETL_RULE_LAY_005, &most_part, ETL_RELATION_BITS_WITHIN, 0xFFFE, most);
    if (length != 0 && buffer == 0)
        report(c, ETL_RULE_LAY_006, &buffer_part, ETL_RELATION_NOT, 0, 0);
    check_pointer(c, &buffer_part, buffer);
}

/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_enable_info(memory_check *c, const etl_memory_member *member)
{
    etl_memory_member part;
    const uint64_t is_enabled = part_of(c, member, "IsEnabled", &part);
    if (is_enabled > 1)
        report(c, ETL_RULE_LAY_008, &part, ETL_RELATION_AT_MOST, 1, is_enabled);
}

/* A structure without rules of its own: only the pointers in it are checked. */
/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_pointers(memory_check *c, const etl_memory_member *member)
{
    etl_memory_member part;
    etl_memory_value value;
    /*@ loop invariant i <= UINT8_MAX && checking(c);
      @ loop assigns i, part, value, *c->findings;
      @ loop variant UINT8_MAX - i; */
    for (uint32_t i = 0; etl_memory_part(member, c->layout.arch, i, &part); i++)
        if (part.kind == ETL_MEMORY_KIND_POINTER && etl_memory_read(c->structure, &part, &value))
            check_pointer(c, &part, value.number);
}

/* Checks one element of a member, all of it within the span. */
/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_kind(memory_check *c, const etl_memory_member *member, uint64_t number)
{
    switch (member->kind) {
    case ETL_MEMORY_KIND_POINTER:
        check_pointer(c, member, number);
        break;
    case ETL_MEMORY_KIND_FAST_REF:
        check_fast_ref(c, member, number);
        break;
    case ETL_MEMORY_KIND_LIST_ENTRY:
        check_list(c, member);
        break;
    case ETL_MEMORY_KIND_UNICODE_STRING:
        check_string(c, member);
        break;
    case ETL_MEMORY_KIND_TRACE_ENABLE_INFO:
        check_enable_info(c, member);
        break;
    default:
        check_pointers(c, member);
    }
}

/*@ requires checking(c) && \valid_read(member) && \separated(member, c->findings) && member->count >= 1;
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_elements(memory_check *c, const etl_memory_member *member)
{
    /*@ loop invariant i <= member->count && checking(c);
      @ loop assigns i, *c->findings;
      @ loop variant member->count - i; */
    for (uint32_t i = 0; i < member->count; i++) {
        const etl_memory_member element = etl_memory_element(member, i);
        etl_memory_value value;
        if (etl_memory_read(c->structure, &element, &value))
            check_kind(c, &element, value.number);
    }
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_members(memory_check *c)
{
    etl_memory_walk walk = etl_memory_members(c->layout);
    etl_memory_member member;
    /*@ loop invariant walk.row <= UINT16_MAX && checking(c);
      @ loop assigns walk.row, member, *c->findings;
      @ loop variant UINT16_MAX - walk.row; */
    while (etl_memory_next(&walk, &member))
        if (etl_evidence_get(member.evidence)->taken)
            check_elements(c, &member);
}

/* The combined request of all sessions that enable a provider. */
typedef struct enabled {
    bool any;
    uint64_t level, any_keyword, all_keyword;
    uint64_t loggers; /* one bit for each identifier */
} enabled;

/*@ requires checking(c) && \valid_read(info) && \separated(info, c->findings);
  @ requires \valid(all) && \separated(all, c, c->findings, info);
  @ assigns *c->findings, *all;
  @ ensures checking(c); */
static void check_logger_id(memory_check *c, const etl_memory_member *info, enabled *all)
{
    etl_memory_member part;
    const uint64_t id = part_of(c, info, "LoggerId", &part);
    if (id >= ETL_MEMORY_LOGGERS_MOST) {
        report(c, ETL_RULE_LAY_007, &part, ETL_RELATION_AT_MOST, ETL_MEMORY_LOGGERS_MOST - 1, id);
        return;
    }
    if (all->loggers >> id & 1)
        report(c, ETL_RULE_LAY_009, &part, ETL_RELATION_NOT, id, id);
    all->loggers |= UINT64_C(1) << id;
}

/*@ requires checking(c) && \valid_read(info) && \separated(info, c->findings);
  @ requires \valid(all) && \separated(all, c, c->findings, info);
  @ assigns *c->findings, *all;
  @ ensures checking(c); */
static void add_enabled(memory_check *c, const etl_memory_member *info, enabled *all)
{
    etl_memory_member part;
    if (part_of(c, info, "IsEnabled", &part) == 0)
        return;
    check_logger_id(c, info, all);
    const uint64_t level = part_of(c, info, "Level", &part);
    all->any = true;
    all->level = level > all->level ? level : all->level;
    all->any_keyword |= part_of(c, info, "MatchAnyKeyword", &part);
    all->all_keyword &= part_of(c, info, "MatchAllKeyword", &part);
}

/*@ requires checking(c) && \valid_read(info) && \separated(info, c->findings) && etl_text(name);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_equal(memory_check *c, etl_rule rule, const etl_memory_member *info, const char *name, uint64_t expected)
{
    etl_memory_member part;
    const uint64_t actual = part_of(c, info, name, &part);
    if (actual != expected)
        report(c, rule, &part, ETL_RELATION_EQUAL, expected, actual);
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_enabled(memory_check *c)
{
    etl_memory_member array, aggregate, part;
    uint64_t unused;
    if (!get(c, "EnableInfo", &array, &unused) || !get(c, "ProviderEnableInfo", &aggregate, &unused))
        return;
    enabled all = {false, 0, 0, UINT64_MAX, 0};
    /*@ loop invariant i <= array.count && checking(c);
      @ loop assigns i, all, *c->findings;
      @ loop variant array.count - i; */
    for (uint32_t i = 0; i < array.count; i++) {
        const etl_memory_member info = etl_memory_element(&array, i);
        add_enabled(c, &info, &all);
    }
    const uint64_t is_enabled = part_of(c, &aggregate, "IsEnabled", &part);
    if ((is_enabled != 0) != all.any)
        report(c, ETL_RULE_LAY_013, &part, ETL_RELATION_EQUAL, all.any, is_enabled);
    if (!all.any)
        return;
    check_equal(c, ETL_RULE_LAY_010, &aggregate, "Level", all.level);
    check_equal(c, ETL_RULE_LAY_011, &aggregate, "MatchAnyKeyword", all.any_keyword);
    check_equal(c, ETL_RULE_LAY_012, &aggregate, "MatchAllKeyword", all.all_keyword);
}

/*@ requires checking(c) && etl_text(name);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_most(memory_check *c, etl_rule rule, const char *name, uint64_t most)
{
    etl_memory_member member;
    uint64_t number;
    if (get(c, name, &member, &number) && number > most)
        report(c, rule, &member, ETL_RELATION_AT_MOST, most, number);
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_buffer_sizes(memory_check *c)
{
    etl_memory_member member;
    uint64_t size;
    if (!get(c, "BufferSize", &member, &size))
        return;
    if (size < ETL_MEMORY_BUFFER_SIZE_LEAST)
        report(c, ETL_RULE_LAY_014, &member, ETL_RELATION_AT_LEAST, ETL_MEMORY_BUFFER_SIZE_LEAST, size);
    else if (size > ETL_MEMORY_BUFFER_SIZE_MOST)
        report(c, ETL_RULE_LAY_014, &member, ETL_RELATION_AT_MOST, ETL_MEMORY_BUFFER_SIZE_MOST, size);
    else if (size % ETL_MEMORY_BUFFER_SIZE_LEAST != 0)
        report(c, ETL_RULE_LAY_014, &member, ETL_RELATION_BITS_WITHIN, ~(uint64_t)(ETL_MEMORY_BUFFER_SIZE_LEAST - 1), size);
    else
        check_most(c, ETL_RULE_LAY_015, "MaximumEventSize", size - ETL_SIZE(WMI_BUFFER_HEADER_61));
}

uint32_t etl_memory_bits_known(etl_memory_layout layout, etl_memory_meaning meaning)
{
    uint32_t bits = UINT32_MAX;
    etl_memory_bits run;
    if (meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        bits = ~ETL_LOGGER_MODE_UNUSED_0x40000000;
    /*@ loop invariant i <= UINT8_MAX;
      @ loop assigns i, bits, run;
      @ loop variant UINT8_MAX - i; */
    for (uint32_t i = 0; etl_memory_bits_of(layout, meaning, i, &run); i++)
        if (run.spare && etl_evidence_get(run.evidence)->taken)
            bits &= ~run.mask;
    return bits;
}

/*@ requires checking(c) && etl_text(name);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_bits(memory_check *c, const char *name)
{
    etl_memory_member member;
    uint64_t number;
    if (!get(c, name, &member, &number))
        return;
    const uint32_t bits = etl_memory_bits_known(c->layout, member.meaning);
    if ((number & ~(uint64_t)bits) != 0)
        report(c, ETL_RULE_LAY_017, &member, ETL_RELATION_BITS_WITHIN, bits, number);
}

/* The value of a member as an unsigned number of its width: a negative value is larger than every other. */
/*@ requires \valid_read(member);
  @ assigns \nothing; */
static uint64_t unsigned_of(const etl_memory_member *member, uint64_t number)
{
    return member->size == 4 ? number & UINT32_MAX : number;
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_buffer_counts(memory_check *c)
{
    etl_memory_member member, other;
    uint64_t number, most;
    if (get(c, "MinimumBuffers", &member, &number) && get(c, "MaximumBuffers", &other, &most) && most != 0 && number > most)
        report(c, ETL_RULE_LAY_018, &member, ETL_RELATION_AT_MOST, most, number);
    if (!get(c, "BuffersAvailable", &member, &number) || !get(c, "NumberOfBuffers", &other, &most))
        return;
    number = unsigned_of(&member, number);
    most = unsigned_of(&other, most);
    if (number > most)
        report(c, ETL_RULE_LAY_019, &member, ETL_RELATION_AT_MOST, most, number);
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check_reference_count(memory_check *c)
{
    etl_memory_member member;
    uint64_t number;
    if (c->layout.structure != ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY || !get(c, "RefCount", &member, &number))
        return;
    const uint64_t most = member.size == 4 ? INT32_MAX : INT64_MAX;
    if (unsigned_of(&member, number) > most)
        report(c, ETL_RULE_LAY_020, &member, ETL_RELATION_AT_MOST, most, unsigned_of(&member, number));
}

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void check(memory_check *c)
{
    check_size(c);
    check_members(c);
    check_enabled(c);
    if (c->layout.structure == ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT)
        check_most(c, ETL_RULE_LAY_007, "LoggerId", ETL_MEMORY_LOGGERS_MOST - 1);
    check_most(c, ETL_RULE_LAY_016, "ClockType", CLOCK_TYPE_MOST);
    check_buffer_sizes(c);
    check_bits(c, "LoggerMode");
    check_bits(c, "Flags");
    check_bits(c, "RequestFlag");
    check_buffer_counts(c);
    check_reference_count(c);
}

void etl_memory_check(etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings)
{
    memory_check c = {layout, structure, offset, findings};
    check(&c);
}
