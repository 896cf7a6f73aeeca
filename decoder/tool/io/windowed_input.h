/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file, a range of a file, standard input or bytes in memory, as windows that only move forward. Memory does not grow
 * with the file.
 */
#ifndef ETLPROOF_IO_WINDOWED_INPUT_H
#define ETLPROOF_IO_WINDOWED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"

/* Bytes kept of the start, to recognise other file formats (io/sniff.h). */
#define TOOL_INPUT_HEAD 64u

typedef struct tool_input {
    const char *name;  /* as given: a path, or "-" */
    const char *title; /* for messages */
    int file;          /* descriptor */
    void *stream;      /* FILE, on systems without descriptors */
    bool size_known;   /* `size` is the size of the input; otherwise, the bytes read so far */
    uint64_t size;
    uint64_t start;    /* file offset of the first byte of the input */
    uint64_t most;     /* bytes of the input at most: those of the range, or UINT64_MAX */
    bool mapped;
    bool all;          /* the whole of it is one mapping */
    bool view;         /* the file belongs to another input */
    bool memory;       /* `bytes` are the input */
    etl_span bytes;
    size_t step;       /* bytes of a window, at least, of memory or a mapped file */
    uint8_t *at;       /* the mapping, or the memory for windows */
    size_t capacity;   /* bytes of that memory */
    uint64_t offset;   /* file offset of its first byte */
    size_t filled;     /* bytes of it that hold input */
    uint8_t head[TOOL_INPUT_HEAD];
    size_t head_size;
} tool_input;

/* Opens a path, or standard input for "-". On failure returns false and prints the reason on standard error. */
bool tool_input_open(tool_input *input, const char *name);

/* Opens `size` bytes at `start` of a file, or those that the file has, as if they were a whole file. */
bool tool_input_open_range(tool_input *input, const char *name, uint64_t start, uint64_t size);

/*
 * Opens `bytes`, which must outlive the input. Each window has `step` bytes, or more if requested, in a heap block of
 * exactly that size, so that a sanitizer detects a read behind its end or of an old window.
 */
void tool_input_open_memory(tool_input *input, const char *title, etl_span bytes, size_t step);

/*
 * Opens a second view of an input, which must outlive it, from its start. Its windows are its own: another thread may use
 * it. False if the input can be read once only.
 */
bool tool_input_open_view(tool_input *view, const tool_input *input);

/* Begins the input again, as a range of its file or of its bytes in memory. On failure like tool_input_open. */
bool tool_input_reopen(tool_input *input, uint64_t start, uint64_t size);

/*
 * Serves the window at `offset`: at least `want` bytes, or `*last` is set. Offsets never decrease. The previous window
 * becomes invalid. On a read error returns false and prints the reason on standard error.
 */
bool tool_input_serve(tool_input *input, uint64_t offset, size_t want, etl_span *window, bool *last);

/*
 * Maps a file at once, before its first window: all windows then stay valid until the input is closed. False if the input
 * is not mapped, or the system refuses; the input is then as it was.
 */
bool tool_input_map_all(tool_input *input);

/* This thread will read windows of an input that another one serves, and that is mapped at once. */
void tool_input_share(const tool_input *input);

/* Reads bytes at any offset. Returns their number; 0 if the input cannot go back. */
size_t tool_input_peek(const tool_input *input, uint64_t offset, uint8_t *bytes, size_t size);

void tool_input_close(tool_input *input);

#endif
