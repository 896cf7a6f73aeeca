/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts event records by timestamp, for decode --order time.
 */
#include "records/time_order.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void tool_time_order_open(tool_time_order *order, uint64_t most)
{
    *order = (tool_time_order){.most = most, .last_time = INT64_MIN};
    tool_output_open_memory(&order->text);
}

static bool is_full(const tool_time_order *order)
{
    return order->text.used > order->most || order->count > (order->most - order->text.used) / sizeof order->rows[0];
}

static bool grow(tool_time_order *order)
{
    if (order->count < order->capacity)
        return true;
    size_t capacity = order->capacity == 0 ? FIRST_CAPACITY : order->capacity * 2;
    tool_time_order_row *rows = capacity <= SIZE_MAX / sizeof *rows ? realloc(order->rows, capacity * sizeof *rows) : NULL;
    if (rows == NULL)
        return false;
    order->rows = rows;
    order->capacity = capacity;
    return true;
}

void tool_time_order_add(tool_time_order *order, const etl_event *event, size_t at)
{
    if (event->has_time)
        order->last_time = event->time;
    if (order->text.error != 0 || is_full(order) || !grow(order)) {
        order->failed = true;
        return;
    }
    order->rows[order->count++] = (tool_time_order_row){order->last_time, event->index, at, order->text.used - at};
}

static int compare(const void *left, const void *right)
{
    const tool_time_order_row *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void tool_time_order_write(tool_time_order *order, tool_output *out)
{
    if (order->failed || order->count == 0)
        return;
    qsort(order->rows, order->count, sizeof order->rows[0], compare);
    for (size_t i = 0; i < order->count; i++)
        tool_put_bytes(out, order->text.at + order->rows[i].at, order->rows[i].size);
}

void tool_time_order_close(tool_time_order *order)
{
    tool_output_free(&order->text);
    free(order->rows);
    order->rows = NULL;
}
