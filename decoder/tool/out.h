/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output: standard output behind a large buffer, or memory that grows.
 */
#ifndef ETLPROOF_OUT_H
#define ETLPROOF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"
#include "etlproof/clock.h"
#include "etlproof/guid.h"

#include "tool.h"

/* Most bytes that etl_out_room gives at once. */
#define ETL_OUT_ROOM_MAX 4096u

typedef struct etl_out {
    char *at;
    size_t used, size;
    bool memory; /* grows where standard output would be written */
    int error;   /* errno of the first failure; all that follows it is dropped */
} etl_out;

/* Standard output; there can be one at a time. */
void etl_out_open(etl_out *out);
/* Memory; etl_out_free gives it back. */
void etl_out_open_memory(etl_out *out);
void etl_out_free(etl_out *out);

/* Makes room where `used` stands; `size` is at most ETL_OUT_ROOM_MAX. */
void etl_out_make_room(etl_out *out, size_t size);

static inline char *etl_out_room(etl_out *out, size_t size)
{
    if (out->size - out->used < size)
        etl_out_make_room(out, size);
    return out->at + out->used;
}

static inline void etl_out_char(etl_out *out, char c)
{
    *etl_out_room(out, 1) = c;
    out->used++;
}

void etl_out_bytes(etl_out *out, const char *bytes, size_t size);
void etl_out_text(etl_out *out, const char *text);
void etl_out_spaces(etl_out *out, size_t count);

/* printf, at most ETL_OUT_ROOM_MAX - 1 bytes. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void etl_out_format(etl_out *out, const char *format, ...);

void etl_out_u64(etl_out *out, uint64_t value);
void etl_out_i64(etl_out *out, int64_t value);
/* 179,474 */
void etl_out_count(etl_out *out, uint64_t value);
/* Lower-case, with at least `digits` digits and without 0x. */
void etl_out_hex(etl_out *out, uint64_t value, unsigned digits);
void etl_out_guid(etl_out *out, const etl_guid *guid);
/* 2020-02-17T09:01:35.1234567Z */
void etl_out_utc(etl_out *out, const etl_utc *utc);
/* The bytes in hex. */
void etl_out_dump(etl_out *out, etl_span bytes);

/* Text of the input for a terminal, as utf.h shows it; lone surrogates become U+FFFD. */
void etl_out_utf8(etl_out *out, etl_span text);
void etl_out_utf16(etl_out *out, etl_span text);
/* The same of a name of the command line. */
void etl_out_name(etl_out *out, const char *name);

void etl_out_flush(etl_out *out);

/* Flushes; says on standard error why output failed, except that its reader is gone. CONFORMING or OUTPUT. */
etl_exit etl_out_close(etl_out *out);

#endif
