/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c: each field of each layout, with a value of its own. Offsets are those of FACTS 3 and 4, spelled out. */
#include "etlproof/event.h"

#include "test.h"
#include "test_bytes.h"

static const etl_context latest = {8, true, true, false, true, false};

static etl_event event;
static etl_event_fields fields;

static bool read(const test_bytes *b, etl_context context)
{
    static etl_findings findings;
    findings.count = 0;
    event = (etl_event){.context = context};
    memset(&fields, 0xA5, sizeof fields);
    if (!etl_event_frame(span_of(b), 0, (uint32_t)b->size, &event, &findings))
        return false;
    etl_event_read(&event, &fields);
    return findings.count == 0;
}

/* A field that the layout lacks is 0. */
static void check_absent(bool thread, bool process, bool times, bool provider)
{
    CHECK(fields.has_thread_id == thread);
    CHECK(fields.has_process_id == process);
    CHECK(fields.has_times == times);
    CHECK(fields.has_provider == provider);
    CHECK(!fields.has_sequence && !fields.has_component_id && !fields.has_pebs);
    CHECK_UINT(0, fields.sequence | fields.component_id | fields.message | fields.options);
    CHECK_UINT(0, fields.pebs | fields.pmc_count);
    if (!times)
        CHECK_UINT(0, fields.kernel_time | fields.user_time);
}

static test_bytes hooked(uint8_t type, size_t size)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, size, 0xE7);
    put_u16(&b, 0, 0x7803); /* the spare bits mean nothing */
    put_u8(&b, 2, type);
    put_u8(&b, 3, 0xC0);
    put_u16(&b, 4, (uint16_t)size);
    put_u8(&b, 6, 0x24); /* Type */
    put_u8(&b, 7, 0x05); /* Group */
    return b;
}

static void test_system(void)
{
    for (uint8_t type = 1; type <= 4; type++) {
        bool compact = type > 2;
        test_bytes b = hooked(type, 0x28);
        put_u32(&b, 0x08, 0x81828384);
        put_u32(&b, 0x0C, 0x91929394);
        put_u64(&b, 0x10, UINT64_C(0x1122334455667788));
        put_u32(&b, 0x18, 0xA1A2A3A4);
        put_u32(&b, 0x1C, 0xB1B2B3B4);
        CHECK(read(&b, latest));
        check_absent(true, true, !compact, false);
        CHECK_UINT(0x7803, fields.version_word);
        CHECK_UINT(3, fields.version);
        CHECK_UINT(0x0524, fields.hook);
        CHECK_UINT(0x81828384, fields.thread_id);
        CHECK_UINT(0x91929394, fields.process_id);
        CHECK_UINT(compact ? 0 : 0xA1A2A3A4, fields.kernel_time);
        CHECK_UINT(compact ? 0 : 0xB1B2B3B4, fields.user_time);
        CHECK_INT(INT64_C(0x1122334455667788), event.time);
        CHECK_UINT(compact ? 0x10 : 8, event.data_size);
        CHECK(etl_event_data(&event).at == b.at + (compact ? 0x18 : 0x20));

        etl_context private_logger = latest;
        private_logger.processor_time = true;
        CHECK(read(&b, private_logger)); /* SYSTEM and COMPACT have no ProcessorTime */
        CHECK(fields.has_times == !compact && !fields.has_processor_time);
        release(&b);
    }
}

static void test_perfinfo(void)
{
    for (uint32_t word = 0; word < 0x20; word++) {
        uint32_t pebs = word >> 3 & 1, pmc = word & 7;
        size_t size = 0x10 + 8 * (pebs + pmc) + 4;
        test_bytes b = hooked(word < 0x10 ? 0x11 : 0x10, size);
        put_u16(&b, 0, (uint16_t)(pebs << 15 | pmc << 8 | 0x42));
        put_u64(&b, 8, UINT64_C(0x1122334455667788));
        for (uint32_t i = 0; i < pebs + pmc; i++)
            put_u64(&b, 0x10 + 8 * i, UINT64_C(0x8000000000000001) * (i + 1));
        CHECK(read(&b, latest));
        CHECK(!fields.has_thread_id && !fields.has_process_id && !fields.has_times && !fields.has_provider);
        CHECK_UINT(0x42, fields.version);
        CHECK_UINT(0x0524, fields.hook);
        CHECK(fields.has_pebs == (pebs == 1));
        CHECK_UINT(pebs ? UINT64_C(0x8000000000000001) : 0, fields.pebs);
        CHECK_UINT(pmc, fields.pmc_count);
        for (uint32_t i = 0; i < 7; i++)
            CHECK_UINT(i < pmc ? UINT64_C(0x8000000000000001) * (i + pebs + 1) : 0, fields.pmc[i]);
        CHECK_UINT(4, event.data_size);
        release(&b);
    }
}

