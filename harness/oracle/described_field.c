/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads descriptions of fields: TraceLogging metadata, EVENT_PROPERTY_INFO, and the rows of classic_events.def. Called by
 * payload_walk.c.
 */
#include "described_field.h"

#include "input_bytes.h"

/* In the bytes of a TraceLogging type; source: TraceLoggingProvider.h. */
enum { TYPE = 0x1F, CHAIN = 0x80, COUNTS = 0x60, FIXED_COUNT = 0x20, STORED_COUNT = 0x40, CUSTOM_COUNT = 0x60 };
enum { STRUCT = 24, UNICODESTRING = 1, ANSISTRING = 2, BINARY = 14 };

/* Takes a number of the metadata; false at its end. */
static bool take(etl_span bytes, uint32_t *at, unsigned size, unsigned *value)
{
    if (*at > bytes.size || size > bytes.size - *at)
        return false;
    *value = (unsigned)oracle_raw_get(bytes, *at, size);
    *at += size;
    return true;
}

static bool take_types(etl_span bytes, uint32_t *at, unsigned *type, described *d)
{
    unsigned byte = 0;
    if (!take(bytes, at, 1, type))
        return false;
    if ((*type & CHAIN) == 0)
        return true;
    if (!take(bytes, at, 1, &byte))
        return false;
    d->out = byte & ~(unsigned)CHAIN;
    for (unsigned n = 0; (byte & CHAIN) != 0; n++) {
        if (!take(bytes, at, 1, &byte))
            return false;
        if (n < 4)
            d->tag |= (byte & ~(unsigned)CHAIN) << (21 - 7 * n);
    }
    return true;
}

static bool take_count(etl_span bytes, uint32_t *at, unsigned type, described *d)
{
    unsigned size = 0;
    switch (type & COUNTS) {
    case FIXED_COUNT: d->count_form = ETL_COUNT_FORM_FIXED; return take(bytes, at, 2, &d->count);
    case STORED_COUNT: d->count_form = ETL_COUNT_FORM_STORED; return true;
    case CUSTOM_COUNT:
        d->count_form = ETL_COUNT_FORM_CUSTOM;
        if (!take(bytes, at, 2, &size) || size > bytes.size - *at)
            return false;
        *at += size;
        return true;
    default: return true;
    }
}

static bool describe_tracelogging(etl_span bytes, uint32_t *at, described *d)
{
    const uint32_t start = *at;
    unsigned byte = 1, type = 0;
    while (byte != 0)
        if (!take(bytes, at, 1, &byte))
            return false;
    d->name = (etl_span){bytes.at + start, *at - start - 1};
    if (!take_types(bytes, at, &type, d) || !take_count(bytes, at, type, d))
        return false;
    d->type = type & TYPE;
    if (d->type == STRUCT) {
        d->members = d->out;
        d->members_at = *at;
        d->out = 0;
    }
    return true;
}

etl_span oracle_text_in(etl_span info, uint32_t offset)
{
    size_t end = offset;
    if (offset == 0 || offset >= info.size)
        return (etl_span){0};
    while (info.size - end >= 2 && oracle_raw_u16(info.at + end) != 0)
        end += 2;
    return (etl_span){info.at + offset, end - offset};
}

/* Flags of EVENT_PROPERTY_INFO: 1 struct, 2 length in a property, 4 count in a property, 0x10 fixed length, 0x20 fixed
   count, 0x40 tags, 0x80 custom schema. Source: tdh.h. */
