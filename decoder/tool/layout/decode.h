/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure of memory, as it was read: what both forms of etlproof layout show.
 */
#ifndef ETLPROOF_LAYOUT_DECODE_H
#define ETLPROOF_LAYOUT_DECODE_H

#include "etlproof/finding.h"
#include "etlproof/memory.h"

#include "json.h"
#include "out.h"

typedef struct etl_layout_reading {
    etl_memory_layout layout;
    const char *title;   /* of the file */
    uint64_t offset;     /* of the structure in it */
    etl_span bytes;      /* of the structure: all, or what of it lies within the file */
    etl_findings findings;
    bool damaged;        /* one of them is an error */
    bool evidence;       /* say of every member how sure its place is */
} etl_layout_reading;

void etl_layout_text(etl_out *out, const etl_layout_reading *reading);
void etl_layout_json(etl_json *json, const etl_layout_reading *reading);

#endif
