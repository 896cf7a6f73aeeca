/* SPDX-License-Identifier: Apache-2.0 */
/* format.c: what the functions return from the tables. facts_test.py checks the rows. */
#include "etlproof/etlproof.h"

#include "test.h"

static void test_rules(void)
{
    CHECK_UINT(ETL_RULE_BUF_010, etl_rule_find("BUF-010"));
    CHECK_UINT(ETL_RULE_LIM_001, etl_rule_find("LIM-001"));
    CHECK_UINT(ETL_RULE_COUNT, etl_rule_find(""));
    CHECK_UINT(ETL_RULE_COUNT, etl_rule_find("BUF-01"));
    CHECK_UINT(ETL_RULE_COUNT, etl_rule_find("BUF-0100"));
    CHECK_UINT(ETL_RULE_COUNT, etl_rule_find("BUF_010"));

    const etl_rule_info *info = etl_rule_get(ETL_RULE_LFH_010);
    CHECK_TEXT("LFH-010", info->id);
    CHECK_TEXT("recovery", info->group);
    CHECK_TEXT("logfile", info->layer);
    CHECK_UINT(ETL_SEVERITY_WARNING, info->severity);
    CHECK_TEXT("A trace that was closed has an EndTime.", info->statement);
    CHECK_TEXT("seen in eight real files, all sound", info->source);
    for (etl_rule rule = (etl_rule)0; rule < ETL_RULE_COUNT; rule++) {
        info = etl_rule_get(rule);
        CHECK_UINT(rule, etl_rule_find(info->id));
        CHECK(strlen(info->id) == 7 && info->id[3] == '-');
        CHECK(info->statement[0] != '\0' && info->effect[0] != '\0' && info->source[0] != '\0');
        CHECK(info->severity < ETL_SEVERITY_COUNT);
    }
}

static void test_texts(void)
{
    CHECK_TEXT("structure", etl_severity_text(ETL_SEVERITY_STRUCTURE));
    CHECK_TEXT("error", etl_severity_text(ETL_SEVERITY_ERROR));
    CHECK_TEXT("continue", etl_action_text(ETL_ACTION_CONTINUE));
    CHECK_TEXT("stop", etl_action_text(ETL_ACTION_STOP));
    CHECK_TEXT("buffer-header", etl_region_text(ETL_REGION_BUFFER_HEADER));
    CHECK_TEXT("tail", etl_region_text(ETL_REGION_TAIL));
}

static void test_header_types(void)
{
    CHECK_TEXT("EVENT_HEADER64", etl_header_type_name(0x13));
    CHECK_TEXT("UNKNOWN", etl_header_type_name(0x05));
    CHECK_UINT(8, etl_header_type_pointer_size(0x13));
    CHECK_UINT(4, etl_header_type_pointer_size(0x0A));
    CHECK_UINT(0, etl_header_type_pointer_size(0x0F));
    CHECK_UINT(0, etl_header_type_pointer_size(0xFF));
}

static void test_names(void)
{
    CHECK_TEXT("EVENT_SCHEMA_TL", etl_item_type_name(0x0B));
    CHECK_TEXT(NULL, etl_item_type_name(0x13));
    CHECK_TEXT("PERFCOUNTER", etl_clock_type_name(1));
    CHECK_TEXT(NULL, etl_clock_type_name(4));
    CHECK_TEXT("HEADER", etl_buffer_type_name(4));
    CHECK_TEXT(NULL, etl_buffer_type_name(8));
    CHECK_TEXT("Flush", etl_buffer_state_name(3));
    CHECK_TEXT(NULL, etl_buffer_state_name(7));
    CHECK_TEXT("XPRESS", etl_compression_format_name(3));
    CHECK_TEXT(NULL, etl_compression_format_name(1));
}

