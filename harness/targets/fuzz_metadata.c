/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set takes schemas and maps, and the payload of an event of one of them is decoded to fields.
 *
 * The input: a byte for the size of the set's memory in 64 bytes; then schemas, each a byte 0x20 or 0x21 (its ClassType), a
 * u16 with its size, and its bytes; at any other byte, which chooses the schema of the event, the payload of the event.
 */
#include <stdlib.h>
#include <string.h>

#include "broken_promise.h"
#include "step_checks.h"
#include "target.h"

enum { TYPE_EVENT_INFO = 0x20, TYPE_MAP_INFO = 0x21, MEMORY_UNIT = 64, SCHEMAS_MOST = 8 };

static const uint8_t metadata_guid[] = {0xC1, 0xF6, 0xCC, 0xBB, 0xD1, 0x6C, 0xC4, 0x48,
                                        0x80, 0xFF, 0x83, 0x94, 0x82, 0xE3, 0x76, 0x71};

/* An event of `layout`, whose header is `header` and whose payload is `payload`, in memory of exactly its size. */
static etl_event make_event(etl_layout layout, const uint8_t *header, uint32_t header_size, etl_span payload)
{
    const size_t size = header_size + payload.size;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        abort();
    memcpy(bytes, header, header_size);
    if (payload.size > 0)
        memcpy(bytes + header_size, payload.at, payload.size);
    const etl_event event = {.bytes = {bytes, size},
                             .size = (uint32_t)size,
                             .header_size = header_size,
                             .data_size = (uint32_t)payload.size,
                             .type = layout == ETL_LAYOUT_EVENT ? ETL_HEADER_TYPE_EVENT_HEADER64
                                                                : ETL_HEADER_TYPE_FULL_HEADER64,
                             .layout = layout};
    return event;
}

static void free_event(const etl_event *event)
{
    free((void *)(uintptr_t)event->bytes.at);
}

static etl_event schema_event(uint8_t type, etl_span payload)
{
    uint8_t header[ETL_SIZE_EVENT_TRACE_HEADER] = {0};
    header[ETL_AT(EVENT_TRACE_HEADER, ClassType)] = type;
    memcpy(header + ETL_AT(EVENT_TRACE_HEADER, Guid), metadata_guid, sizeof metadata_guid);
    return make_event(ETL_LAYOUT_FULL, header, sizeof header, payload);
}

/* An event of the provider, Id and Version that the schema states. */
static etl_event described_event(etl_span schema, etl_span payload)
{
    uint8_t header[ETL_SIZE_EVENT_HEADER] = {0};
    if (schema.size >= ETL_SIZE(TRACE_EVENT_INFO)) {
        memcpy(header + ETL_AT(EVENT_HEADER, ProviderId), schema.at + ETL_AT(TRACE_EVENT_INFO, ProviderGuid), 16);
        memcpy(header + ETL_AT(EVENT_HEADER, Id), schema.at + ETL_AT(TRACE_EVENT_INFO, Id), 3);
    }
    return make_event(ETL_LAYOUT_EVENT, header, sizeof header, payload);
}

/* Takes a schema off the front of the input; false at the payload of the event. */
static bool take_schema(etl_span *rest, uint8_t *type, etl_span *schema)
{
    if (rest->size < 3 || (rest->at[0] != TYPE_EVENT_INFO && rest->at[0] != TYPE_MAP_INFO))
        return false;
    const size_t stated = (size_t)rest->at[1] | (size_t)rest->at[2] << 8, left = rest->size - 3;
    *type = rest->at[0];
    *schema = (etl_span){rest->at + 3, stated < left ? stated : left};
    *rest = (etl_span){rest->at + 3 + schema->size, left - schema->size};
    return true;
}

static void decode(oracle_watch *oracle, const oracle_schemas *known, etl_span schema, etl_span payload)
{
    const etl_event event = described_event(schema, payload);
    etl_metadata metadata;
    bool found;
    if (oracle_schema_find(oracle, known, &event, &metadata, &found) && found &&
        oracle_maps_of_fields(oracle, known, &event, &metadata))
        oracle_payload(oracle, &event, &metadata);
    uint32_t value = 0;
    for (size_t i = 0; i < payload.size && i < 4; i++)
        value |= (uint32_t)payload.at[i] << 8 * i;
    oracle_map_texts(oracle, known, value);
    target_hold(oracle, NULL);
    free_event(&event);
}

static void run(etl_span input, oracle_schemas *known)
{
    etl_event events[SCHEMAS_MOST];
    uint32_t count = 0;
    oracle_watch oracle;
    etl_span rest = {input.at + 1, input.size - 1}, schema;
    uint8_t type;
    oracle_init(&oracle, input.size, ETL_LIMITS_DEFAULT, false);
    while (count < SCHEMAS_MOST && take_schema(&rest, &type, &schema)) {
        events[count] = schema_event(type, schema);
        oracle_schema_take(&oracle, known, &events[count++]);
    }
    known->set->closed = true;
    for (uint32_t i = 0; i < count; i++)
        oracle_schema_take(&oracle, known, &events[i]);
    const etl_span none = {0};
    const etl_event *chosen = count > 0 && rest.size > 0 ? &events[rest.at[0] % count] : NULL;
    const etl_span payload = rest.size > 0 ? (etl_span){rest.at + 1, rest.size - 1} : none;
    decode(&oracle, known, chosen != NULL ? etl_event_data(chosen) : none, payload);
    for (uint32_t i = 0; i < count; i++)
        free_event(&events[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static etl_schemas set;
    static oracle_schemas known;
    if (size == 0 || size > UINT16_MAX)
        return 0;
    const size_t memory = (size_t)data[0] * MEMORY_UNIT;
    etl_schemas_init(&set, (etl_scratch){malloc(memory), memory});
    known = (oracle_schemas){.set = &set};
    run((etl_span){data, size}, &known);
    free(set.memory.at);
    return 0;
}