static bool describe_property(etl_span info, uint32_t *at, described *d)
{
    const uint64_t place = 0x70 + UINT64_C(24) * *at;
    if (*at >= oracle_raw_u32(info.at + 0x64) || place + 24 > info.size)
        return false;
    const uint8_t *bytes = info.at + place;
    const uint32_t flags = oracle_raw_u32(bytes);
    const unsigned count = oracle_raw_u16(bytes + 16), length = oracle_raw_u16(bytes + 18);
    *at += 1;
    d->name = oracle_text_in(info, oracle_raw_u32(bytes + 4));
    d->tag = (flags & 0x40) != 0 ? oracle_raw_u32(bytes + 20) & 0x0FFFFFFF : 0;
    d->count = count;
    if ((flags & 4) != 0)
        d->count_form = ETL_COUNT_FORM_PROPERTY;
    else if ((flags & 0x20) != 0 || count != 1)
        d->count_form = ETL_COUNT_FORM_FIXED;
    if ((flags & 1) != 0) {
        d->type = STRUCT;
        d->members_at = oracle_raw_u16(bytes + 8);
        d->members = oracle_raw_u16(bytes + 10);
        return true;
    }
    d->type = oracle_raw_u16(bytes + 8);
    d->out = oracle_raw_u16(bytes + 10);
    if ((flags & 0x80) == 0)
        d->map = oracle_text_in(info, oracle_raw_u32(bytes + 12));
    if (d->type != UNICODESTRING && d->type != ANSISTRING && d->type != BINARY)
        return true;
    d->size = length;
    if ((flags & 2) != 0)
        d->size_form = ETL_SIZE_FORM_PROPERTY;
    else if (d->type == BINARY || length != 0 || (flags & 0x10) != 0)
        d->size_form = ETL_SIZE_FORM_FIXED;
    if (d->type == BINARY && (flags & 0x12) == 0 && length == 0 && d->out == 24) /* an IPv6 address */
        d->size = 16;
    return true;
}

typedef enum row_form { SINGLE, FIXED, PROPERTY, REST, OPTIONAL } row_form;

static bool describe_row(uint32_t row, described *d)
{
    static const etl_count_form forms[] = {[SINGLE] = ETL_COUNT_FORM_SINGLE, [FIXED] = ETL_COUNT_FORM_FIXED,
                                           [PROPERTY] = ETL_COUNT_FORM_PROPERTY, [REST] = ETL_COUNT_FORM_REST,
                                           [OPTIONAL] = ETL_COUNT_FORM_SINGLE};
    static const struct {
        const char *name;
        unsigned type, out;
        row_form form;
        unsigned count, length;
    } rows[] = {
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) \
    {#name, ETL_IN_TYPE_##in_type, ETL_OUT_TYPE_##out_type, form, count, length},
#include "format/payload/classic_events.def"
    };
    if (row >= sizeof rows / sizeof rows[0])
        return false;
    d->name = (etl_span){(const uint8_t *)rows[row].name, strlen(rows[row].name)};
    d->type = rows[row].type;
    d->out = rows[row].out;
    d->count_form = forms[rows[row].form];
    d->count = rows[row].count;
    d->size = rows[row].length;
    d->size_form = d->size != 0 ? ETL_SIZE_FORM_FIXED : ETL_SIZE_FORM_TYPE;
    d->optional = rows[row].form == OPTIONAL;
    return true;
}

bool oracle_describe(const etl_metadata *metadata, uint32_t *at, described *d)
{
    *d = (described){.at = *at};
    switch (metadata->form) {
    case ETL_METADATA_FORM_TRACELOGGING: return describe_tracelogging(metadata->fields, at, d);
    case ETL_METADATA_FORM_EVENT_INFO: return describe_property(metadata->info, at, d);
    case ETL_METADATA_FORM_CLASSIC: return describe_row(metadata->rows + (*at)++, d);
    }
    return false;
}

bool oracle_out_type_is(etl_metadata_form form, unsigned number, unsigned row)
{
    static const unsigned numbers[][2] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) {tlg, tdh},
#include "format/payload/out_types.def"
    };
    if (form == ETL_METADATA_FORM_CLASSIC)
        return row == number;
    if (row > 0)
        return row <= sizeof numbers / sizeof numbers[0] && number != 0 &&
               numbers[row - 1][form == ETL_METADATA_FORM_EVENT_INFO] == number;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (number != 0 && numbers[i][form == ETL_METADATA_FORM_EVENT_INFO] == number)
            return false;
    return true;
}