/* Announced but missing members are 0. */
static void test_perfinfo_short(void)
{
    test_bytes b = hooked(0x11, 0x17);
    put_u16(&b, 0, 0x8702);
    read(&b, latest);
    CHECK(!fields.has_pebs);
    CHECK_UINT(0, fields.pmc_count);
    release(&b);
}

/* FULL, and the fields that the INSTANCE headers share with it. */
static test_bytes classed(uint8_t type, size_t size)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, size, 0xE7);
    put_u16(&b, 0, (uint16_t)size);
    put_u8(&b, 2, type);
    put_u8(&b, 3, 0xC0);
    put_u8(&b, 4, 0x21);
    put_u8(&b, 5, 0x22);
    put_u16(&b, 6, 0x8324);
    put_u32(&b, 0x08, 0x81828384);
    put_u32(&b, 0x0C, 0x91929394);
    put_u64(&b, 0x10, UINT64_C(0x1122334455667788));
    put_guid(&b, 0x18, 0x61);
    put_u32(&b, 0x28, 0xA1A2A3A4);
    put_u32(&b, 0x2C, 0xB1B2B3B4);
    return b;
}

static void check_class(const test_bytes *b, etl_context context)
{
    CHECK(read(b, context));
    CHECK_UINT(0x21, fields.type);
    CHECK_UINT(0x22, fields.level);
    CHECK_UINT(0x8324, fields.version);
    CHECK_INT(INT64_C(0x1122334455667788), event.time);
    CHECK_UINT(context.thread_id_64 ? UINT64_C(0x9192939481828384) : 0x81828384, fields.thread_id);
    CHECK_UINT(context.thread_id_64 ? 0 : 0x91929394, fields.process_id);
    CHECK(fields.has_processor_time == context.processor_time);
    CHECK_UINT(context.processor_time ? UINT64_C(0xB1B2B3B4A1A2A3A4) : 0, fields.processor_time);
    CHECK_UINT(context.processor_time ? 0 : 0xA1A2A3A4, fields.kernel_time);
    CHECK_UINT(context.processor_time ? 0 : 0xB1B2B3B4, fields.user_time);
    CHECK_UINT(4, event.data_size);
}

/* Each way that a file's version and mode change the header. */
static const struct {
    bool thread_id_64, processor_time;
} ways[] = {{false, false}, {true, false}, {false, true}};

static void test_full(void)
{
    static const uint8_t both[] = {0x0A, 0x14};
    for (size_t i = 0; i < 6; i++) {
        test_bytes b = classed(both[i % 2], 0x34);
        etl_context c = latest;
        c.thread_id_64 = ways[i / 2].thread_id_64;
        c.processor_time = ways[i / 2].processor_time;
        check_class(&b, c);
        check_absent(true, !c.thread_id_64, !c.processor_time, true);
        CHECK(is_guid(&fields.provider, 0x61));
        CHECK_UINT(0, fields.instance_id | fields.parent_instance_id | fields.reg_handle | fields.parent_reg_handle);
        release(&b);
    }
}

static void test_instance(void)
{
    static const uint8_t both[] = {0x0B, 0x15};
    for (size_t i = 0; i < 6; i++) {
        test_bytes b = classed(both[i % 2], 0x3C);
        etl_context c = latest;
        c.instance_guid = false;
        c.thread_id_64 = ways[i / 2].thread_id_64;
        c.processor_time = ways[i / 2].processor_time;
        put_u64(&b, 0x18, UINT64_C(0xC1C2C3C4C5C6C7C8));
        put_u32(&b, 0x20, 0xD1D2D3D4);
        put_u32(&b, 0x24, 0xD5D6D7D8);
        put_u64(&b, 0x30, UINT64_C(0xF1F2F3F4F5F6F7F8));
        check_class(&b, c);
        check_absent(true, !c.thread_id_64, !c.processor_time, false);
        CHECK_UINT(UINT64_C(0xC1C2C3C4C5C6C7C8), fields.reg_handle);
        CHECK_UINT(0xD1D2D3D4, fields.instance_id);
        CHECK_UINT(0xD5D6D7D8, fields.parent_instance_id);
        CHECK_UINT(UINT64_C(0xF1F2F3F4F5F6F7F8), fields.parent_reg_handle);
        release(&b);
    }
}

