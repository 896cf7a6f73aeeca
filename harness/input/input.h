/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the input of a fuzz target is. Targets take it apart, the mutator changes it by its structure, and the carver makes
 * such inputs of whole files; all three by what is said here.
 *
 * A part of a file starts with ETL_INPUT_CONTEXT_SIZE bytes that say what of the file it takes to read it:
 *
 *     offset  size  what
 *     0       1     bits, enum etl_input_bit; others are not read
 *     1       1     the shape of buffer headers, enum etl_buffer_shape: the low two bits
 *     2       2     not read
 *     4       3     STREAM: bytes of room to inflate to, little-endian; else not read
 *     7       1     not read
 */
#ifndef ETLPROOF_INPUT_H
#define ETLPROOF_INPUT_H

#include <stdbool.h>

#include "etlproof/logfile.h"

#define ETL_INPUT_CONTEXT_SIZE 8u
#define ETL_INPUT_BITS_AT 0u
#define ETL_INPUT_SHAPE_AT 1u
#define ETL_INPUT_ROOM_AT 4u
#define ETL_INPUT_ROOM_SIZE 3u

/* The kinds; inputs.def says of each what it is. */
typedef enum etl_input {
#define ETL_INPUT(name, context, structure, what) ETL_INPUT_##name,
#include "inputs.def"
    ETL_INPUT_COUNT
} etl_input;

/* The members of etl_context, a bit each, the lowest first. */
typedef enum etl_input_bit {
    ETL_INPUT_POINTERS_64, /* pointer_size is 8; else 4 */
    ETL_INPUT_KNOWN,
    ETL_INPUT_INSTANCE_GUID,
    ETL_INPUT_THREAD_ID_64,
    ETL_INPUT_COMPACT_ALLOWED,
    ETL_INPUT_PROCESSOR_TIME,
    ETL_INPUT_BIT_COUNT
} etl_input_bit;

/* What the first bytes of a part say. */
typedef struct etl_input_context {
    etl_context events;
    etl_buffer_shape shape;
    uint32_t room; /* of ETL_INPUT_ROOM_SIZE bytes */
} etl_input_context;

bool etl_input_has_context(etl_input input);
etl_input_context etl_input_context_read(const uint8_t bytes[ETL_INPUT_CONTEXT_SIZE]);
void etl_input_context_write(const etl_input_context *context, uint8_t bytes[ETL_INPUT_CONTEXT_SIZE]);

/* The kind by its name in lower case, as people type it; upper case will do too. False if there is none of that name. */
bool etl_input_find(const char *name, etl_input *input);

/* All names, for messages: "file, buffer, event, ..." */
const char *etl_input_names(void);

#endif
