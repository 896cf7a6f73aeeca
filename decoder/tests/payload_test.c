/* SPDX-License-Identifier: Apache-2.0 */
/* payload/: names of types, events without metadata, and pointers. The vectors test the rest. */
#include "etlproof/payload.h"

#include "test.h"

static void test_names(void)
{
    CHECK_TEXT("UNICODESTRING", etl_in_type_name(1));
    CHECK_TEXT("COUNTEDBINARY", etl_in_type_name(25));
    CHECK(etl_in_type_name(0) == NULL);
    CHECK(etl_in_type_name(26) == NULL);
    CHECK(etl_in_type_name(UINT16_MAX) == NULL);
    CHECK_TEXT("NOPRINT", etl_out_type_name(ETL_OUT_TYPE_NOPRINT));
    CHECK_TEXT("REDUCEDSTRING", etl_out_type_name(ETL_OUT_TYPE_COUNT - 1));
    CHECK(etl_out_type_name(ETL_OUT_TYPE_NONE) == NULL);
    CHECK(etl_out_type_name(ETL_OUT_TYPE_COUNT) == NULL);
}

/* An item EVENT_SCHEMA_TL with one field, and a payload of 8 bytes. */
static const uint8_t bytes[] = {16, 0, 0x0B, 0, 0, 0, 8, 0, /* TotalSize, ExtType, Linkage, DataSize */
                                8,  0, 0,    'E', 0, 'p', 0, 16,
                                1,  2, 3,    4, 5, 6, 7, 8};
enum { ITEMS = 16 };

static etl_event event_of(uint8_t type, uint32_t items)
{
    const etl_event event = {.bytes = {bytes, sizeof bytes},
                             .size = sizeof bytes,
                             .items_size = items,
                             .data_size = (uint32_t)sizeof bytes - items,
                             .type = type,
                             .layout = ETL_LAYOUT_EVENT};
    return event;
}

static void check_pointer(uint8_t type, uint32_t size)
{
    static etl_findings findings;
    const etl_event event = event_of(type, ITEMS);
    etl_metadata metadata;
    etl_payload payload;
    findings.count = 0;
    CHECK(etl_metadata_read(&event, &metadata));
    CHECK_UINT(1, metadata.event_name.size);
    CHECK_UINT(0, metadata.provider_name.size);
    etl_payload_init(&payload, &event, &metadata);
    CHECK_UINT(ETL_PAYLOAD_VALUE, etl_payload_next(&payload, &event, &findings));
    CHECK_UINT(size, payload.size);
    CHECK_UINT(size, payload.value.size);
    CHECK_UINT(ITEMS, payload.offset);
    CHECK_UINT(ETL_PAYLOAD_END, etl_payload_next(&payload, &event, &findings));
    CHECK_UINT(ETL_PAYLOAD_END, etl_payload_next(&payload, &event, &findings)); /* and again */
    CHECK(payload.whole);
    CHECK_UINT(ITEMS + size, payload.at);
    CHECK_UINT(0, findings.count);
}

int main(void)
{
    etl_metadata metadata;
    const etl_event plain = event_of(ETL_HEADER_TYPE_EVENT_HEADER64, 0);
    test_names();
    CHECK(!etl_metadata_read(&plain, &metadata));
    check_pointer(ETL_HEADER_TYPE_EVENT_HEADER32, 4);
    check_pointer(ETL_HEADER_TYPE_EVENT_HEADER64, 8);
    return test_result();
}
