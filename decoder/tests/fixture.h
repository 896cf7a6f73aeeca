/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files for tests, and the outcomes of their decode.
 */
#ifndef ETLPROOF_TEST_FIXTURE_H
#define ETLPROOF_TEST_FIXTURE_H

#include "etlproof/reader.h"

#include "test_bytes.h"

/* The buffers of make_three_buffers: their size, and the start and end of the events of the middle one. */
enum { THREE_SIZE = 0x400, THREE_FIRST = 0x48, THREE_SECOND = 0x98, THREE_THIRD = 0xF0, THREE_END = 0x158 };

enum { HEADER_BYTES = 0x48, FILE_EVENTS = 64, RUN_MOST = 256, RUN_LOG = 1 << 15 };

/* Types of TRACE_HEADER_TYPE that the fixtures write. */
enum { SYSTEM64 = 0x02, PERFINFO64 = 0x11, EVENT64 = 0x13, FULL64 = 0x14 };

/* A file that grows buffer by buffer. The functions write well-formed bytes. */
typedef struct test_file {
    test_bytes bytes;
    size_t start;     /* of the last buffer */
    size_t at;        /* where its next event goes */
    uint32_t buffers;
    size_t logfile;   /* file offset of TRACE_LOGFILE_HEADER; 0 if there is none */
    int64_t time;     /* of the last event */
    size_t events;
    size_t event[FILE_EVENTS];
} test_file;

/* A buffer of `size` bytes, all 0xFF after its header; counted in BuffersWritten. */
void add_buffer(test_file *f, uint32_t size);
/* Adds an event of `size` bytes to the last buffer, padded with residue; moves both offsets. Returns the event's offset. */
size_t add_event(test_file *f, uint8_t type, uint16_t size);
/* The logfile header event of a file with buffers of `buffer_size`: Windows 10.0, sub-version 1.5, four processors. */
size_t add_logfile(test_file *f, uint32_t buffer_size);
/* A header buffer of `size` bytes with a logfile header. */
void add_header_buffer(test_file *f, uint32_t size);
/* Offset and SavedOffset of the buffer at `start`. */
void put_offsets(test_file *f, size_t start, uint32_t offset, uint32_t saved_offset);
/*
 * Header buffer, a buffer of three events, and one of one event, all of THREE_SIZE bytes; the middle one may be compressed.
 * Returns the file offset of the middle one. Frees what `f` held before.
 */
size_t make_three_buffers(test_file *f, bool compressed);
/* Marks the last buffer as compressed: its events become the literals of an XPRESS stream, and it ends with the stream. */
void compress_buffer(test_file *f);

/* The outcome of one decode, in order, up to RUN_MOST of each kind. Its spans are stale. */
typedef struct run {
    size_t buffers, events, gaps, findings, scratch_count;
    size_t scratch_size; /* the largest that the reader asked for */
    etl_buffer buffer[RUN_MOST];
    etl_event event[RUN_MOST];
    etl_region gap[RUN_MOST];
    etl_finding finding[RUN_MOST];
    etl_tiling tiling;
    etl_logfile logfile;
    etl_context context;
    uint64_t log[RUN_LOG]; /* every outcome with its numbers */
    size_t logged;
    const char *fault;     /* the first promise that the decode broke; NULL if it kept them all */
} run;

/*
 * Decodes `file`. With `growth` 0 in one window; else in windows of the size that the reader asks for, rounded up to a
 * multiple of `growth`. With `late`, `last` is set only when the reader asks for more than there is.
 */
void run_windows(run *r, etl_span file, size_t growth, bool late, etl_limits limits);
/* In one window, with the default limits. */
void run_file(run *r, etl_span file);

size_t count_rule(const run *r, etl_rule rule);
/* The first finding of a rule; NULL if there is none. */
const etl_finding *find_rule(const run *r, etl_rule rule);
/* An event starts at this offset of the file. */
bool has_event(const run *r, size_t offset);
/* Findings of this severity or worse. */
size_t count_severe(const run *r, etl_severity severity);
/* Prints the findings, for a failed check. */
void print_findings(const run *r);

#endif
