/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that a structure in memory calls for, from the statements of the rules LAY-*. The places of members are
 * those of the layout tables, which memory_members.c checks. Called by fuzz_layout.
 */
#include "due.h"
#include "input_bytes.h"

/* MAXLOGGERS of ntwmi.h, and EVENT_TRACE_CLOCK_MAX. */
#define LOGGERS 64u
#define CLOCKS 4u

/* More members than any layout has. */
#define MEMBERS_MOST 128

/* The steps and the largest size of the buffers of a session. */
#define KIB UINT64_C(1024)
#define BUFFER_MOST (16 * KIB * KIB)

/* A structure, and the findings so far. */
typedef struct subject {
    oracle_due *due;
    etl_memory_layout layout;
    etl_span bytes;
    uint64_t offset; /* in the file */
    etl_memory_member members[MEMBERS_MOST]; /* those that are taken */
    size_t count;
} subject;

static void expect(const subject *s, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding finding = oracle_due_at(rule, ETL_SPACE_FILE, s->offset + at);
    oracle_due_values(&finding, relation, expected, actual);
    oracle_due_expect(s->due, &finding);
}

static bool is_whole(const subject *s, const etl_memory_member *m)
{
    return (uint64_t)m->offset + m->size <= s->bytes.size;
}

static uint64_t number(const subject *s, const etl_memory_member *m)
{
    return oracle_memory_number(s->bytes.at + m->offset, m);
}

/* A negative number is larger than any other of its width. */
static uint64_t width_number(const subject *s, const etl_memory_member *m)
{
    return m->size == 4 ? number(s, m) & UINT32_MAX : number(s, m);
}

static bool is_taken(const etl_memory_member *m)
{
    return etl_evidence_get(m->evidence)->taken;
}

/* Without strcmp, whose operands libFuzzer keeps to put them into inputs. */
static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The member of that name, if the layout has it and the bytes hold it. */
static bool find(const subject *s, const char *name, etl_memory_member *m)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!same_name(s->members[i].name, name))
            continue;
        *m = s->members[i];
        return is_whole(s, m);
    }
    return false;
}

/* The part of that name of a member that has one. */
static etl_memory_member part_of(const subject *s, const etl_memory_member *m, const char *name)
{
    etl_memory_member part = {0};
    for (uint32_t i = 0; etl_memory_part(m, s->layout.arch, i, &part); i++)
        if (same_name(part.name, name))
            break;
    return part;
}

static uint64_t part_number(const subject *s, const etl_memory_member *m, const char *name)
{
    const etl_memory_member part = part_of(s, m, name);
    return number(s, &part);
}

static bool is_wide(const subject *s)
{
    return s->layout.arch != ETL_ARCH_X86;
}

/* In kernel mode the upper half; in user mode all up to 4 GiB or to the end of the lower half, but not the first 64 KiB. */
static bool expect_half(const subject *s, etl_rule rule, uint32_t at, uint64_t address)
{
    const bool kernel = etl_memory_structure_get(s->layout.structure)->mode == ETL_MEMORY_MODE_KERNEL;
    const uint64_t upper = is_wide(s) ? UINT64_C(0xFFFF800000000000) : UINT64_C(0x80000000);
    const uint64_t last = is_wide(s) ? UINT64_MAX : UINT32_MAX;
    const uint64_t least = kernel ? upper : UINT64_C(0x10000);
    const uint64_t most = kernel || !is_wide(s) ? last : UINT64_C(0x7FFFFFFFFFFF);
    if (address < least)
        expect(s, rule, at, ETL_RELATION_AT_LEAST, least, address);
    if (address > most)
        expect(s, rule, at, ETL_RELATION_AT_MOST, most, address);
    return address >= least && address <= most;
}

static void expect_pointer(const subject *s, uint32_t at, uint64_t address)
{
    if (address != 0)
        (void)expect_half(s, ETL_RULE_LAY_004, at, address);
}

static void due_list(const subject *s, const etl_memory_member *m)
{
    const etl_memory_member links[] = {part_of(s, m, "Flink"), part_of(s, m, "Blink")};
    const uint64_t low = is_wide(s) ? 7 : 3;
    if (number(s, &links[0]) == 0 && number(s, &links[1]) == 0)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t link = number(s, &links[i]);
        if (link == 0)
            expect(s, ETL_RULE_LAY_003, links[i].offset, ETL_RELATION_NOT, 0, 0);
        else if (expect_half(s, ETL_RULE_LAY_003, links[i].offset, link) && link % (low + 1) != 0)
            expect(s, ETL_RULE_LAY_003, links[i].offset, ETL_RELATION_BITS_WITHIN, UINT64_MAX - low, link);
    }
}

