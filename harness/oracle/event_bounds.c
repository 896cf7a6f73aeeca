/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the bytes of an event are those at its offset, that its regions add up to its size, and that all its
 * fields can be read. Called by oracle_step, and by targets of single events.
 */
#include "step_checks.h"

static bool parts_hold(const etl_event *event)
{
    uint64_t parts = (uint64_t)event->header_size + event->items_size + event->data_size + event->lost_size;
    return event->size > 0 && parts == event->size && event->bytes.size == event->size && event->padding < 8;
}

static bool place_holds(const etl_event *event, const etl_buffer *buffer)
{
    uint64_t base = buffer->space == ETL_SPACE_FILE ? buffer->offset : 0;
    if (event->space != buffer->space || event->offset < base)
        return false;
    uint64_t at = event->offset - base;
    return at <= buffer->data.size && (uint64_t)event->size + event->padding <= buffer->data.size - at &&
           event->bytes.at == buffer->data.at + at;
}

bool oracle_utc(oracle_watch *oracle, const etl_utc *utc, uint64_t offset)
{
    if (utc->year >= 1601 && utc->year <= 9999 && utc->month >= 1 && utc->month <= 12 && utc->day >= 1 && utc->day <= 31 &&
        utc->hour < 24 && utc->minute < 60 && utc->second < 60 && utc->fraction < ETL_FILETIME_SECOND)
        return true;
    return oracle_break(oracle, ORACLE_PROMISE_CLOCK, offset);
}

static bool time_holds(oracle_watch *oracle, const etl_event *event, const etl_clock *clock)
{
    uint64_t filetime;
    etl_utc utc;
    if (!event->has_time || !etl_clock_filetime(clock, event->time, &filetime) || !etl_filetime_utc(filetime, &utc))
        return true;
    oracle_mix(oracle, filetime);
    return oracle_utc(oracle, &utc, event->offset);
}

static void mix_event(oracle_watch *oracle, const etl_event *event)
{
    oracle_mix(oracle, event->type);
    oracle_mix(oracle, event->marker);
    oracle_mix(oracle, event->layout);
    oracle_mix(oracle, (uint64_t)event->time);
    oracle_mix_bytes(oracle, event->bytes);
}

bool oracle_dropped_times(etl_span data, const etl_last_dropped_times *dropped)
{
    const size_t size = dropped->times.size;
    return size % 8 == 0 && size / 8 <= dropped->count && size <= data.size - ETL_SIZE(LAST_DROPPED_TIMES);
}

/* Reads the fields of the header and the payload, so that sanitizers see every access; hashed, so that no read is optimised
   away. */
static bool read_event(oracle_watch *oracle, const etl_event *event)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    oracle_mix(oracle, fields.thread_id ^ fields.process_id ^ fields.keyword ^ fields.hook ^ fields.provider.data1 ^
                           fields.processor_time ^ fields.pmc_count);
    oracle_mix(oracle, etl_event_pointer_size(event));
    etl_span data = etl_event_data(event);
    if (data.size != event->data_size)
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_PARTS, event->offset);
    etl_header_extension extension;
    if (etl_header_extension_read(data, &extension))
        oracle_mix(oracle, extension.group_mask[0] ^ extension.version);
    etl_last_dropped_times dropped;
    if (etl_last_dropped_times_read(data, &dropped) && !oracle_dropped_times(data, &dropped))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_PARTS, event->offset);
    return true;
}

static bool event_regions(oracle_watch *oracle, const etl_event *event)
{
    const oracle_expected_region expected[ETL_EVENT_REGIONS] = {{ETL_REGION_EVENT_HEADER, event->header_size},
                                                 {ETL_REGION_ITEMS, event->items_size},
                                                 {ETL_REGION_PAYLOAD, event->data_size},
                                                 {ETL_REGION_DAMAGED, event->lost_size},
                                                 {ETL_REGION_PADDING, event->padding}};
    etl_region regions[ETL_EVENT_REGIONS];
    return oracle_regions(oracle, regions, etl_event_regions(event, regions), expected, ETL_EVENT_REGIONS);
}

bool oracle_event(oracle_watch *oracle, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock)
{
    if (event->index != oracle->events)
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_INDEX, event->offset);
    if ((size_t)event->layout >= ETL_LAYOUT_COUNT)
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_KIND, event->offset);
    if (!parts_hold(event))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_PARTS, event->offset);
    if (!place_holds(event, buffer))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_BOUNDS, event->offset);
    oracle->events++;
    mix_event(oracle, event);
    return time_holds(oracle, event, clock) && read_event(oracle, event) && event_regions(oracle, event) &&
           oracle_items(oracle, event);
}
