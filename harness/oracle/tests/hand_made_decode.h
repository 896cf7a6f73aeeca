/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decode made up by hand, in which every promise holds, to be spoiled in one way at a time. Its file is two buffers with
 * one event each, of 20 bytes and four of padding: the first ends with that, the second has slack of more than a buffer's
 * header. What is spoiled is mostly of the second, so that nothing is where it would be if the file began there.
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
/* The same as compressed buffers: what is in the file is this long, and inflates to FIRST_SIZE and BUFFER_SIZE. */
#define FIRST_COMPRESSED_SIZE 0x50u
#define COMPRESSED_SIZE 0x68u

typedef struct scene {
    oracle_watch oracle;
    etl_reader reader;
    etl_outcome outcome; /* of the step to come */
    bool last;           /* the step to come is followed by the end */
    uint64_t size;       /* of the file */
    uint64_t buffers, events;
    uint8_t first[FIRST_SIZE], data[BUFFER_SIZE]; /* the buffers, or what they inflate to */
} scene;

/* Spoils the step to come. */
typedef void scene_spoiler(scene *s);

/* The steps of the decode, one after the other; the plain names are of the second buffer. */
typedef enum scene_step {
    SCENE_NEVER,
    SCENE_FIRST,
    SCENE_FIRST_EVENT,
    SCENE_BUFFER,
    SCENE_EVENT,
    SCENE_GAP,
    SCENE_END
} scene_step;

/* One way to spoil the decode, and the promise that is to be broken by it; ORACLE_PROMISE_COUNT: none. */
typedef struct scene_row {
    const char *what;
    oracle_promise promise;
    scene_step when;
    scene_spoiler *spoil;
    bool compressed;
} scene_row;

/* Plays the decode, the step `when` spoiled, and returns the promise that was broken. */
oracle_promise scene_play(scene *s, scene_step when, scene_spoiler *spoil, bool compressed);
/* Plays all rows, says of each whether it broke what it has to, and notes the promises that were broken. */
void scene_judge(const scene_row *rows, size_t count, bool fired[ORACLE_PROMISE_COUNT]);

/* Offset, in the space of its events, of a byte of the buffer. */
uint64_t scene_place(const scene *s, uint32_t at);
/* The step to come opens the next buffer: `size` bytes at `offset` of the file, which inflate to `inflated`; 0: plain. */
void scene_open(scene *s, uint64_t offset, const uint8_t *bytes, size_t size, size_t inflated);
/* A step in between, of what the reader has been made to say. */
void scene_step_now(scene *s, etl_outcome outcome);
/* States Offset and SavedOffset of the second buffer. */
void scene_extent(scene *s, uint8_t offset, uint8_t saved_offset);
/* A finding more of the step to come: an error at the start of the file that lost nothing. */
etl_finding *scene_finding(scene *s);
/* Calls the gap damaged, and a finding there tells of so many bytes that are lost. */
void scene_damage(scene *s, uint64_t lost);

#endif
