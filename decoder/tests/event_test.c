/* SPDX-License-Identifier: Apache-2.0 */
/* event.c and plausible.c: the size of an event and of its parts, and plausible events. */
#include "etlproof/event.h"

#include "test.h"
#include "test_bytes.h"

/* Offsets of the test buffer: the event, the end of the events, and the end of the data. */
enum { AT = 0x48, ROOM = 0x100, EXTENT = AT + ROOM, END = EXTENT + 0x18 };
/* The event's file offset, its index and that of its buffer. */
enum { PLACE = 0x12340, INDEX = 77, BUFFER = 5 };

static const etl_context latest = {8, true, true, false, true, false};

/* Each type of header_types.def. Minimum sizes, places of Size and time stamp, widths of pointers: FACTS 2 and 3. */
static const struct {
    uint8_t type, minimum, size_at, time_at, pointer;
    etl_layout layout;
} types[] = {
    {0x01, 0x20, 4, 0x10, 4, ETL_LAYOUT_SYSTEM},        {0x02, 0x20, 4, 0x10, 8, ETL_LAYOUT_SYSTEM},
    {0x03, 0x18, 4, 0x10, 4, ETL_LAYOUT_COMPACT},       {0x04, 0x18, 4, 0x10, 8, ETL_LAYOUT_COMPACT},
    {0x0A, 0x30, 0, 0x10, 4, ETL_LAYOUT_FULL},          {0x0B, 0x48, 0, 0x10, 4, ETL_LAYOUT_INSTANCE_GUID},
    {0x0C, 0x08, 0, 0, 0, ETL_LAYOUT_OPAQUE},           {0x0D, 0x08, 0, 0, 0, ETL_LAYOUT_OPAQUE},
    {0x0E, 0x08, 0, 0, 0, ETL_LAYOUT_OPAQUE},           {0x0F, 0x08, 0, 0, 8, ETL_LAYOUT_MESSAGE},
    {0x10, 0x10, 4, 0x08, 4, ETL_LAYOUT_PERFINFO},      {0x11, 0x10, 4, 0x08, 8, ETL_LAYOUT_PERFINFO},
    {0x12, 0x50, 0, 0x10, 4, ETL_LAYOUT_EVENT},         {0x13, 0x50, 0, 0x10, 8, ETL_LAYOUT_EVENT},
    {0x14, 0x30, 0, 0x10, 8, ETL_LAYOUT_FULL},          {0x15, 0x48, 0, 0x10, 8, ETL_LAYOUT_INSTANCE_GUID},
};
enum { TYPES = sizeof types / sizeof types[0] };

static etl_findings findings;
static etl_event event;

static bool frame(const test_bytes *data, etl_context context)
{
    findings = (etl_findings){0};
    event = (etl_event){.index = INDEX, .buffer = BUFFER, .offset = PLACE, .context = context};
    return etl_event_frame(span_of(data), AT, EXTENT, &event, &findings);
}

/* Checks that there is one finding, of `rule`, `at` bytes from the start of the event. */
static void check_finding(etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    CHECK_UINT(1, findings.count);
    const etl_finding *f = &findings.at[0];
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(f->rule)->id);
    CHECK_UINT(PLACE + at, f->offset);
    CHECK_UINT(INDEX, f->event);
    CHECK_UINT(BUFFER, f->buffer);
    CHECK_UINT(relation, f->relation);
    CHECK_UINT(expected, f->expected);
    CHECK_UINT(actual, f->actual);
}

/* A buffer of 0xFF with the first dword of an event at AT; its other bytes are 0 up to the smallest header's end. */
static test_bytes start(uint32_t dword)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, END, 0xFF);
    put_fill(&b, AT, 0x50, 0);
    put_u32(&b, AT, dword);
    return b;
}

static uint32_t first_dword(size_t row)
{
    return types[row].type == 0x0F ? UINT32_C(0x90000000) : UINT32_C(0xC0000000) | (uint32_t)types[row].type << 16;
}

static test_bytes sized(size_t row, uint16_t size)
{
    test_bytes b = start(first_dword(row));
    put_u16(&b, (size_t)AT + types[row].size_at, size);
    return b;
}