static void due_string(const subject *s, const etl_memory_member *m)
{
    const etl_memory_member length = part_of(s, m, "Length"), most = part_of(s, m, "MaximumLength");
    const etl_memory_member buffer = part_of(s, m, "Buffer");
    if (number(s, &length) % 2 == 1)
        expect(s, ETL_RULE_LAY_005, length.offset, ETL_RELATION_BITS_WITHIN, 0xFFFE, number(s, &length));
    else if (number(s, &length) > number(s, &most))
        expect(s, ETL_RULE_LAY_005, length.offset, ETL_RELATION_AT_MOST, number(s, &most), number(s, &length));
    if (number(s, &most) % 2 == 1)
        expect(s, ETL_RULE_LAY_005, most.offset, ETL_RELATION_BITS_WITHIN, 0xFFFE, number(s, &most));
    if (number(s, &length) > 0 && number(s, &buffer) == 0)
        expect(s, ETL_RULE_LAY_006, buffer.offset, ETL_RELATION_NOT, 0, 0);
    expect_pointer(s, buffer.offset, number(s, &buffer));
}

static void due_enable_info(const subject *s, const etl_memory_member *m)
{
    const etl_memory_member enabled = part_of(s, m, "IsEnabled");
    if (number(s, &enabled) > 1)
        expect(s, ETL_RULE_LAY_008, enabled.offset, ETL_RELATION_AT_MOST, 1, number(s, &enabled));
}

static void due_parts(const subject *s, const etl_memory_member *m)
{
    etl_memory_member part;
    for (uint32_t i = 0; etl_memory_part(m, s->layout.arch, i, &part); i++)
        if (part.kind == ETL_MEMORY_KIND_POINTER)
            expect_pointer(s, part.offset, number(s, &part));
}

/* One element. In a fast reference, the low bits count references; alone they are no address. */
static void due_element(const subject *s, const etl_memory_member *m)
{
    const uint64_t references = is_wide(s) ? 15 : 7;
    switch (m->kind) {
    case ETL_MEMORY_KIND_POINTER: expect_pointer(s, m->offset, number(s, m)); break;
    case ETL_MEMORY_KIND_FAST_REF:
        if (number(s, m) > references)
            expect_pointer(s, m->offset, number(s, m));
        break;
    case ETL_MEMORY_KIND_LIST_ENTRY: due_list(s, m); break;
    case ETL_MEMORY_KIND_UNICODE_STRING: due_string(s, m); break;
    case ETL_MEMORY_KIND_TRACE_ENABLE_INFO: due_enable_info(s, m); break;
    default: due_parts(s, m);
    }
}

static void take_members(subject *s)
{
    etl_memory_walk walk = etl_memory_members(s->layout);
    etl_memory_member m;
    while (etl_memory_next(&walk, &m))
        if (is_taken(&m) && s->count < MEMBERS_MOST)
            s->members[s->count++] = m;
}

static void due_members(const subject *s)
{
    for (size_t at = 0; at < s->count; at++) {
        for (uint32_t i = 0; i < s->members[at].count; i++) {
            const etl_memory_member element = etl_memory_element(&s->members[at], i);
            if (is_whole(s, &element))
                due_element(s, &element);
        }
    }
}

/* An enabled element's LoggerId is possible, and that of no other before. */
static void due_logger(const subject *s, const etl_memory_member *infos, uint32_t index)
{
    const etl_memory_member info = etl_memory_element(infos, index), id = part_of(s, &info, "LoggerId");
    const uint64_t logger = number(s, &id);
    if (logger >= LOGGERS) {
        expect(s, ETL_RULE_LAY_007, id.offset, ETL_RELATION_AT_MOST, LOGGERS - 1, logger);
        return;
    }
    for (uint32_t i = 0; i < index; i++) {
        const etl_memory_member other = etl_memory_element(infos, i);
        if (part_number(s, &other, "IsEnabled") == 0 || part_number(s, &other, "LoggerId") != logger)
            continue;
        expect(s, ETL_RULE_LAY_009, id.offset, ETL_RELATION_NOT, logger, logger);
        return;
    }
}

static void expect_part(const subject *s, etl_rule rule, const etl_memory_member *m, const char *name, uint64_t expected)
{
    const etl_memory_member part = part_of(s, m, name);
    if (number(s, &part) != expected)
        expect(s, rule, part.offset, ETL_RELATION_EQUAL, expected, number(s, &part));
}

