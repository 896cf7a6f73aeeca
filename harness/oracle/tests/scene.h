/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decode made up by hand, in which every promise holds, to be spoiled in one way at a time. Its file is a buffer with one
 * event of 20 bytes, four of padding, and slack of more than a buffer's header.
 */
#ifndef ETLPROOF_SCENE_H
#define ETLPROOF_SCENE_H

#include "oracle.h"
#include "oracle_test.h"

#define FILE_SIZE 0xB8u
#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define EVENT_SIZE (ETL_SIZE(PERFINFO_TRACE_HEADER) + 4u)
#define PADDING 4u
#define GAP_AT (EVENT_AT + EVENT_SIZE + PADDING)
/* The same as a compressed buffer: what is in the file is this long, and inflates to FILE_SIZE. */
#define COMPRESSED_SIZE 0x70u

typedef struct scene {
    etl_oracle oracle;
    etl_reader reader;
    etl_outcome outcome;     /* of the step to come */
    uint8_t file[FILE_SIZE]; /* or what the compressed buffer inflates to */
} scene;

/* Spoils the step to come. */
typedef void scene_spoiler(scene *s);

/* The steps of the decode, one after the other. */
typedef enum scene_step { SCENE_NEVER, SCENE_BUFFER, SCENE_EVENT, SCENE_GAP, SCENE_END } scene_step;

/* One way to spoil the decode, and the promise that is to be broken by it; ETL_PROMISE_COUNT: none. */
typedef struct scene_row {
    const char *what;
    etl_promise promise;
    scene_step when;
    scene_spoiler *spoil;
    bool compressed;
} scene_row;

/* Plays the decode, the step `when` spoiled, and returns the promise that was broken. */
etl_promise scene_play(scene *s, scene_step when, scene_spoiler *spoil, bool compressed);
/* Plays all rows, says of each whether it broke what it has to, and notes the promises that were broken. */
void scene_judge(const scene_row *rows, size_t count, bool fired[ETL_PROMISE_COUNT]);

/* States Offset and SavedOffset of the buffer. */
void scene_extent(scene *s, uint8_t offset, uint8_t saved_offset);
/* A finding more of the step to come: an error at the start of the file that lost nothing. */
etl_finding *scene_finding(scene *s);
/* Calls the gap damaged, and a finding there tells of so many bytes that are lost. */
void scene_damage(scene *s, uint64_t lost);

#endif
