/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payload of an event as named fields, by the metadata that the event carries. This step of the decode turns an event
 * into fields; it is a library of its own, etlproof-payload.
 *
 *     etl_metadata metadata;
 *     etl_payload payload;
 *     if (etl_metadata_read(event, &metadata)) {
 *         etl_payload_init(&payload, event, &metadata);
 *         while ((step = etl_payload_next(&payload, event, &findings)) != ETL_PAYLOAD_END)
 *             ... payload.field, payload.value
 *     }
 *
 * Source: TraceLoggingProvider.h; microsoft/tracelogging.
 */
#ifndef ETLPROOF_PAYLOAD_H
#define ETLPROOF_PAYLOAD_H

#include <stdbool.h>

#include "etlproof/bytes.h"
#include "etlproof/event.h"
#include "etlproof/finding.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* How a value states its size. */
typedef enum etl_value_form {
    ETL_VALUE_FORM_NONE,    /* no value has this in-type */
    ETL_VALUE_FORM_FIXED,   /* by its in-type */
    ETL_VALUE_FORM_POINTER, /* the event's pointer size */
    ETL_VALUE_FORM_UTF16Z,  /* 16-bit units up to a NUL, or to the end of the payload (PAY-003) */
    ETL_VALUE_FORM_ANSIZ,   /* the same with bytes */
    ETL_VALUE_FORM_COUNTED, /* a u16 in front: bytes that follow it */
    ETL_VALUE_FORM_SID,     /* 8 bytes, and 4 for each sub-authority */
    ETL_VALUE_FORM_STRUCT   /* its members */
} etl_value_form;

enum etl_in_type {
#define ETL_IN_TYPE(value, name, form, size, source) ETL_IN_TYPE_##name = (value),
#include "format/payload/in_types.def"
};

enum etl_out_type {
#define ETL_OUT_TYPE(value, name, form, sizes, source) ETL_OUT_TYPE_##name = (value),
#include "format/payload/out_types.def"
};

/* NULL if the tables have no such type. */
/*@ assigns \nothing; */
const char *etl_in_type_name(uint16_t type);
/*@ assigns \nothing; */
const char *etl_out_type_name(uint16_t type);

/* The number of elements that a field has. */
typedef enum etl_count_form {
    ETL_COUNT_FORM_SINGLE, /* one value, no array */
    ETL_COUNT_FORM_FIXED,  /* the metadata states it */
    ETL_COUNT_FORM_STORED, /* a u16 in front of the elements states it */
    ETL_COUNT_FORM_CUSTOM  /* an encoding of the writer's own: cannot be read */
} etl_count_form;

/* A field as the metadata describes it. */
typedef struct etl_field {
    etl_span name;     /* UTF-8, without the NUL */
    uint16_t in_type;  /* a row of in_types.def, or an unknown number */
    uint16_t out_type; /* a row of out_types.def, 0 for none, or an unknown number */
    uint32_t tag;      /* 28 bits */
    etl_count_form count_form;
    uint16_t count;    /* of a FIXED array */
    uint16_t members;  /* of a STRUCT */
    uint32_t at;       /* of its description, from the start of the event */
} etl_field;

/* What describes the payload of an event. */
typedef struct etl_metadata {
    etl_span event_name;    /* UTF-8, without the NUL */
    etl_span provider_name; /* likewise; empty if the event does not have it */
    etl_span fields;        /* TraceLogging: the descriptions of the fields, one after another */
    uint32_t fields_at;     /* of these, from the start of the event */
} etl_metadata;

/* False if the event carries no metadata, or if its metadata does not fit in its item (PAY-001). */
bool etl_metadata_read(const etl_event *event, etl_metadata *metadata);

/* Arrays and structures in one another: a limit of the decoder, since the format has none (MET-003). */
#define ETL_PAYLOAD_DEPTH_MAX 20

typedef enum etl_payload_step {
    ETL_PAYLOAD_VALUE,  /* a value of `field`: of a single field, or an element of the open array */
    ETL_PAYLOAD_ARRAY,  /* the elements of `field` follow, up to a CLOSE */
    ETL_PAYLOAD_STRUCT, /* the members of `field` follow, up to a CLOSE */
    ETL_PAYLOAD_CLOSE,  /* the innermost open array or structure ends: `offset` and `size` are its own */
    ETL_PAYLOAD_END     /* no further field */
} etl_payload_step;

/* An open array or structure. */
typedef struct etl_payload_level {
    etl_field field;
    bool elements;    /* of an array, which has `field` as its elements; otherwise the members of a structure */
    uint32_t left;    /* of them, still to come */
    uint32_t members; /* where the members of `field` start in metadata.fields */
    uint32_t next;    /* where the description of the next member starts; of an array: of what follows it */
    uint32_t start;   /* from the start of the event */
} etl_payload_level;

/* An iterator over the fields of a payload. */
typedef struct etl_payload {
    /* The last step. */
    etl_field field;
    etl_span value;  /* VALUE: its bytes, without the count in front of it and the NUL behind it */
    uint32_t offset; /* VALUE, CLOSE: from the start of the event */
    uint32_t size;   /* VALUE, CLOSE: with count and NUL */
    /* After the end: false if a field that the metadata describes could not be read. Bytes from `at` on have no field. */
    bool whole;
    uint32_t at;     /* of the next value, from the start of the event */

    etl_metadata metadata;
    uint32_t end;    /* of the payload, from the start of the event */
    uint32_t work;   /* that may still be done (MET-004) */
    uint32_t depth;
    etl_payload_level levels[ETL_PAYLOAD_DEPTH_MAX + 1]; /* the first is the event itself */
} etl_payload;

void etl_payload_init(etl_payload *payload, const etl_event *event, const etl_metadata *metadata);

/*
 * The next step. A value that cannot be read ends the payload: what is open is closed, and the rest of the bytes has no
 * field. `event` is the one of the start.
 * Findings, at most one in all: PAY-007, PAY-008, MET-001 to MET-004.
 */
etl_payload_step etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings);

ETL_C_END

#endif
