/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the input of a fuzz target is. Targets take it apart, the mutator changes it by its structure, and the carver makes
 * such inputs of whole files; all three by what is said here.
 *
 * A part of a file starts with INPUT_CONTEXT_SIZE bytes that say what of the file it takes to read it:
 *
 *     offset  size  what
 *     0       1     bits, enum input_bit; others are not read
 *     1       1     the shape of buffer headers, enum etl_buffer_shape: the low two bits
 *     2       2     not read
 *     4       3     STREAM: bytes of room to inflate to, little-endian; else not read
 *     7       1     not read
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

/* The kinds; inputs.def says of each what it is. */
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

/* What the first bytes of a part say. */
typedef struct input_context {
    etl_context events;
    etl_buffer_shape shape;
    uint32_t inflated_size; /* of INPUT_INFLATED_SIZE_BYTES bytes */
} input_context;

bool input_has_context(input_kind input);
input_context input_context_read(const uint8_t bytes[INPUT_CONTEXT_SIZE]);
void input_context_write(const input_context *context, uint8_t bytes[INPUT_CONTEXT_SIZE]);

/* The kind by its name in lower case, as people type it; upper case will do too. False if there is none of that name. */
bool input_find(const char *name, input_kind *input);

/* All names, for messages: "file, buffer, event, ..." */
const char *input_names(void);

#endif