static void test_instance_guid(void)
{
    static const uint8_t both[] = {0x0B, 0x15};
    for (size_t i = 0; i < 4; i++) {
        test_bytes b = classed(both[i % 2], 0x4C);
        etl_context c = latest;
        c.processor_time = i >= 2;
        put_u32(&b, 0x30, 0xD1D2D3D4);
        put_u32(&b, 0x34, 0xD5D6D7D8);
        put_guid(&b, 0x38, 0x71);
        check_class(&b, c);
        check_absent(true, true, !c.processor_time, true);
        CHECK(is_guid(&fields.provider, 0x61));
        CHECK_UINT(0xD1D2D3D4, fields.instance_id);
        CHECK_UINT(0xD5D6D7D8, fields.parent_instance_id);
        CHECK(is_guid(&fields.parent_provider, 0x71));
        CHECK_UINT(0, fields.reg_handle | fields.parent_reg_handle);
        release(&b);
    }
}

static test_bytes make_event_header(uint16_t type, bool flag)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, 0x54, 0xE7);
    put_u16(&b, 0x00, 0x54);
    put_u16(&b, 0x02, type);
    put_u16(&b, 0x04, flag ? 0x83FE : 0x83FC); /* all but EXTENDED_INFO */
    put_u16(&b, 0x06, 0x9293);
    put_u32(&b, 0x08, 0x81828384);
    put_u32(&b, 0x0C, 0x91929394);
    put_u64(&b, 0x10, UINT64_C(0x1122334455667788));
    put_guid(&b, 0x18, 0x61);
    put_u16(&b, 0x28, 0x3132);
    put_u8(&b, 0x2A, 0x33);
    put_u8(&b, 0x2B, 0x34);
    put_u8(&b, 0x2C, 0x35);
    put_u8(&b, 0x2D, 0x36);
    put_u16(&b, 0x2E, 0x3738);
    put_u64(&b, 0x30, UINT64_C(0x8182838485868788));
    put_u32(&b, 0x38, 0xA1A2A3A4);
    put_u32(&b, 0x3C, 0xB1B2B3B4);
    put_guid(&b, 0x40, 0x71);
    return b;
}

/* A session is private by the file's mode or by the event's flag 0x0002. */
static void test_event_header(void)
{
    for (unsigned i = 0; i < 8; i++) {
        const bool mode = i & 1, flag = i & 2, one = mode || flag;
        test_bytes b = make_event_header(i & 4 ? 0xC012 : 0xC013, flag);
        etl_context c = latest;
        c.processor_time = mode;
        c.thread_id_64 = true; /* without effect: 5.0 has no EVENT_HEADER */
        CHECK(read(&b, c));
        check_absent(true, true, !one, true);
        CHECK_UINT(flag ? 0x83FE : 0x83FC, fields.flags);
        CHECK_UINT(0x9293, fields.property);
        CHECK_UINT(0x81828384, fields.thread_id);
        CHECK_UINT(0x91929394, fields.process_id);
        CHECK_INT(INT64_C(0x1122334455667788), event.time);
        CHECK(is_guid(&fields.provider, 0x61));
        CHECK_UINT(0x3132, fields.id);
        CHECK_UINT(0x33, fields.version);
        CHECK_UINT(0x34, fields.channel);
        CHECK_UINT(0x35, fields.level);
        CHECK_UINT(0x36, fields.opcode);
        CHECK_UINT(0x3738, fields.task);
        CHECK_UINT(UINT64_C(0x8182838485868788), fields.keyword);
        CHECK(fields.has_processor_time == one);
        CHECK_UINT(one ? UINT64_C(0xB1B2B3B4A1A2A3A4) : 0, fields.processor_time);
        CHECK_UINT(one ? 0 : 0xA1A2A3A4, fields.kernel_time);
        CHECK_UINT(one ? 0 : 0xB1B2B3B4, fields.user_time);
        CHECK(is_guid(&fields.activity, 0x71));
        CHECK_UINT(4, event.data_size);
        CHECK(etl_event_data(&event).at == b.at + 0x50);
        release(&b);
    }
}

/* Opaque types have no fields. */
static void test_opaque(void)
{
    static const etl_event_fields none = {0};
    test_bytes b = classed(0x0D, 0x54);
    read(&b, latest);
    CHECK_UINT(ETL_LAYOUT_OPAQUE, event.layout);
    CHECK(!fields.has_thread_id && !fields.has_process_id && !fields.has_times && !fields.has_provider);
    CHECK_UINT(none.thread_id, fields.thread_id);
    CHECK_UINT(0, fields.type | fields.level | fields.version | fields.hook | fields.id);
    CHECK_UINT(0, etl_event_pointer_size(&event));
    release(&b);
}

int main(void)
{
    test_system();
    test_perfinfo();
    test_perfinfo_short();
    test_full();
    test_instance();
    test_instance_guid();
    test_event_header();
    test_opaque();
    return test_result();
}
