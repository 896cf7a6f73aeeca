/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of this test, a function a file, and the list of promises that were broken.
 */
#ifndef ETLPROOF_TEST_ORACLE_TEST_H
#define ETLPROOF_TEST_ORACLE_TEST_H

#include "promise.h"

/* Prints one line of the result. */
void say(bool ok, const char *what);

/* Writes a number of `size` bytes, little-endian. */
void put(uint8_t *at, unsigned size, uint64_t value);

/* buffer_sequence_test.c: the order of outcomes in a decode. */
void test_buffers(bool fired[ORACLE_PROMISE_COUNT]);
/* buffer_header_members_test.c: the oracle over buffer headers. */
void test_buffer_header(bool fired[ORACLE_PROMISE_COUNT]);
/* due_test.c: findings that are due, and compressed streams. */
void test_due(bool fired[ORACLE_PROMISE_COUNT]);
/* due_buffer_test.c: findings that are due about buffers; called by test_due. */
void test_due_buffer(void);
/* due_logfile_test.c: findings that are due about logfile headers; called by test_due. */
void test_due_logfile(void);
/* due_memory_test.c: findings that are due about structures in memory. */
void test_due_memory(void);
/* due_walk_test.c: findings that are due in a walk; called by test_due. */
void test_due_walk(void);
/* entry_points_test.c: the oracles of entry_points.h. */
void test_direct(bool fired[ORACLE_PROMISE_COUNT]);
/* gap_test.c: the oracles over gaps. */
void test_gap(bool fired[ORACLE_PROMISE_COUNT]);
/* hash_test.c: the hash of what a decode reports. */
void test_hash(void);
/* item_fault_test.c: the oracle over extended items, with a decoder that is wrong. */
void test_item_faults(void);
/* payload_fault_test.c: the same for the fields of a payload. */
void test_payload_faults(bool fired[ORACLE_PROMISE_COUNT]);
/* item_members_test.c: the oracles over extended items. */
void test_item(void);
/* event_layout_test.c: the oracles over one event, for every layout. */
void test_layouts(void);
/* decode_comparison_test.c: the oracles of decode_comparison.h. */
void test_limits(bool fired[ORACLE_PROMISE_COUNT]);
/* logfile_members_test.c: the oracles over logfile headers. */
void test_logfile(void);
/* memory_oracles_test.c: the oracles over structures in memory. */
void test_memory(bool fired[ORACLE_PROMISE_COUNT]);
/* json_records_test.c: the oracles of json_records.h. */
void test_records(bool fired[ORACLE_PROMISE_COUNT]);
/* reported_findings_test.c: the oracles of reported_findings.h. */
void test_reported(bool fired[ORACLE_PROMISE_COUNT]);
/* reported_members_test.c: the oracle over the members of records. */
void test_record_members(void);
/* scratch_test.c: the oracles over scratch and steps. */
void test_scratch(bool fired[ORACLE_PROMISE_COUNT]);
/* shift_test.c: decodes at other offsets of a file. */
void test_shift(void);
/* streaming_test.c: the oracle over two decodes of the same bytes. */
void test_streaming(bool fired[ORACLE_PROMISE_COUNT]);
/* json_reader_test.c: what counts as JSON, and as text that can be printed. */
void test_strict(void);
/* clock_edge_test.c: the oracles over times, at their limits. */
void test_times(void);
/* wanted_text_test.c: the text that output is compared with. */
void test_wanted(void);
/* work_test.c: the oracle over work, and what it counts. */
void test_work(void);
/* promise_edge_test.c: the oracles over a decode, at their limits. */
void test_edge(bool fired[ORACLE_PROMISE_COUNT]);

#endif
