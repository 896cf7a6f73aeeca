/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every byte is accounted for, once: of the file, and of each inflated buffer.
 */
#include "parts.h"

static bool take_file(etl_oracle *oracle, const etl_region *region)
{
    if (!ETL_HOLDS(region->offset >= oracle->file_at) || !ETL_HOLDS(region->offset <= oracle->file_at) ||
        !ETL_HOLDS(region->size <= oracle->size - oracle->file_at))
        return etl_oracle_break(oracle, ETL_PROMISE_TILING, region->offset);
    oracle->file_at += region->size;
    return true;
}

static bool take_inflated(etl_oracle *oracle, const etl_region *region)
{
    if (!oracle->in_inflated || region->offset != oracle->inflated_at ||
        region->size > oracle->inflated_end - oracle->inflated_at)
        return etl_oracle_break(oracle, ETL_PROMISE_INFLATED_TILING, region->offset);
    oracle->inflated_at += region->size;
    return true;
}

bool etl_oracle_region(etl_oracle *oracle, const etl_region *region)
{
    if ((size_t)region->kind >= ETL_REGION_COUNT || region->size == 0)
        return etl_oracle_break(oracle, ETL_PROMISE_REGION, region->offset);
    etl_tiling_add(&oracle->tiling, region);
    if (region->kind == ETL_REGION_DAMAGED) {
        etl_loss *loss = &oracle->loss[region->space != ETL_SPACE_FILE];
        loss->damaged += region->size;
        loss->at = region->offset;
    }
    etl_oracle_mix(oracle, (uint64_t)region->kind << 8 | (uint64_t)region->space);
    etl_oracle_mix(oracle, region->offset);
    etl_oracle_mix(oracle, region->size);
    return region->space == ETL_SPACE_FILE ? take_file(oracle, region) : take_inflated(oracle, region);
}

static bool buffer_holds(const etl_oracle *oracle, const etl_buffer *buffer)
{
    return ETL_HOLDS(buffer->offset <= oracle->size && buffer->raw.size <= oracle->size - buffer->offset) &&
           ETL_HOLDS(buffer->extent <= buffer->data.size) &&
           ETL_HOLDS(buffer->compressed ? buffer->space == ETL_SPACE_INFLATED
                                        : buffer->space == ETL_SPACE_FILE && buffer->data.at == buffer->raw.at &&
                                              buffer->data.size == buffer->raw.size);
}

/* The walk of an inflated buffer begins behind its header, which the file itself has. */
static void open_inflated(etl_oracle *oracle, const etl_buffer *buffer)
{
    oracle->in_inflated = buffer->compressed;
    oracle->inflated_end = buffer->compressed ? buffer->data.size : 0;
    oracle->inflated_at = ETL_SIZE(WMI_BUFFER_HEADER_61);
    if (oracle->inflated_at > oracle->inflated_end)
        oracle->inflated_at = oracle->inflated_end;
    oracle->inflated += oracle->inflated_end;
}

bool etl_oracle_buffer(etl_oracle *oracle, const etl_buffer *buffer)
{
    if (oracle->in_inflated && oracle->inflated_at != oracle->inflated_end)
        return etl_oracle_break(oracle, ETL_PROMISE_INFLATED_TILING, oracle->inflated_at);
    if (buffer->index != oracle->buffers)
        return etl_oracle_break(oracle, ETL_PROMISE_BUFFER_INDEX, buffer->offset);
    if (!buffer_holds(oracle, buffer))
        return etl_oracle_break(oracle, ETL_PROMISE_BUFFER_BOUNDS, buffer->offset);
    if (!etl_oracle_inflated(oracle, buffer))
        return false;
    oracle->buffers++;
    open_inflated(oracle, buffer);
    etl_oracle_mix(oracle, (uint64_t)buffer->header.processor << 32 | buffer->header.buffer_size);
    etl_oracle_mix(oracle, (uint64_t)buffer->header.time_stamp);
    etl_oracle_mix(oracle, (uint64_t)buffer->inflated_from << 32 | buffer->extent);

    etl_region regions[ETL_BUFFER_REGIONS];
    size_t count = etl_buffer_regions(buffer, regions);
    if (count > ETL_BUFFER_REGIONS)
        return etl_oracle_break(oracle, ETL_PROMISE_REGION, buffer->offset);
    for (size_t i = 0; i < count; i++)
        if (!etl_oracle_region(oracle, &regions[i]))
            return false;
    return true;
}
