/* SPDX-License-Identifier: Apache-2.0 */
/* message.c, and its use in event.c and fields.c: every option word, at every size. */
#include "etlproof/event.h"

#include "test.h"
#include "test_bytes.h"

/* A part, in the order of FACTS 3: the option that announces it, the option that replaces it, and its size. */
enum { SEQUENCE, COMPONENT, GUID, TIME, SYSTEM_INFO, PARTS };
static const uint32_t part_sizes[PARTS] = {4, 4, 16, 8, 8};

static bool announced(unsigned part, unsigned options)
{
    switch (part) {
    case SEQUENCE: return options & 0x01;
    case COMPONENT: return options & 0x04;
    case GUID: return (options & 0x02) && !(options & 0x04);
    case TIME: return options & 0x18;
    default: return options & 0x20;
    }
}

/* The offset of each part, 0 if it is not announced or does not fit in `size`; `*whole` is the size of all parts. */
static uint32_t lay_out(unsigned options, uint32_t size, uint32_t at[PARTS], uint32_t *whole)
{
    uint32_t read = 8;
    *whole = 8;
    for (unsigned part = 0; part < PARTS; part++) {
        at[part] = 0;
        if (!announced(part, options))
            continue;
        if (*whole + part_sizes[part] <= size) {
            at[part] = *whole;
            read = *whole + part_sizes[part];
        }
        *whole += part_sizes[part];
    }
    return read;
}

static etl_findings findings;
static etl_event event;

static test_bytes message(unsigned options, uint32_t size)
{
    test_bytes b = {NULL, 0};
    for (uint32_t i = 0; i < size; i++)
        put_u8(&b, i, (uint8_t)(0x80 + 3 * i)); /* the value of a byte shows its offset */
    put_u16(&b, 0, (uint16_t)size);
    put_u8(&b, 3, 0x90);
    put_u16(&b, 4, 0xABCD);
    put_u16(&b, 6, (uint16_t)options);
    return b;
}

static bool frame(const test_bytes *b, uint8_t file_pointer_size)
{
    findings.count = 0;
    event = (etl_event){.offset = 0x1000, .index = 3, .buffer = 2};
    event.context.pointer_size = file_pointer_size;
    return etl_event_frame(span_of(b), 0, (uint32_t)b->size, &event, &findings);
}

/* `size` bytes at `at` as a little-endian number. */
static uint64_t number(const test_bytes *b, uint32_t at, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = size; i > 0; i--)
        value = value << 8 | b->at[at + i - 1];
    return value;
}

static void check_fields(const test_bytes *b, unsigned options, const uint32_t at[PARTS])
{
    etl_event_fields f;
    etl_event_read(&event, &f);
    CHECK_UINT(0xABCD, f.message);
    CHECK_UINT(options, f.options);
    CHECK(f.has_sequence == (at[SEQUENCE] != 0));
    CHECK_UINT(at[SEQUENCE] ? number(b, at[SEQUENCE], 4) : 0, f.sequence);
    CHECK(f.has_component_id == (at[COMPONENT] != 0));
    CHECK_UINT(at[COMPONENT] ? number(b, at[COMPONENT], 4) : 0, f.component_id);
    CHECK(f.has_provider == (at[GUID] != 0));
    CHECK_UINT(at[GUID] ? number(b, at[GUID], 4) : 0, f.provider.data1);
    CHECK_UINT(at[GUID] ? number(b, at[GUID] + 4, 2) : 0, f.provider.data2);
    CHECK_UINT(at[GUID] ? number(b, at[GUID] + 15, 1) : 0, f.provider.data4[7]);
    CHECK(f.has_thread_id == (at[SYSTEM_INFO] != 0));
    CHECK(f.has_process_id == (at[SYSTEM_INFO] != 0));
    CHECK_UINT(at[SYSTEM_INFO] ? number(b, at[SYSTEM_INFO], 4) : 0, f.thread_id);
    CHECK_UINT(at[SYSTEM_INFO] ? number(b, at[SYSTEM_INFO] + 4, 4) : 0, f.process_id);
    CHECK(!f.has_times && !f.has_processor_time);
}

