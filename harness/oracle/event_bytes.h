/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of an event as the oracles read it from its first bytes.
 */
#ifndef ETLPROOF_ORACLE_EVENT_BYTES_H
#define ETLPROOF_ORACLE_EVENT_BYTES_H

#include "etlproof/event.h"

typedef struct oracle_event_form {
    etl_layout layout; /* ETL_LAYOUT_COUNT: the bytes start no event */
    uint8_t type;      /* HeaderType, or that of the marker */
    bool wnode;        /* the first dword is the size of a WNODE_HEADER */
    bool stored;       /* layout OPAQUE: of a type that files hold, though its layout is unpublished */
    uint8_t size_at;   /* offset of Size */
    uint8_t time_at;   /* offset of the time stamp; 0: at no fixed place */
    uint32_t size;     /* as stated */
    uint32_t header;   /* bytes of the layout */
    uint32_t least;    /* the smallest size of this form */
} oracle_event_form;

/* `b` has eight bytes. Of `context` only `instance_guid` counts. */
oracle_event_form oracle_event_form_of(const uint8_t *b, const etl_context *context);

#endif