static void check_framed(size_t row, uint16_t size)
{
    CHECK_UINT(types[row].type, event.type);
    CHECK_UINT(types[row].layout, event.layout);
    CHECK_UINT(types[row].type == 0x0F ? 0x90 : 0xC0, event.marker);
    CHECK_UINT(size, event.size);
    CHECK_UINT(size, event.bytes.size);
    CHECK_UINT(types[row].minimum, event.header_size);
    CHECK_UINT((uint32_t)(size - types[row].minimum), event.data_size);
    CHECK_UINT(0, event.items_size);
    CHECK_UINT(0, event.lost_size);
    CHECK_UINT((8u - size % 8u) % 8u, event.padding);
    CHECK_UINT((uint32_t)(size - types[row].minimum), etl_event_data(&event).size);
    CHECK_UINT(types[row].time_at != 0, event.has_time);
    CHECK_UINT(types[row].pointer, etl_event_pointer_size(&event));
}

static void test_size(size_t row, uint16_t size)
{
    const uint8_t least = types[row].minimum, at = types[row].size_at;
    const bool opaque = types[row].layout == ETL_LAYOUT_OPAQUE;
    test_bytes b = sized(row, size);
    bool framed = frame(&b, latest);
    CHECK(framed == (size >= least && size <= ROOM));
    if (size == 0)
        check_finding(ETL_RULE_SIZ_003, at, ETL_RELATION_AT_LEAST, least, 0);
    else if (size < least)
        check_finding(ETL_RULE_SIZ_001, at, ETL_RELATION_AT_LEAST, least, size);
    else if (size > ROOM)
        check_finding(ETL_RULE_SIZ_002, at, ETL_RELATION_AT_MOST, ROOM, size);
    else if (opaque)
        check_finding(ETL_RULE_TYP_001, 2, ETL_RELATION_KNOWN, 0, types[row].type);
    else
        CHECK_UINT(0, findings.count);
    if (framed)
        check_framed(row, size);
    release(&b);
}

/* Each row of header_types.def has a row of `types`. */
static void test_known(void)
{
    unsigned known = 0;
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++)
        known += strcmp(etl_header_type_name((uint8_t)type), "UNKNOWN") != 0;
    CHECK_UINT(TYPES, known);
}

static void test_sizes(void)
{
    for (size_t row = 0; row < TYPES; row++) {
        const uint16_t sizes[] = {0, 1, (uint16_t)(types[row].minimum - 1), types[row].minimum,
                                  (uint16_t)(types[row].minimum + 1), ROOM - 1, ROOM, ROOM + 1, 0x8000, 0xFFFF};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            test_size(row, sizes[i]);
    }
}

/* EVENT_INSTANCE_HEADER of 5.0 and 5.1 is 0x38 bytes, EVENT_INSTANCE_GUID_HEADER 0x48 (TYP-003). */
static void test_instance(void)
{
    etl_context old = latest;
    old.instance_guid = false;
    test_bytes b = sized(5, 0x40);
    CHECK(!frame(&b, latest));
    CHECK(frame(&b, old));
    CHECK_UINT(ETL_LAYOUT_INSTANCE, event.layout);
    CHECK_UINT(0x38, event.header_size);
    CHECK_UINT(8, event.data_size);
    put_u16(&b, AT, 0x37);
    CHECK(!frame(&b, old));
    check_finding(ETL_RULE_SIZ_001, 0, ETL_RELATION_AT_LEAST, 0x38, 0x37);
    release(&b);
}

/* COMPACT came with Windows 6.2 (TYP-004). */
static void test_compact(void)
{
    etl_context old = latest;
    old.compact_allowed = false;
    for (size_t row = 2; row <= 3; row++) {
        test_bytes b = sized(row, 0x20);
        CHECK(frame(&b, old));
        CHECK_UINT(1, findings.count);
        CHECK_UINT(ETL_RULE_TYP_004, findings.at[0].rule);
        CHECK_UINT(PLACE + 2, findings.at[0].offset);
        CHECK_UINT(8, event.data_size);
        release(&b);
    }
}

/* Every marker byte, with the type byte and a size of an EVENT_HEADER64. */
static void test_markers(void)
{
    for (uint32_t marker = 0; marker < 0x100; marker++) {
        test_bytes b = start(marker << 24 | 0x00130058);
        bool framed = frame(&b, latest);
        CHECK(framed == (marker == 0xC0 || marker == 0x90 || marker == 0xB0));
        CHECK_UINT(marker, event.marker);
        if (marker == 0xC0 || marker == 0x90)
            CHECK_UINT(0, findings.count);
        else if (marker == 0xB0)
            check_finding(ETL_RULE_TYP_001, 2, ETL_RELATION_KNOWN, 0, 0x0C);
        else if (marker >= 0x80)
            check_finding(ETL_RULE_MRK_003, 3, ETL_RELATION_KNOWN, 0, marker);
        else
            check_finding(ETL_RULE_MRK_002, 0, ETL_RELATION_AT_LEAST, 0x80000000, marker << 24 | 0x00130058);
        if (framed)
            CHECK_UINT(marker == 0xC0 ? 0x13 : marker == 0x90 ? 0x0F : 0x0C, event.type);
        release(&b);
    }
}

