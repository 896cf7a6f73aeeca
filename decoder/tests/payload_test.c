/* SPDX-License-Identifier: Apache-2.0 */
/* payload/: names of types, events without metadata, pointers, the order of a table, and sets of schemas. The vectors test
   the rest. */
#include <string.h>

#include "etlproof/schemas.h"

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

/* The decoder searches the table by halves. */
static void test_order_of_classic_events(void)
{
    static const struct {
        uint32_t hook;
        unsigned version;
    } rows[] = {
#define ETL_CLASSIC_EVENT(hook, version, class, name) {hook, version},
#include "format/payload/classic_events.def"
    };
    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(rows[i - 1].hook < rows[i].hook ||
              (rows[i - 1].hook == rows[i].hook && rows[i - 1].version < rows[i].version));
}

/* A TRACE_EVENT_INFO of provider 0 for event 7 version 2, without a property; `mark` tells two of them apart. */
enum { INFO_SIZE = ETL_SIZE_TRACE_EVENT_INFO };
static etl_span info_of(uint8_t mark, uint8_t at[INFO_SIZE])
{
    memset(at, 0, INFO_SIZE);
    at[ETL_AT(TRACE_EVENT_INFO, Id)] = 7;
    at[ETL_AT(TRACE_EVENT_INFO, Version)] = 2;
    at[ETL_AT(TRACE_EVENT_INFO, Flags)] = mark;
    const etl_span info = {at, INFO_SIZE};
    return info;
}

/* The mark of the schema that the set has for an event of the process; 0 if it has none. */
static unsigned mark_for(const etl_schemas *set, uint8_t process)
{
    uint8_t header[ETL_SIZE_EVENT_HEADER] = {0};
    etl_metadata metadata;
    header[ETL_AT(EVENT_HEADER, Id)] = 7;
    header[ETL_AT(EVENT_HEADER, Version)] = 2;
    header[ETL_AT(EVENT_HEADER, ProcessId)] = process;
    const etl_event event = {.bytes = {header, sizeof header}, .layout = ETL_LAYOUT_EVENT};
    return etl_schemas_find(set, &event, &metadata) ? metadata.info.at[ETL_AT(TRACE_EVENT_INFO, Flags)] : 0;
}

static etl_schema_added add(etl_schemas *set, uint32_t process, uint8_t mark)
{
    uint8_t at[INFO_SIZE];
    return etl_schemas_add(set, ETL_SCHEMA_KIND_EVENT, process, info_of(mark, at));
}

static void test_schemas(void)
{
    static etl_schemas set;
    static uint8_t memory[3 * (INFO_SIZE + 16)];
    etl_schemas_init(&set, (etl_scratch){memory, 3 * etl_schemas_room(INFO_SIZE)});
    CHECK_UINT(0, mark_for(&set, 4));
    CHECK_UINT(ETL_SCHEMA_ADDED, add(&set, ETL_SCHEMAS_FALLBACK, 1));
    CHECK_UINT(1, mark_for(&set, 4));
    CHECK_UINT(ETL_SCHEMA_KNOWN, add(&set, ETL_SCHEMAS_FALLBACK, 1));
    CHECK_UINT(ETL_SCHEMA_OTHER, add(&set, ETL_SCHEMAS_FALLBACK, 2));
    CHECK_UINT(ETL_SCHEMA_ADDED, add(&set, 5, 2));
    CHECK_UINT(1, mark_for(&set, 4));
    CHECK_UINT(2, mark_for(&set, 5));
    CHECK_UINT(ETL_SCHEMA_ADDED, add(&set, 0, 3));
    CHECK_UINT(3, mark_for(&set, 4)); /* before the fallback */
    CHECK_UINT(2, mark_for(&set, 5)); /* behind that of the process */
    CHECK_UINT(ETL_SCHEMA_NO_ROOM, add(&set, 6, 4));
}

/* A schema needs what etl_schemas_room() says, and not a byte less. The list of all begins with it. */
static void test_room_for_a_schema(void)
{
    static etl_schemas set;
    static uint8_t memory[INFO_SIZE + 16];
    const size_t room = etl_schemas_room(INFO_SIZE);
    etl_schema_entry entry;
    size_t next = 0;
    for (size_t size = 0; size < room; size++) {
        etl_schemas_init(&set, (etl_scratch){memory, size});
        CHECK_UINT(ETL_SCHEMA_NO_ROOM, add(&set, 0, 1));
        CHECK(!etl_schemas_next(&set, &next, &entry));
    }
    etl_schemas_init(&set, (etl_scratch){memory, room});
    CHECK_UINT(ETL_SCHEMA_ADDED, add(&set, 0, 1));
    CHECK(etl_schemas_next(&set, &next, &entry));
    CHECK_UINT(7, entry.id);
    CHECK(!etl_schemas_next(&set, &next, &entry));
}

static void test_closed_schemas(void)
{
    static etl_schemas set;
    static uint8_t memory[2 * (INFO_SIZE + 16)];
    etl_schemas_init(&set, (etl_scratch){memory, sizeof memory});
    CHECK_UINT(ETL_SCHEMA_ADDED, add(&set, 0, 1));
    set.closed = true;
    CHECK_UINT(ETL_SCHEMA_NO_ROOM, add(&set, 5, 2));
    CHECK_UINT(ETL_SCHEMA_KNOWN, add(&set, 0, 1));
    CHECK_UINT(1, mark_for(&set, 5));
}

int main(void)
{
    etl_metadata metadata;
    const etl_event plain = event_of(ETL_HEADER_TYPE_EVENT_HEADER64, 0);
    test_names();
    test_order_of_classic_events();
    test_schemas();
    test_room_for_a_schema();
    test_closed_schemas();
    CHECK(!etl_metadata_read(&plain, &metadata));
    check_pointer(ETL_HEADER_TYPE_EVENT_HEADER32, 4);
    check_pointer(ETL_HEADER_TYPE_EVENT_HEADER64, 8);
    return test_result();
}