/* The aggregate of the enabled elements. */
static void due_enabled(const subject *s)
{
    etl_memory_member infos, sum;
    if (!find(s, "EnableInfo", &infos) || !find(s, "ProviderEnableInfo", &sum))
        return;
    uint64_t level = 0, any = 0, all = UINT64_MAX, enabled = 0;
    for (uint32_t i = 0; i < infos.count; i++) {
        const etl_memory_member info = etl_memory_element(&infos, i);
        if (part_number(s, &info, "IsEnabled") == 0)
            continue;
        due_logger(s, &infos, i);
        const uint64_t own = part_number(s, &info, "Level");
        level = own > level ? own : level;
        any |= part_number(s, &info, "MatchAnyKeyword");
        all &= part_number(s, &info, "MatchAllKeyword");
        enabled = 1;
    }
    const etl_memory_member is_enabled = part_of(s, &sum, "IsEnabled");
    if ((number(s, &is_enabled) > 0) != (enabled > 0))
        expect(s, ETL_RULE_LAY_013, is_enabled.offset, ETL_RELATION_EQUAL, enabled, number(s, &is_enabled));
    if (enabled == 0)
        return;
    expect_part(s, ETL_RULE_LAY_010, &sum, "Level", level);
    expect_part(s, ETL_RULE_LAY_011, &sum, "MatchAnyKeyword", any);
    expect_part(s, ETL_RULE_LAY_012, &sum, "MatchAllKeyword", all);
}

static void due_most(const subject *s, etl_rule rule, const char *name, uint64_t most)
{
    etl_memory_member m;
    if (find(s, name, &m) && number(s, &m) > most)
        expect(s, rule, m.offset, ETL_RELATION_AT_MOST, most, number(s, &m));
}

static void due_buffer_size(const subject *s)
{
    etl_memory_member m;
    if (!find(s, "BufferSize", &m))
        return;
    const uint64_t size = number(s, &m);
    if (size < KIB)
        expect(s, ETL_RULE_LAY_014, m.offset, ETL_RELATION_AT_LEAST, KIB, size);
    else if (size > BUFFER_MOST)
        expect(s, ETL_RULE_LAY_014, m.offset, ETL_RELATION_AT_MOST, BUFFER_MOST, size);
    else if (size % KIB > 0)
        expect(s, ETL_RULE_LAY_014, m.offset, ETL_RELATION_BITS_WITHIN, UINT64_MAX - (KIB - 1), size);
    else
        due_most(s, ETL_RULE_LAY_015, "MaximumEventSize", size - 0x48);
}

/* The bits that mean something: all of those that no table lists as spare. */
static uint64_t known_bits(const subject *s, const etl_memory_member *m)
{
    uint64_t bits = UINT32_MAX;
    etl_memory_bits run;
    if (m->meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        return bits - UINT64_C(0x40000000);
    for (uint32_t i = 0; etl_memory_bits_of(s->layout, m->meaning, i, &run); i++)
        if (run.spare && etl_evidence_get(run.evidence)->taken)
            bits &= UINT64_MAX - run.mask;
    return bits;
}

static void due_bits(const subject *s, const char *name)
{
    etl_memory_member m;
    if (!find(s, name, &m))
        return;
    const uint64_t bits = known_bits(s, &m);
    if ((number(s, &m) | bits) != bits)
        expect(s, ETL_RULE_LAY_017, m.offset, ETL_RELATION_BITS_WITHIN, bits, number(s, &m));
}

static void due_counts(const subject *s)
{
    etl_memory_member m, other;
    if (find(s, "MinimumBuffers", &m) && find(s, "MaximumBuffers", &other) && number(s, &other) > 0 &&
        number(s, &m) > number(s, &other))
        expect(s, ETL_RULE_LAY_018, m.offset, ETL_RELATION_AT_MOST, number(s, &other), number(s, &m));
    if (find(s, "BuffersAvailable", &m) && find(s, "NumberOfBuffers", &other) &&
        width_number(s, &m) > width_number(s, &other))
        expect(s, ETL_RULE_LAY_019, m.offset, ETL_RELATION_AT_MOST, width_number(s, &other), width_number(s, &m));
}

static void due_references(const subject *s)
{
    etl_memory_member m;
    if (!find(s, "RefCount", &m))
        return;
    const uint64_t most = m.size == 4 ? INT32_MAX : INT64_MAX;
    if (width_number(s, &m) > most)
        expect(s, ETL_RULE_LAY_020, m.offset, ETL_RELATION_AT_MOST, most, width_number(s, &m));
}

void oracle_due_memory(oracle_due *due, etl_memory_layout layout, etl_span structure, uint64_t offset)
{
    subject s;
    s.due = due;
    s.layout = layout;
    s.bytes = structure;
    s.offset = offset;
    s.count = 0;
    take_members(&s);
    const uint32_t size = etl_memory_size(layout);
    if (structure.size < size)
        expect(&s, ETL_RULE_LAY_002, (uint32_t)structure.size, ETL_RELATION_AT_LEAST, size, structure.size);
    due_members(&s);
    due_enabled(&s);
    if (layout.structure == ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT)
        due_most(&s, ETL_RULE_LAY_007, "LoggerId", LOGGERS - 1);
    due_most(&s, ETL_RULE_LAY_016, "ClockType", CLOCKS - 1);
    due_buffer_size(&s);
    due_bits(&s, "LoggerMode");
    due_bits(&s, "Flags");
    due_bits(&s, "RequestFlag");
    due_counts(&s);
    if (layout.structure == ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY)
        due_references(&s);
}
