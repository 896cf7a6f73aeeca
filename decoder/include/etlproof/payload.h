/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payload of an event as named fields, by the metadata that the event carries (TraceLogging), or by that which another
 * event of the trace carries (schemas.h). This step of the decode turns an event into fields; it is a library of its own,
 * etlproof-payload.
 *
 *     etl_metadata metadata;
 *     etl_payload payload;
 *     if (etl_metadata_read(event, &metadata) || etl_schemas_find(schemas, event, &metadata)) {
 *         etl_payload_init(&payload, event, &metadata);
 *         while ((step = etl_payload_next(&payload, event, &findings)) != ETL_PAYLOAD_END)
 *             ... payload.field, payload.value
 *     }
 *
 * Source: TraceLoggingProvider.h; tdh.h; microsoft/tracelogging.
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
    ETL_VALUE_FORM_WBEMSID, /* a u32 of 0; or a TOKEN_USER of two pointers, and a SID */
    ETL_VALUE_FORM_STRUCT   /* its members */
} etl_value_form;

enum etl_in_type {
#define ETL_IN_TYPE(value, name, form, size, source) ETL_IN_TYPE_##name = (value),
#include "format/payload/in_types.def"
};

/* The rows of out_types.def. */
enum etl_out_type {
    ETL_OUT_TYPE_NONE,
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) ETL_OUT_TYPE_##name,
#include "format/payload/out_types.def"
    ETL_OUT_TYPE_COUNT
};

/* NULL if the tables have no such type. */
/*@ assigns \nothing; */
const char *etl_in_type_name(uint16_t type);
/*@ assigns \nothing; */
const char *etl_out_type_name(uint16_t type);

/* The number of elements that a field has. */
typedef enum etl_count_form {
    ETL_COUNT_FORM_SINGLE,   /* one value, no array */
    ETL_COUNT_FORM_FIXED,    /* the metadata states it */
    ETL_COUNT_FORM_STORED,   /* a u16 in front of the elements states it */
    ETL_COUNT_FORM_PROPERTY, /* the value of an earlier field states it */
    ETL_COUNT_FORM_REST,     /* as many as lie in front of the end of the payload */
    ETL_COUNT_FORM_CUSTOM    /* an encoding of the writer's own: cannot be read */
} etl_count_form;

/* The size of a value that its in-type leaves open. */
typedef enum etl_size_form {
    ETL_SIZE_FORM_TYPE,    /* as the in-type does it */
    ETL_SIZE_FORM_FIXED,   /* the metadata states it */
    ETL_SIZE_FORM_PROPERTY /* the value of an earlier field states it */
} etl_size_form;

/* A field as the metadata describes it. */
typedef struct etl_field {
    etl_span name;       /* without the NUL; in the encoding of its metadata */
    uint16_t in_type;    /* a row of in_types.def, or an unknown number */
    uint16_t out_type;   /* a row of out_types.def; NONE: none, or an unknown number */
    uint16_t out_number; /* as the metadata states it */
    uint32_t tag;        /* 28 bits */
    etl_count_form count_form;
    uint32_t count;      /* FIXED: of elements; PROPERTY and REST: the same, once etl_payload_next returned the field */
    etl_size_form size_form;
    uint32_t size;       /* FIXED: units of a string, or bytes; PROPERTY: as above */
    bool optional;       /* it may be missing at the end of the payload */
    uint16_t members;    /* of a STRUCT */
    uint32_t members_at; /* of a STRUCT: where the first of them is described (etl_metadata_field) */
    uint32_t at;         /* from the start of the event: TRACELOGGING: of its description; otherwise of its value */
    etl_span map;        /* name of the map of its values (schemas.h), UTF-16; empty if it has none */
} etl_field;

/* The kinds of metadata, and the encoding of all names in them. */
typedef enum etl_metadata_form {
    ETL_METADATA_FORM_TRACELOGGING, /* UTF-8 */
    ETL_METADATA_FORM_EVENT_INFO,   /* UTF-16 */
    ETL_METADATA_FORM_CLASSIC       /* ASCII: a row of classic_events.def */
} etl_metadata_form;

