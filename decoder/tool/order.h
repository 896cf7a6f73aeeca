/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event records in the order of their time stamps. All of them are kept in memory until the last one is known.
 */
#ifndef ETLPROOF_ORDER_H
#define ETLPROOF_ORDER_H

#include "etlproof/event.h"

#include "out.h"

typedef struct etl_order_row {
    int64_t time;
    uint64_t index;
    size_t at, size; /* the record's text in `text` */
} etl_order_row;

typedef struct etl_order {
    etl_out text; /* records go here, one after the other */
    etl_order_row *rows;
    size_t count, room;
    int64_t last_time;
    bool failed; /* out of memory */
} etl_order;

void etl_order_open(etl_order *order);

/* Takes the record that was written to `text` since `at`. An event without a time stays after the one before it. */
void etl_order_add(etl_order *order, const etl_event *event, size_t at);

/* Writes all records, by time; those of equal time in file order. */
void etl_order_write(etl_order *order, etl_out *out);

void etl_order_close(etl_order *order);

#endif
