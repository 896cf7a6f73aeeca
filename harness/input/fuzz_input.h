/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of fuzz targets: targets read them, the mutator changes them by their structure, and etlproof-carve makes them
 * from whole files.
 *
 * An input that is only a part of a file starts with a context of INPUT_CONTEXT_SIZE bytes: what the decoder must know of
 * the file to read the part.
 *
 *     offset  size  what
 *     0       1     bits, enum input_bit; other bits are ignored
 *     1       1     the shape of buffer headers, enum etl_buffer_shape: the low two bits
 *     2       2     ignored
 *     4       3     STREAM: the size to inflate to, little-endian; otherwise ignored
 *     7       1     ignored
 */
#ifndef ETLPROOF_INPUT_FUZZ_INPUT_H
#define ETLPROOF_INPUT_FUZZ_INPUT_H

#include <stdbool.h>

#include "etlproof/logfile.h"

#define INPUT_CONTEXT_SIZE 8u
#define INPUT_BITS_AT 0u
#define INPUT_SHAPE_AT 1u
#define INPUT_INFLATED_SIZE_AT 4u
#define INPUT_INFLATED_SIZE_BYTES 3u

/* The kinds of input; inputs.def describes each. */
typedef enum input_kind {
#define INPUT_KIND(name, context, structure, what) INPUT_##name,
#include "inputs.def"
    INPUT_COUNT
} input_kind;

/* The members of etl_context, a bit each, the lowest first. */
typedef enum input_bit {
    INPUT_POINTERS_64, /* pointer_size is 8; else 4 */
    INPUT_KNOWN,
    INPUT_INSTANCE_GUID,
    INPUT_THREAD_ID_64,
    INPUT_COMPACT_ALLOWED,
    INPUT_PROCESSOR_TIME,
    INPUT_BIT_COUNT
} input_bit;

/* The first bytes of an input that has a context. */
typedef struct input_context {
    etl_context events;
    etl_buffer_shape shape;
    uint32_t inflated_size; /* of INPUT_INFLATED_SIZE_BYTES bytes */
} input_context;

bool input_has_context(input_kind input);
input_context input_context_read(const uint8_t bytes[INPUT_CONTEXT_SIZE]);
void input_context_write(const input_context *context, uint8_t bytes[INPUT_CONTEXT_SIZE]);

/* Finds a kind by its name, in lower or upper case. False if there is no such kind. */
bool input_find(const char *name, input_kind *input);

/* All names, for messages: "file, buffer, event, ..." */
const char *input_names(void);

#endif