/* What describes the payload of an event. Names are without NUL, and empty where the metadata does not have them. */
typedef struct etl_metadata {
    etl_metadata_form form;
    etl_span event_name;    /* EVENT_INFO: of the event, or else of its task; CLASSIC: of the group */
    etl_span opcode_name;
    etl_span provider_name;
    etl_span fields;        /* their descriptions, one after another */
    uint32_t fields_at;     /* TRACELOGGING: of these, from the start of the event */
    uint32_t fields_count;  /* EVENT_INFO: those outside of structures, which come first; CLASSIC: all */
    uint32_t rows;          /* CLASSIC: the first of its rows */
    etl_span info;          /* EVENT_INFO: the whole TRACE_EVENT_INFO */
    uint32_t process;       /* EVENT_INFO: whose maps its fields have, as for etl_schemas_add */
} etl_metadata;

/*@ predicate etl_event_parts{L}(etl_event *event) =
  @   \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1)) &&
  @   event->header_size + event->items_size + event->data_size <= INT32_MAX;
  @
  @ predicate etl_metadata_readable{L}(etl_metadata *m) =
  @   \valid_read(m) && \valid_read(m->fields.at + (0 .. m->fields.size - 1)) &&
  @   \valid_read(m->info.at + (0 .. m->info.size - 1)) &&
  @   (m->form == ETL_METADATA_FORM_TRACELOGGING ==>
  @     m->fields.size <= UINT16_MAX && m->fields_at <= UINT32_MAX - UINT16_MAX); */

/* False if the event carries no metadata, or if its metadata does not fit in its item (PAY-001). */
/*@ requires etl_event_parts(event) && \valid(metadata) && \separated(metadata, event);
  @ requires \separated(metadata, event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns *metadata;
  @ ensures etl_metadata_readable(metadata); */
bool etl_metadata_read(const etl_event *event, etl_metadata *metadata);

/* False if the event is not a classic one of classic_events.def: of another hook, class, type or version. */
/*@ requires etl_event_parts(event) && \valid(metadata) && \separated(metadata, event);
  @ assigns *metadata;
  @ ensures \result ==> etl_metadata_readable(metadata); */
bool etl_metadata_classic(const etl_event *event, etl_metadata *metadata);

/* EVENT_INFO, CLASSIC: the description of field number `index`. False if there is none. */
/*@ requires etl_metadata_readable(metadata) && \valid(field) && \separated(metadata, field);
  @ assigns *field; */
bool etl_metadata_field(const etl_metadata *metadata, uint32_t index, etl_field *field);

/* Arrays and structures in one another: a limit of the decoder, since the format has none (MET-003). */
#define ETL_PAYLOAD_DEPTH_MAX 20

/* The first fields, whose values may be the count or the size of others: a limit of the decoder (MET-006). */
#define ETL_PAYLOAD_NUMBERS_MAX 256

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
    uint32_t next;    /* where the next member is described (etl_metadata_field); of an array: what follows it */
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
    uint32_t numbers[ETL_PAYLOAD_NUMBERS_MAX]; /* values of the integers that were read, plus 1; 0: none */
} etl_payload;

/*@ predicate etl_payload_open{L}(etl_payload *p) =
  @   \valid(p) && etl_metadata_readable(&p->metadata) && 1 <= p->depth <= ETL_PAYLOAD_DEPTH_MAX + 1 && p->at <= p->end; */

/*@ requires etl_event_parts(event) && etl_metadata_readable(metadata) && \valid(payload);
  @ requires \separated(payload, event, metadata);
  @ assigns *payload;
  @ ensures etl_payload_open(payload); */
void etl_payload_init(etl_payload *payload, const etl_event *event, const etl_metadata *metadata);

/*
 * The next step. A value that cannot be read ends the payload: what is open is closed, and the rest of the bytes has no
 * field. `event` is the one of the start.
 * Findings, at most one in all: PAY-007, PAY-008, MET-001 to MET-006.
 */
/*@ requires etl_payload_open(payload);
  @ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ requires \valid(findings) && findings->count <= ETL_FINDINGS_MAX && \separated(payload, event, findings);
  @ assigns *payload, *findings;
  @ ensures etl_payload_open(payload) && findings->count <= ETL_FINDINGS_MAX;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> \valid_read(payload->value.at + (0 .. payload->value.size - 1));
  @ ensures \result != ETL_PAYLOAD_END ==> payload->work + payload->depth < \old(payload->work + payload->depth); */
etl_payload_step etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings);

/* After VALUE: the value as its 32 bits, if it is an integer of at most that size. False otherwise. */
/*@ requires \valid_read(payload) && \valid_read(payload->value.at + (0 .. payload->value.size - 1)) && \valid(number);
  @ assigns *number; */
bool etl_payload_number(const etl_payload *payload, uint32_t *number);

ETL_C_END

#endif
