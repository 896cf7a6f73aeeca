/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of this test, and the list of promises that were seen to be broken.
 */
#ifndef ETLPROOF_ORACLE_TEST_H
#define ETLPROOF_ORACLE_TEST_H

#include "promise.h"

/* One line of the result. */
void say(bool ok, const char *what);

/* A number of `size` bytes as the format stores it, little-endian. */
void put(uint8_t *at, unsigned size, uint64_t value);

/* buffers_test.c: those over what follows what in a decode. */
void test_buffers(bool fired[ORACLE_PROMISE_COUNT]);
/* buffer_header_test.c: that of buffer headers. */
void test_buffer_header(bool fired[ORACLE_PROMISE_COUNT]);
/* direct_test.c: the oracles of direct.h. */
void test_direct(bool fired[ORACLE_PROMISE_COUNT]);
/* gap_test.c: those over what no event is in. */
void test_gap(bool fired[ORACLE_PROMISE_COUNT]);
/* item_test.c: those over extended items. */
void test_item(void);
/* layouts_test.c: those over one event, for events of every layout. */
void test_layouts(void);
/* limits_test.c: those of limits.h. */
void test_limits(bool fired[ORACLE_PROMISE_COUNT]);
/* logfile_test.c: those over logfile headers. */
void test_logfile(void);
/* memory_test.c: those of structures in memory. */
void test_memory(bool fired[ORACLE_PROMISE_COUNT]);
/* records_test.c: those of records.h. */
void test_records(bool fired[ORACLE_PROMISE_COUNT]);
/* room_test.c: those over room to inflate into, and steps. */
void test_room(bool fired[ORACLE_PROMISE_COUNT]);
/* streaming_test.c: that over two decodes of the same bytes. */
void test_streaming(bool fired[ORACLE_PROMISE_COUNT]);
/* strict_test.c: what counts as JSON, and as text that can be printed. */
void test_strict(void);
/* times_test.c: those over times, at their edges. */
void test_times(void);
/* edge_test.c: those over a decode, at their edges. */
void test_edge(bool fired[ORACLE_PROMISE_COUNT]);

#endif
