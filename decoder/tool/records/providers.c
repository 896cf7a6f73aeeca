/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts events by provider in a hash table of fixed size. inventory.c calls this for each event.
 */
#include "records/providers.h"

#include "span.h"

/* Slots tried for one GUID. More are only needed for GUIDs that were chosen to collide. */
#define PROBES 64u

/* A bit reaches only those above it when it is multiplied, so the upper half is folded first: GUIDs that differ in their
   last byte alone get places of their own. */
static uint32_t place_of(uint64_t low, uint64_t high)
{
    uint64_t hash = low ^ (high ^ high >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(hash >> 40);
}

static tool_provider *find(tool_providers *providers, uint64_t low, uint64_t high)
{
    const uint32_t place = place_of(low, high);
    for (uint32_t i = 0; i < PROBES; i++) {
        tool_provider *provider = &providers->at[(place + i) % TOOL_PROVIDERS_MAX];
        if (provider->events == 0) {
            provider->low = low;
            provider->high = high;
            providers->count++;
            return provider;
        }
        if (provider->low == low && provider->high == high)
            return provider;
    }
    return NULL;
}

static tool_provider *add(tool_providers *providers, uint64_t low, uint64_t high)
{
    tool_provider *last = providers->last;
    if (last == NULL || last->low != low || last->high != high) {
        last = find(providers, low, high);
        if (last == NULL) {
            providers->others++;
            return NULL;
        }
        providers->last = last;
    }
    last->events++;
    return last;
}

static tool_provider *add_at(tool_providers *providers, etl_span bytes, uint32_t at)
{
    return add(providers, etl_load_u64(bytes, at), etl_load_u64(bytes, (size_t)at + 8));
}

/* The GUID of a WPP message is one of its optional members. */
static tool_provider *add_message(tool_providers *providers, const etl_event *event)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    if (!fields.has_provider) {
        providers->none++;
        return NULL;
    }
    const etl_guid *guid = &fields.provider;
    uint64_t low = guid->data1 | (uint64_t)guid->data2 << 32 | (uint64_t)guid->data3 << 48;
    uint64_t high = 0;
    for (unsigned i = 0; i < 8; i++)
        high |= (uint64_t)guid->data4[i] << (8 * i);
    return add(providers, low, high);
}

tool_provider *tool_providers_add_event(tool_providers *providers, const etl_event *event)
{
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO:
        /* HookId has the same offset in all three; its high byte is the group. */
        providers->groups[etl_load_u16(event->bytes, ETL_AT(PERFINFO_TRACE_HEADER, HookId)) >> 8]++;
        break;
    case ETL_LAYOUT_EVENT: return add_at(providers, event->bytes, ETL_AT(EVENT_HEADER, ProviderId));
    case ETL_LAYOUT_FULL: return add_at(providers, event->bytes, ETL_AT(EVENT_TRACE_HEADER, Guid));
    case ETL_LAYOUT_INSTANCE_GUID: return add_at(providers, event->bytes, ETL_AT(EVENT_INSTANCE_GUID_HEADER, Guid));
    case ETL_LAYOUT_MESSAGE: return add_message(providers, event);
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: providers->none++; break;
    }
    return NULL;
}

etl_guid tool_provider_guid(const tool_provider *provider)
{
    etl_guid guid = {(uint32_t)provider->low, (uint16_t)(provider->low >> 32), (uint16_t)(provider->low >> 48), {0}};
    for (unsigned i = 0; i < 8; i++)
        guid.data4[i] = (uint8_t)(provider->high >> (8 * i));
    return guid;
}