/* Byte 2 of a message is reserved (MRK-004). */
static void test_reserved(void)
{
    for (uint32_t reserved = 0; reserved < 0x100; reserved++) {
        test_bytes b = start(UINT32_C(0x90000010) | reserved << 16);
        CHECK(frame(&b, latest));
        CHECK_UINT(0, findings.count);
        CHECK_UINT(0x0F, event.type);
        release(&b);
    }
}

/* Under marker 0xC0 all types without a row are unknown (TYP-008). MESSAGE, which is never stored there, is unknown too. */
static void test_unknown_types(void)
{
    for (uint32_t type = 0; type < 0x100; type++) {
        bool known = false;
        for (size_t row = 0; row < TYPES; row++)
            known |= types[row].type == type && type != 0x0F;
        test_bytes b = start(UINT32_C(0xC0000048) | type << 16);
        put_u16(&b, AT + 4, 0x48);
        if (!known) {
            CHECK(frame(&b, latest));
            check_finding(ETL_RULE_TYP_008, 2, ETL_RELATION_KNOWN, 0, type);
            CHECK_UINT(ETL_LAYOUT_OPAQUE, event.layout);
            CHECK_UINT(0x48, event.size);
            CHECK_UINT(8, event.header_size);
            put_u32(&b, AT + 0x48, 0x12345678);
            CHECK(!frame(&b, latest));
            check_finding(ETL_RULE_TYP_008, 2, ETL_RELATION_KNOWN, 0, type);
            put_u16(&b, AT, 7);
            CHECK(!frame(&b, latest));
            check_finding(ETL_RULE_TYP_008, 2, ETL_RELATION_KNOWN, 0, type);
        } else {
            frame(&b, latest);
            for (uint32_t i = 0; i < findings.count; i++)
                CHECK(findings.at[i].rule != ETL_RULE_TYP_008);
        }
        release(&b);
    }
}

