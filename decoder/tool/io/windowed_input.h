/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a file, standard input, or bytes in memory, as windows that only move forward. Memory does not grow with the file.
 */
#ifndef ETLPROOF_INPUT_H
#define ETLPROOF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"

/* Bytes of the start that are kept, to tell what a file is that is no ETL file. */
#define TOOL_INPUT_HEAD 64u

typedef struct tool_input {
    const char *name;  /* as given: a path, or "-" */
    const char *title; /* for messages */
    int file;          /* descriptor; standard input's where there are none */
    void *stream;      /* FILE, where there are no descriptors */
    bool size_known;   /* `size` is that of the file, and not only of what was read so far */
    uint64_t size;
    bool mapped;
    bool memory;       /* `bytes` are the input, `step` of them a window */
    etl_span bytes;
    size_t step;
    uint8_t *at;       /* the mapping, or the memory that windows are read into */
    size_t capacity;   /* bytes of it */
    uint64_t offset;   /* of its first byte in the file */
    size_t filled;     /* bytes of it that hold input */
    uint8_t head[TOOL_INPUT_HEAD];
    size_t head_size;
} tool_input;

/* Opens a path, or standard input for "-". False if it cannot be read; standard error says why. */
bool tool_input_open(tool_input *input, const char *name);

/*
 * Opens `bytes`, which have to stay. A window has `step` of them, or as many as it is asked for, and lies in a block of its
 * own of that size: a sanitizer sees a read past its end, or of a window that is gone.
 */
void tool_input_open_memory(tool_input *input, const char *title, etl_span bytes, size_t step);

/*
 * The window from `offset` on: `want` bytes or more, or else `last`. Offsets never decrease. The window before is gone.
 * False on a read error; standard error says why.
 */
bool tool_input_serve(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last);

/* Reads bytes anywhere, window or not; returns how many. 0 where input cannot go back. */
size_t tool_input_peek(const tool_input *input, uint64_t offset, uint8_t *bytes, size_t size);

void tool_input_close(tool_input *input);

#endif