static void test_hooks(void)
{
    CHECK_TEXT("WMI_LOG_TYPE_HEADER", etl_hook_name(0x0000));
    CHECK_TEXT("WMI_LOG_TYPE_IO_READ", etl_hook_name(0x010A));
    CHECK_TEXT("PERFINFO_LOG_TYPE_TP_TIMER_EXPIRATION", etl_hook_name(0x1C30));
    CHECK_TEXT(NULL, etl_hook_name(0x0001));
    CHECK_TEXT(NULL, etl_hook_name(0x1C31));
    CHECK_TEXT(NULL, etl_hook_name(0xFFFF));
    CHECK_TEXT("Process", etl_hook_group_name(0x03));
    CHECK_TEXT("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c", etl_hook_group_guid(0x03));
    CHECK_TEXT("2ce9a149-effe-42f0-a635-a1d39e26c8f2", etl_hook_group_guid(0x1E));
    CHECK_TEXT(NULL, etl_hook_group_name(0x1F));
    CHECK_TEXT(NULL, etl_hook_group_guid(0x1F));

    /* Every row is found, which it is only if the rows are in order. */
    static const struct {
        uint16_t value;
        const char *name;
    } rows[] = {
#define ETL_HOOK(value, name, versions, source) {value, #name},
#include "format/hook_ids.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_TEXT(rows[i].name, etl_hook_name(rows[i].value));
}

/* One bit each, lowest first. */
static void check_bits(etl_names names, size_t count, uint32_t last_value, const char *last_name)
{
    CHECK_UINT(count, names.count);
    for (size_t i = 0; i < names.count; i++) {
        CHECK(names.at[i].name != NULL);
        CHECK(names.at[i].value != 0 && (names.at[i].value & (names.at[i].value - 1)) == 0);
        CHECK(i == 0 || names.at[i].value > names.at[i - 1].value);
    }
    CHECK_UINT(last_value, names.at[names.count - 1].value);
    CHECK_TEXT(last_name, names.at[names.count - 1].name);
}

static void test_flags(void)
{
    check_bits(etl_buffer_flag_names(), 7, 0x40, "COMPRESSED");
    check_bits(etl_event_flag_names(), 10, 0x200, "PROCESSOR_INDEX");
    check_bits(etl_event_property_names(), 4, 8, "RELOGGABLE");
    check_bits(etl_logger_mode_names(), 32, UINT32_C(0x80000000), "ADDTO_TRIAGE_DUMP");
    check_bits(etl_message_option_names(), 8, 0x80, "POINTER64");
}

/* Members follow one another without overlap and end with the structure; WNODE_HEADER's table stops after its first. */
static void test_structures(void)
{
    for (etl_structure_id id = (etl_structure_id)0; id < ETL_STRUCTURE_COUNT; id++) {
        size_t count;
        const etl_member_info *members = etl_structure_members(id, &count);
        uint32_t end = 0;
        CHECK(count > 0);
        for (size_t i = 0; i < count; i++) {
            CHECK_UINT(end, members[i].offset);
            end = members[i].offset + etl_member_kind_size(members[i].kind);
        }
        CHECK(end == etl_structure_size_of(id) || id == ETL_STRUCTURE_WNODE_HEADER);
    }
    size_t count;
    const etl_member_info *members = etl_structure_members(ETL_STRUCTURE_EVENT_HEADER, &count);
    CHECK_TEXT("EVENT_HEADER", etl_structure_name(ETL_STRUCTURE_EVENT_HEADER));
    CHECK_UINT(19, count);
    CHECK_TEXT("Size", members[0].name);
    CHECK_TEXT("ActivityId", members[18].name);
    CHECK_UINT(0x40, members[18].offset);
    CHECK_UINT(ETL_MEMBER_KIND_GUID, members[18].kind);
    CHECK_UINT(ETL_STRUCTURE_EVENT_TRACE_HEADER, etl_layout_structure(ETL_LAYOUT_FULL));
    CHECK_UINT(ETL_STRUCTURE_MESSAGE_TRACE_HEADER, etl_layout_structure(ETL_LAYOUT_MESSAGE));
}

static void test_tiling(void)
{
    etl_tiling t = {0};
    etl_tiling_add(&t, &(etl_region){ETL_REGION_BUFFER_HEADER, ETL_SPACE_FILE, 0, 0x48});
    etl_tiling_add(&t, &(etl_region){ETL_REGION_COMPRESSED, ETL_SPACE_FILE, 0x48, 100});
    etl_tiling_add(&t, &(etl_region){ETL_REGION_PAYLOAD, ETL_SPACE_INFLATED, 7, 1000});
    etl_tiling_add(&t, &(etl_region){ETL_REGION_BUFFER_HEADER, ETL_SPACE_FILE, 172, 0x48});
    CHECK(!t.broken);
    CHECK_UINT(244, t.next);
    CHECK_UINT(144, t.bytes[ETL_REGION_BUFFER_HEADER]);
    CHECK_UINT(100, t.bytes[ETL_REGION_COMPRESSED]);
    CHECK_UINT(0, t.bytes[ETL_REGION_PAYLOAD]);

    static const etl_region wrong[] = {
        {ETL_REGION_TAIL, ETL_SPACE_FILE, 245, 1},          /* a hole */
        {ETL_REGION_TAIL, ETL_SPACE_FILE, 243, 1},          /* an overlap */
        {ETL_REGION_TAIL, ETL_SPACE_FILE, 244, UINT64_MAX}, /* past the end of all files */
        {ETL_REGION_COUNT, ETL_SPACE_FILE, 244, 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        etl_tiling broken = t;
        etl_tiling_add(&broken, &wrong[i]);
        CHECK(broken.broken);
    }
}

int main(void)
{
    test_rules();
    test_texts();
    test_header_types();
    test_names();
    test_hooks();
    test_flags();
    test_structures();
    test_tiling();
    return test_result();
}
