/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that regions tile the file, and each inflated buffer, exactly once. Called by oracle_step.
 */
#include "step_checks.h"

static bool take_file(oracle_watch *oracle, const etl_region *region)
{
    if (!ORACLE_HOLDS(region->offset >= oracle->file_at) || !ORACLE_HOLDS(region->offset <= oracle->file_at) ||
        !ORACLE_HOLDS(region->size <= oracle->end - oracle->file_at))
        return oracle_break(oracle, ORACLE_PROMISE_TILING, region->offset);
    oracle->file_at += region->size;
    oracle->bytes[region->kind] += region->size;
    return true;
}

static bool take_inflated(oracle_watch *oracle, const etl_region *region)
{
    if (region->offset != oracle->inflated_at || region->size > oracle->inflated_end - oracle->inflated_at)
        return oracle_break(oracle, ORACLE_PROMISE_INFLATED_TILING, region->offset);
    oracle->inflated_at += region->size;
    return true;
}

bool oracle_region(oracle_watch *oracle, const etl_region *region)
{
    if ((size_t)region->kind >= ETL_REGION_COUNT || region->size == 0)
        return oracle_break(oracle, ORACLE_PROMISE_REGION, region->offset);
    etl_tiling_add(&oracle->tiling, region);
    if (region->kind == ETL_REGION_DAMAGED) {
        oracle_loss *loss = &oracle->loss[region->space != ETL_SPACE_FILE];
        loss->damaged += region->size;
        loss->at = region->offset;
    }
    oracle_mix(oracle, region->kind);
    oracle_mix(oracle, region->space);
    oracle_mix(oracle, oracle_relative(oracle, region->space, region->offset));
    oracle_mix(oracle, region->size);
    return region->space == ETL_SPACE_FILE ? take_file(oracle, region) : take_inflated(oracle, region);
}

bool oracle_regions(oracle_watch *oracle, const etl_region *regions, size_t count, const oracle_expected_region *expected,
                    size_t expected_count)
{
    size_t taken = 0;
    for (size_t i = 0; i < expected_count; i++) {
        if (expected[i].size == 0)
            continue;
        if (!ORACLE_HOLDS(taken < count))
            return oracle_break(oracle, ORACLE_PROMISE_REGIONS, oracle->file_at);
        const etl_region *region = &regions[taken++];
        if (!oracle_region(oracle, region))
            return false;
        if (!ORACLE_HOLDS(region->kind == expected[i].kind) || !ORACLE_HOLDS(region->size == expected[i].size))
            return oracle_break(oracle, ORACLE_PROMISE_REGIONS, region->offset);
    }
    return ORACLE_HOLDS(taken == count) || oracle_break(oracle, ORACLE_PROMISE_REGIONS, oracle->file_at);
}

static bool buffer_holds(const oracle_watch *oracle, const etl_buffer *buffer)
{
    return ORACLE_HOLDS(buffer->offset <= oracle->end && buffer->raw.size <= oracle->end - buffer->offset) &&
           ORACLE_HOLDS(buffer->raw.size >= ETL_SIZE(WMI_BUFFER_HEADER_61)) &&
           ORACLE_HOLDS(!buffer->compressed ||
                        buffer->inflated_from <= buffer->raw.size - ETL_SIZE(WMI_BUFFER_HEADER_61)) &&
           ORACLE_HOLDS(buffer->data.size >= ETL_SIZE(WMI_BUFFER_HEADER_61)) &&
           ORACLE_HOLDS(buffer->extent <= buffer->data.size) &&
           ORACLE_HOLDS(buffer->compressed ? buffer->space == ETL_SPACE_INFLATED
                                           : buffer->space == ETL_SPACE_FILE && buffer->data.at == buffer->raw.at &&
                                                 buffer->data.size == buffer->raw.size);
}

/* The walk of an inflated buffer begins after its header, which is a region of the file. */
static void open_inflated(oracle_watch *oracle, const etl_buffer *buffer)
{
    const bool inflated = buffer->compressed && buffer->data.at != buffer->raw.at;
    oracle->input = inflated ? buffer->raw.size - ETL_SIZE(WMI_BUFFER_HEADER_61) : 0;
    oracle->output = inflated ? buffer->data.size - ETL_SIZE(WMI_BUFFER_HEADER_61) : 0;
    oracle->inflated_at = buffer->compressed ? ETL_SIZE(WMI_BUFFER_HEADER_61) : 0;
    oracle->inflated_end = buffer->compressed ? buffer->data.size : 0;
    oracle->inflated += oracle->inflated_end;
}

/* The input that a stream leaves unused is either slack or damage, never both. */
static bool buffer_regions(oracle_watch *oracle, const etl_buffer *buffer)
{
    const uint64_t input = buffer->compressed ? buffer->raw.size - ETL_SIZE(WMI_BUFFER_HEADER_61) : 0;
    const uint64_t used = buffer->compressed ? buffer->inflated_from : 0;
    const oracle_expected_region expected[ETL_BUFFER_REGIONS] = {{ETL_REGION_BUFFER_HEADER, ETL_SIZE(WMI_BUFFER_HEADER_61)},
                                                  {ETL_REGION_COMPRESSED, used},
                                                  {buffer->rest_kind, input - used}};
    etl_region regions[ETL_BUFFER_REGIONS];
    if (!ORACLE_HOLDS(input == used || buffer->rest_kind == ETL_REGION_SLACK || buffer->rest_kind == ETL_REGION_DAMAGED))
        return oracle_break(oracle, ORACLE_PROMISE_REGIONS, buffer->offset);
    return oracle_regions(oracle, regions, etl_buffer_regions(buffer, regions), expected, ETL_BUFFER_REGIONS);
}

bool oracle_buffer(oracle_watch *oracle, const etl_buffer *buffer)
{
    if (oracle->inflated_at != oracle->inflated_end)
        return oracle_break(oracle, ORACLE_PROMISE_INFLATED_TILING, oracle->inflated_at);
    if (buffer->index != oracle->buffers)
        return oracle_break(oracle, ORACLE_PROMISE_BUFFER_INDEX, buffer->offset);
    if (!buffer_holds(oracle, buffer))
        return oracle_break(oracle, ORACLE_PROMISE_BUFFER_BOUNDS, buffer->offset);
    oracle_stream_done(oracle);
    if (!oracle_inflated(oracle, buffer))
        return false;
    oracle->buffers++;
    open_inflated(oracle, buffer);
    oracle_mix(oracle, buffer->header.processor);
    oracle_mix(oracle, buffer->header.buffer_size);
    oracle_mix(oracle, (uint64_t)buffer->header.time_stamp);
    oracle_mix(oracle, buffer->inflated_from);
    oracle_mix(oracle, buffer->extent);
    return buffer_regions(oracle, buffer);
}
