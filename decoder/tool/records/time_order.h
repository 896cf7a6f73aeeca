/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event records sorted by timestamp. All records are held in memory until the last one is known.
 */
#ifndef ETLPROOF_RECORDS_TIME_ORDER_H
#define ETLPROOF_RECORDS_TIME_ORDER_H

#include "etlproof/event.h"

#include "io/output.h"

/* Memory for the records in bytes, if the caller sets no other limit. */
#define TOOL_TIME_ORDER_MOST (UINT64_C(4) << 30)

typedef struct tool_time_order_row {
    int64_t time;
    uint64_t index;
    size_t at, size; /* where the record lies in `text` */
} tool_time_order_row;

typedef struct tool_time_order {
    tool_output text; /* the records, one after the other */
    tool_time_order_row *rows;
    size_t count, capacity;
    uint64_t most; /* bytes */
    int64_t last_time;
    bool failed; /* out of memory, or more than `most` is needed */
} tool_time_order;

void tool_time_order_open(tool_time_order *order, uint64_t most);

/* Adds the record that was written to `text` since `at`. An event without a time follows its predecessor. */
void tool_time_order_add(tool_time_order *order, const etl_event *event, size_t at);

/* Writes all records by time; records of equal time in file order. */
void tool_time_order_write(tool_time_order *order, tool_output *out);

void tool_time_order_close(tool_time_order *order);

#endif
