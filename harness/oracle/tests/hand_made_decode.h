/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decode made by hand that keeps every promise, into which tests inject one fault at a time. Its file is two buffers with
 * one event each, of 20 bytes and four of padding. The first ends with the padding; the second has slack longer than a
 * buffer header. Faults are mostly in the second buffer, so that no offset is the same as at the start of the file.
 */
#ifndef ETLPROOF_TEST_ORACLE_HAND_MADE_DECODE_H
#define ETLPROOF_TEST_ORACLE_HAND_MADE_DECODE_H

#include "oracle.h"
#include "oracle_test.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define EVENT_SIZE (ETL_SIZE(PERFINFO_TRACE_HEADER) + 4u)
#define PADDING 4u
#define GAP_AT (EVENT_AT + EVENT_SIZE + PADDING)
#define FIRST_SIZE GAP_AT
#define BUFFER_SIZE 0xB8u
/* The sizes in the file of the same buffers compressed, which inflate to FIRST_SIZE and BUFFER_SIZE. */
#define FIRST_COMPRESSED_SIZE 0x50u
#define COMPRESSED_SIZE 0x68u

typedef struct played_decode {
    oracle_watch oracle;
    etl_reader reader;
    etl_outcome outcome; /* of the next step */
    bool last;           /* the end follows the next step */
    uint64_t size;       /* of the file */
    uint64_t buffers, events;
    uint8_t first[FIRST_SIZE], data[BUFFER_SIZE]; /* the buffers, or what they inflate to */
} played_decode;

/* Injects a fault into the next step. */
typedef void played_spoiler(played_decode *s);

/* The steps of the decode in order; names without FIRST are of the second buffer. */
typedef enum played_step {
    STEP_NEVER,
    STEP_FIRST,
    STEP_FIRST_EVENT,
    STEP_BUFFER,
    STEP_EVENT,
    STEP_GAP,
    STEP_END
} played_step;

/* A fault, and the promise that it must break; ORACLE_PROMISE_COUNT: none. */
typedef struct played_row {
    const char *what;
    oracle_promise promise;
    played_step when;
    played_spoiler *spoil;
    bool compressed;
} played_row;

/* Plays the decode with a fault in the step `when`, and returns the promise that was broken. */
oracle_promise played_play(played_decode *s, played_step when, played_spoiler *spoil, bool compressed);
/* Plays all rows, prints whether each broke its promise, and records the broken promises. */
void played_judge(const played_row *rows, size_t count, bool fired[ORACLE_PROMISE_COUNT]);

/* Offset of a byte of the buffer, in the space of its events. */
uint64_t played_place(const played_decode *s, uint32_t at);
/* Makes the next step open a buffer: `size` bytes at `offset` of the file, which inflate to `inflated`; 0: plain. */
void played_open(played_decode *s, uint64_t offset, const uint8_t *bytes, size_t size, size_t inflated);
/* Plays an extra step with the current state of the reader. */
void played_step_now(played_decode *s, etl_outcome outcome);
/* Sets Offset and SavedOffset of the second buffer. */
void played_extent(played_decode *s, uint8_t offset, uint8_t saved_offset);
/* Adds a finding to the next step: an error at the start of the file, without loss. */
etl_finding *played_finding(played_decode *s);
/* Makes the gap damaged, with a finding that reports `lost` bytes as lost. */
void played_damage(played_decode *s, uint64_t lost);

#endif