/* The size of an opaque event is plausible if a successor follows: an end marker, another event, or the extent. */
static void test_wnode(void)
{
    static const struct {
        uint32_t size, behind;
        bool kept;
    } rows[] = {
        {0x2F, 0xFFFFFFFF, false}, {0x30, 0xFFFFFFFF, true},  {0x30, 0, true},          {0x30, 0x12345678, false},
        {0x30, 0xC0130050, true},  {0x30, 0xC013004F, false}, {0x31, 0xFFFFFFFF, true}, {ROOM, 0x12345678, true},
        {ROOM + 1, 0, false},      {0x7FFFFFFF, 0, false},    {0x30, 0xC0630030, true}, {0x30, 0x90000008, true},
        {ROOM - 7, 0x12345678, true}, {0x30, 0xC0630007, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = start(rows[i].size);
        uint32_t next = (AT + rows[i].size + 7) & ~7u;
        if (next + 8 <= END) {
            put_u32(&b, next, rows[i].behind);
            put_u32(&b, next + 4, 0);
        }
        CHECK(frame(&b, latest) == rows[i].kept);
        check_finding(ETL_RULE_MRK_002, 0, ETL_RELATION_AT_LEAST, 0x80000000, rows[i].size);
        if (rows[i].kept) {
            CHECK_UINT(0x0E, event.type);
            CHECK_UINT(rows[i].size, event.size);
            CHECK_UINT(rows[i].size, event.header_size + event.data_size);
        }
        release(&b);
    }
}

/* In a run of opaque events each is kept if the next has a successor; WNODE_HEADERs are evidence only for each other. */
static void test_opaque_runs(void)
{
    static const struct {
        uint32_t first, second, third;
        bool kept;
    } rows[] = {
        {0xC07F0030, 0xC07F0030, 0x12345678, true}, {0xC07F0030, 0xC07F0007, 0xFFFFFFFF, false},
        {0xC07F0030, 0xC0FF0030, 0xC0FF0030, true}, {0xC07F0030, 0xC00F0030, 0xFFFFFFFF, true},
        {0xC00C0030, 0xC07F0030, 0xFFFFFFFF, true}, {0xB0000030, 0xC07F0030, 0xFFFFFFFF, true},
        {0xC07F0030, 0xB0000030, 0xFFFFFFFF, true}, {0xC07F0030, 0xB0000007, 0xFFFFFFFF, false},
        {0xC07F0030, 0xD0160030, 0xFFFFFFFF, false}, {0xC07F0030, 0xC014002F, 0xFFFFFFFF, false},
        {0xC07F0030, 0x00000030, 0xFFFFFFFF, false}, {0xC00C0030, 0x00000030, 0xFFFFFFFF, false},
        {0x00000030, 0x00000030, 0xFFFFFFFF, true}, {0x00000030, 0x00000030, 0x00000030, true},
        {0x00000030, 0x00000030, 0x12345678, false}, {0x00000030, 0x00000030, 0x0000002F, false},
        {0x00000030, 0x0000002F, 0xFFFFFFFF, false}, {0x00000030, 0x00000030, 0xC07F0030, true},
        {0x00000030, 0xC07F0030, 0x12345678, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = start(rows[i].first);
        put_u32(&b, AT + 0x30, rows[i].second);
        put_u32(&b, AT + 0x60, rows[i].third);
        put_u32(&b, AT + 0x64, 0);
        bool kept = frame(&b, latest);
        CHECK(rows[i].kept == kept);
        if (rows[i].kept != kept)
            printf("  row %zu\n", i);
        CHECK_UINT(1, findings.count);
        release(&b);
    }
}

/* The PEBS index and up to seven counters lie between header and payload, or do not fit (TYP-006). */
static void test_perfinfo_parts(void)
{
    for (uint32_t word = 0; word < 0x10; word++) {
        uint32_t pebs = word >> 3, pmc = word & 7, extra = 8 * (pebs + pmc);
        for (uint32_t room = extra == 0 ? 0 : extra - 1; room <= extra + 1; room++) {
            uint16_t size = (uint16_t)(0x10 + room);
            test_bytes b = start(UINT32_C(0xC0110002) | pebs << 15 | pmc << 8 | 0x7800);
            put_u16(&b, AT + 4, size);
            CHECK(frame(&b, latest));
            CHECK_UINT(room < extra ? 0x10 : 0x10 + extra, event.header_size);
            CHECK_UINT(room < extra ? 0 : room - extra, event.data_size);
            CHECK_UINT(room < extra ? room : 0, event.lost_size);
            if (room < extra) {
                check_finding(ETL_RULE_TYP_006, 0, ETL_RELATION_AT_MOST, room, extra);
                CHECK_UINT(room, findings.at[0].lost);
                CHECK_UINT(ETL_ACTION_SKIP_REST, findings.at[0].action);
            } else {
                CHECK_UINT(0, findings.count);
            }
            release(&b);
        }
    }
}

static void test_times(void)
{
    for (size_t row = 0; row < TYPES; row++) {
        test_bytes b = sized(row, 0x58);
        if (types[row].time_at != 0)
            put_u64(&b, (size_t)AT + types[row].time_at, UINT64_C(0x8182838485868788));
        CHECK(frame(&b, latest));
        CHECK_INT(types[row].time_at != 0 ? INT64_C(-0x7E7D7C7B7A797878) : 0, event.time);
        release(&b);
    }
}

/* Padding ends with the data. */
static void test_padding(void)
{
    for (uint32_t end = 0; end <= 8; end++) {
        test_bytes b = sized(0, 0x21), cut = copy_of(&b, AT + 0x21 + end);
        event = (etl_event){.context = latest};
        findings = (etl_findings){0};
        CHECK(etl_event_frame(span_of(&cut), AT, (uint32_t)(AT + 0x21), &event, &findings));
        CHECK_UINT(end < 7 ? end : 7, event.padding);
        release(&b);
        release(&cut);
    }
}

static void test_regions(void)
{
    etl_event e = {.offset = 1000, .header_size = 80, .items_size = 40, .data_size = 7, .lost_size = 3, .padding = 6};
    static const etl_region expected[ETL_EVENT_REGIONS] = {
        {ETL_REGION_EVENT_HEADER, ETL_SPACE_INFLATED, 1000, 80}, {ETL_REGION_ITEMS, ETL_SPACE_INFLATED, 1080, 40},
        {ETL_REGION_PAYLOAD, ETL_SPACE_INFLATED, 1120, 7},       {ETL_REGION_DAMAGED, ETL_SPACE_INFLATED, 1127, 3},
        {ETL_REGION_PADDING, ETL_SPACE_INFLATED, 1130, 6},
    };
    etl_region r[ETL_EVENT_REGIONS];
    e.space = ETL_SPACE_INFLATED;
    CHECK_UINT(ETL_EVENT_REGIONS, etl_event_regions(&e, r));
    for (size_t i = 0; i < ETL_EVENT_REGIONS; i++) {
        CHECK_UINT(expected[i].kind, r[i].kind);
        CHECK_UINT(expected[i].space, r[i].space);
        CHECK_UINT(expected[i].offset, r[i].offset);
        CHECK_UINT(expected[i].size, r[i].size);
    }
    e.items_size = e.lost_size = 0;
    CHECK_UINT(3, etl_event_regions(&e, r));
    CHECK_UINT(ETL_REGION_PAYLOAD, r[1].kind);
    CHECK_UINT(1080, r[1].offset);
    CHECK_UINT(1087, r[2].offset);
}

/* Less than eight bytes between an event and the extent are no event; the event before them is plausible. */
static void test_rest(void)
{
    for (uint32_t rest = 0; rest < 9; rest++) {
        test_bytes b = start(0xC0130060);
        put_u64(&b, AT + 0x60, UINT64_C(0x5A5A5A5A5A5A5A5A));
        CHECK(etl_event_plausible(span_of(&b), AT, AT + 0x60 + rest) == (rest < 8));
        put_u32(&b, AT, 0x90000060); /* a message with an option that nobody has assigned */
        put_u32(&b, AT + 4, 0x01000000);
        CHECK(etl_event_plausible(span_of(&b), AT, AT + 0x60 + rest) == (rest < 8));
        release(&b);
    }
}

/* An event is plausible only with a successor. */
static void test_plausible(void)
{
    static const struct {
        uint32_t dword, second, behind;
        bool plausible;
    } rows[] = {
        {0xC0130060, 0, 0xFFFFFFFF, true},  {0xC0130060, 0, 0, true},           {0xC0130060, 0, 0xC0140030, true},
        {0xC0130060, 0, 0xC014002F, false}, {0xC0130060, 0, 0x00000030, false}, {0xC0130060, 0, 0xC07F0030, true},
        {0xC0130060, 0, 0xC07F0007, false}, {0xC0130060, 0, 0xC00C0030, true},  {0xC0130060, 0, 0xD0160030, false},
        {0xC013004F, 0, 0xFFFFFFFF, false}, {0xC00D0060, 0, 0xFFFFFFFF, false}, {0xB0000060, 0, 0xFFFFFFFF, false},
        {0xC00F0060, 0, 0xFFFFFFFF, false}, {0xC0020002, 0x60, 0xFFFFFFFF, true}, {0xC0020002, 0x1F, 0xFFFFFFFF, false},
        {0x00000060, 0, 0xFFFFFFFF, false}, {0x90000060, 0x00FF0000, 0xFFFFFFFF, true},
        {0x90000060, 0x01000000, 0xFFFFFFFF, false}, {0x90000060, 0x80000000, 0xFFFFFFFF, false},
        {0x90000008, 0x00010000, 0xFFFFFFFF, false}, {0xC00B0060, 0, 0xFFFFFFFF, true},
        {0x90000060, 0x01000000, 0, false}, {0x90000060, 0x01000000, 0xC0140030, true},
        {0x90000060, 0x80000000, 0xC07F0030, true}, {0x90000060, 0x01000000, 0x00000030, false},
        {0x90010060, 0x01000000, 0xC0140030, false}, {0x90010060, 0x00000000, 0xC0140030, true},
        {0x90000060, 0x01FF0000, 0x90000030, true}, {0x9000000C, 0x01010000, 0xC0140030, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = start(rows[i].dword);
        put_u32(&b, AT + 4, rows[i].second);
        put_u32(&b, AT + 0x60, rows[i].behind);
        put_u32(&b, AT + 0x64, 0);
        if (rows[i].plausible != etl_event_plausible(span_of(&b), AT, EXTENT))
            printf("row %zu: ", i);
        CHECK(rows[i].plausible == etl_event_plausible(span_of(&b), AT, EXTENT));
        CHECK(!etl_event_plausible(span_of(&b), AT, AT + 0x5F));
        CHECK(!etl_event_plausible(span_of(&b), EXTENT - 7, EXTENT));
        CHECK(!etl_event_plausible(span_of(&b), 0, 7));
        release(&b);
    }
}

int main(void)
{
    test_known();
    test_sizes();
    test_instance();
    test_compact();
    test_markers();
    test_reserved();
    test_unknown_types();
    test_wnode();
    test_opaque_runs();
    test_perfinfo_parts();
    test_times();
    test_padding();
    test_regions();
    test_rest();
    test_plausible();
    return test_result();
}
