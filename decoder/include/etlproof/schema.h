/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-description of an event: TraceLogging metadata (item EVENT_SCHEMA_TL) and provider traits (item PROV_TRAITS).
 * Source: TraceLoggingProvider.h; Chappell; 34,000 real items.
 */
#ifndef ETLPROOF_SCHEMA_H
#define ETLPROOF_SCHEMA_H

#include "etlproof/bytes.h"
#include "etlproof/guid.h"
#include "etlproof/linkage.h"

#include <stdbool.h>

ETL_C_BEGIN

/* The largest number of fields that are read of one event: a limit of the decoder, since the format has none. */
#define ETL_SCHEMA_FIELDS_MAX 4096

typedef struct etl_schema {
    uint32_t tag;   /* 28 bits: the low seven of the first four tag bytes */
    etl_span name;  /* UTF-8, without the NUL */
    etl_span fields; /* the rest */
} etl_schema;

typedef struct etl_schema_field {
    etl_span name;     /* UTF-8, without the NUL */
    uint8_t in_type;   /* with the count bits 0x60, without the chain bit 0x80 */
    uint8_t out_type;  /* low seven bits; for a STRUCT the number of its members */
    uint32_t tag;
    uint16_t count;    /* of a constant-count array, else 0 */
} etl_schema_field;

/* False if the metadata does not fit in `data` (PAY-001). */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && \valid(schema);
  @ assigns *schema;
  @ ensures \result ==> \valid_read(schema->fields.at + (0 .. schema->fields.size - 1));
  @ ensures \result ==> schema->fields.size + 2 <= data.at[0] + 0x100 * data.at[1] <= data.size; */
bool etl_schema_read(etl_span data, etl_schema *schema);
/* Takes the next field off `rest`, which starts as schema.fields. False at the end; false with `rest` not empty at a
 * fault. */
/*@ requires \valid(rest) && \valid(field) && \separated(rest, field) && \valid_read(rest->at + (0 .. rest->size - 1));
  @ assigns *rest, *field;
  @ ensures \valid_read(rest->at + (0 .. rest->size - 1));
  @ ensures \result ==> rest->size < \old(rest->size); */
bool etl_schema_next(etl_span *rest, etl_schema_field *field);

typedef struct etl_traits {
    etl_span name;   /* UTF-8 provider name, without the NUL */
    bool has_group, has_decode;
    etl_guid group;  /* trait 1: provider group */
    etl_guid decode; /* trait 2: decode GUID */
} etl_traits;

/* False if the traits do not fit in `data` (PAY-001). */
/*@ requires \valid_read(data.at + (0 .. data.size - 1)) && \valid(traits);
  @ assigns *traits; */
bool etl_traits_read(etl_span data, etl_traits *traits);

ETL_C_END

#endif