static void check_found(etl_rule rule, uint32_t at, uint32_t *next)
{
    CHECK(*next < findings.count);
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(findings.at[*next].rule)->id);
    CHECK_UINT(0x1000 + at, findings.at[*next].offset);
    CHECK_UINT(3, findings.at[*next].event);
    CHECK_UINT(2, findings.at[*next].buffer);
    (*next)++;
}

static void test_word(unsigned options, uint32_t size)
{
    uint32_t at[PARTS], whole, next = 0;
    uint32_t read = lay_out(options, size, at, &whole);
    test_bytes b = message(options, size);
    CHECK(frame(&b, 8));
    CHECK_UINT(ETL_LAYOUT_MESSAGE, event.layout);
    CHECK_UINT(read, event.header_size);
    CHECK_UINT(whole <= size ? size - whole : 0, event.data_size);
    CHECK_UINT(whole <= size ? 0 : size - read, event.lost_size);
    bool filled = at[TIME] != 0 && (options & 0x08);
    CHECK(event.has_time == filled);
    CHECK_UINT(filled ? number(&b, at[TIME], 8) : 0, (uint64_t)event.time);
    if ((options & 0xC0) == 0xC0)
        check_found(ETL_RULE_MSG_004, 6, &next);
    if (options > 0xFF)
        check_found(ETL_RULE_MSG_005, 6, &next);
    if (whole > size) {
        check_found(ETL_RULE_MSG_001, 0, &next);
        CHECK_UINT(size - read, findings.at[findings.count - 1].lost);
        CHECK_UINT(whole, findings.at[findings.count - 1].expected);
        CHECK_UINT(size, findings.at[findings.count - 1].actual);
        CHECK_UINT(ETL_RELATION_AT_LEAST, findings.at[findings.count - 1].relation);
        CHECK_UINT(ETL_ACTION_SKIP_REST, findings.at[findings.count - 1].action);
    }
    CHECK_UINT(next, findings.count);
    check_fields(&b, options, at);
    release(&b);
}

/* No message takes more than 8 + 4 + 16 + 8 + 8 bytes before its arguments. */
static void test_words(void)
{
    for (unsigned options = 0; options < 0x100; options++)
        for (uint32_t size = 8; size <= 48; size++)
            test_word(options, size);
    for (unsigned bit = 0x100; bit <= 0x8000; bit <<= 1) {
        test_word(bit | 0xAA, 48);
        test_word(bit | 0xC7, 11);
    }
}

/* The options of real files, 0xAA: GUID, time, thread and process, arguments; offsets typed by hand. */
static void test_real(void)
{
    test_bytes b = message(0xAA, 50);
    put_guid(&b, 8, 0x31);
    put_u64(&b, 24, UINT64_C(0x8877665544332211));
    put_u32(&b, 32, 0x1234);
    put_u32(&b, 36, 0x5678);
    CHECK(frame(&b, 4));
    etl_event_fields f;
    etl_event_read(&event, &f);
    CHECK(is_guid(&f.provider, 0x31));
    CHECK_UINT(UINT64_C(0x8877665544332211), (uint64_t)event.time);
    CHECK_UINT(0x1234, f.thread_id);
    CHECK_UINT(0x5678, f.process_id);
    CHECK_UINT(10, event.data_size);
    CHECK(etl_event_data(&event).at == b.at + 40);
    CHECK_UINT(8, etl_event_pointer_size(&event));
    release(&b);
}

static void test_pointer_sizes(void)
{
    static const struct {
        unsigned options;
        uint8_t file, expected;
    } rows[] = {{0x00, 4, 4}, {0x00, 8, 8}, {0x00, 0, 0}, {0x40, 8, 4}, {0x80, 4, 8}, {0xC0, 4, 4}, {0xC0, 8, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = message(rows[i].options, 9);
        CHECK(frame(&b, rows[i].file));
        CHECK_UINT(rows[i].expected, etl_event_pointer_size(&event));
        release(&b);
    }
}

int main(void)
{
    test_words();
    test_real();
    test_pointer_sizes();
    return test_result();
}
