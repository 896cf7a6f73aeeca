/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads names and fields from TraceLogging metadata, and the members of provider traits. item_contents.c checks both;
 * users of the library read them.
 */
#include "etlproof/schema.h"

#include "span.h"

/* Bits of InType and OutType. Source: TraceLoggingProvider.h. */
enum {
    CHAIN = 0x80,        /* another byte of the description follows */
    COUNT_MASK = 0x60,
    COUNT_CONSTANT = 0x20, /* u16 count follows */
    COUNT_CUSTOM = 0x60    /* u16 length and that many bytes of type information follow */
};

/* Chunks of provider traits: u16 size with itself, u8 type, data. */
enum { TRAIT_HEADER = 3, TRAIT_GROUP = 1, TRAIT_DECODE = 2, GUID_BYTES = 16 };

/* Takes `size` bytes off the front. False, and nothing is taken, if there are fewer. */
/*@ requires \valid(rest) && \valid(taken) && \separated(rest, taken) && etl_readable(*rest);
  @ assigns *rest, *taken;
  @ ensures etl_readable(*rest);
  @ ensures \result ==> etl_readable(*taken) && taken->size == size && rest->size == \old(rest->size) - size;
  @ ensures !\result ==> *rest == \old(*rest); */
static bool take(etl_span *rest, size_t size, etl_span *taken)
{
    if (!etl_span_has(*rest, 0, size))
        return false;
    *taken = etl_span_first(*rest, size);
    *rest = etl_span_from(*rest, size);
    return true;
}

/*@ requires \valid(rest) && \valid(value) && \separated(rest, value) && etl_readable(*rest);
  @ assigns *rest, *value;
  @ ensures etl_readable(*rest);
  @ ensures \result ==> rest->size == \old(rest->size) - 1;
  @ ensures !\result ==> *rest == \old(*rest); */
static bool take_u8(etl_span *rest, uint8_t *value)
{
    etl_span taken;
    if (!take(rest, 1, &taken))
        return false;
    *value = etl_load_u8(taken, 0);
    return true;
}

/*@ requires \valid(rest) && \valid(value) && \separated(rest, value) && etl_readable(*rest);
  @ assigns *rest, *value;
  @ ensures etl_readable(*rest);
  @ ensures \result ==> rest->size == \old(rest->size) - 2;
  @ ensures !\result ==> *rest == \old(*rest); */
static bool take_u16(etl_span *rest, uint16_t *value)
{
    etl_span taken;
    if (!take(rest, 2, &taken))
        return false;
    *value = etl_load_u16(taken, 0);
    return true;
}

/* Takes a text and its NUL. */
/*@ requires \valid(rest) && \valid(text) && \separated(rest, text) && etl_readable(*rest);
  @ assigns *rest, *text;
  @ ensures etl_readable(*rest) && rest->size <= \old(rest->size);
  @ ensures \result ==> rest->size < \old(rest->size); */
static bool take_text(etl_span *rest, etl_span *text)
{
    size_t length = 0;
    /*@ loop invariant 0 <= length <= rest->size;
      @ loop assigns length;
      @ loop variant rest->size - length; */
    while (length < rest->size && etl_load_u8(*rest, length) != 0)
        length++;
    etl_span nul;
    return take(rest, length, text) && take(rest, 1, &nul);
}

/* Takes tag bytes, up to one without bit 7; the first four give the tag. */
/*@ requires \valid(rest) && \valid(tag) && \separated(rest, tag) && etl_readable(*rest);
  @ assigns *rest, *tag;
  @ ensures etl_readable(*rest) && rest->size <= \old(rest->size); */
static bool take_tag(etl_span *rest, uint32_t *tag)
{
    uint8_t byte = CHAIN;
    *tag = 0;
    /*@ loop invariant etl_readable(*rest) && rest->size <= \at(rest->size, Pre);
      @ loop assigns n, byte, *rest, *tag;
      @ loop variant rest->size; */
    for (unsigned n = 0; byte & CHAIN; n++) {
        if (!take_u8(rest, &byte))
            return false;
        if (n < 4)
            *tag |= (uint32_t)(byte & 0x7F) << (21 - 7 * n);
    }
    return true;
}

/* Both blobs start with a u16 size, which counts itself and all that follows. */
/*@ requires etl_readable(data) && \valid(rest) && etl_readable(*rest);
  @ assigns *rest;
  @ ensures etl_readable(*rest);
  @ ensures \result ==> rest->size + 2 == etl_u16_at(data.at) && etl_u16_at(data.at) <= data.size; */
static bool take_blob(etl_span data, etl_span *rest)
{
    uint16_t size = etl_load_u16(data, 0);
    if (size < 2 || size > data.size)
        return false;
    *rest = etl_span_part(data, 2, (size_t)size - 2);
    return true;
}

bool etl_schema_read(etl_span data, etl_schema *schema)
{
    etl_span rest = {0};
    *schema = (etl_schema){0};
    if (!take_blob(data, &rest) || !take_tag(&rest, &schema->tag) || !take_text(&rest, &schema->name))
        return false;
    /*@ assert etl_readable(rest); */
    schema->fields = rest;
    return true;
}

/*@ requires \valid(rest) && \valid(field) && \separated(rest, field) && etl_readable(*rest);
  @ assigns *rest, *field;
  @ ensures etl_readable(*rest) && rest->size <= \old(rest->size); */
static bool take_types(etl_span *rest, etl_schema_field *field)
{
    uint8_t in = 0, out = 0;
    if (!take_u8(rest, &in))
        return false;
    field->in_type = in & 0x7F;
    if (!(in & CHAIN))
        return true;
    if (!take_u8(rest, &out))
        return false;
    field->out_type = out & 0x7F;
    return !(out & CHAIN) || take_tag(rest, &field->tag);
}

/*@ requires \valid(rest) && \valid(field) && \separated(rest, field) && etl_readable(*rest);
  @ assigns *rest, *field;
  @ ensures etl_readable(*rest) && rest->size <= \old(rest->size); */
static bool take_count(etl_span *rest, etl_schema_field *field)
{
    uint16_t length = 0;
    etl_span custom;
    switch (field->in_type & COUNT_MASK) {
    case COUNT_CONSTANT: return take_u16(rest, &field->count);
    case COUNT_CUSTOM: return take_u16(rest, &length) && take(rest, length, &custom);
    default: return true;
    }
}

bool etl_schema_next(etl_span *rest, etl_schema_field *field)
{
    *field = (etl_schema_field){0};
    etl_span after = *rest;
    if (!take_text(&after, &field->name) || !take_types(&after, field) || !take_count(&after, field))
        return false;
    *rest = after;
    return true;
}

/*@ requires etl_readable(data) && \valid(traits);
  @ assigns *traits; */
static void read_trait(uint8_t type, etl_span data, etl_traits *traits)
{
    if (data.size != GUID_BYTES)
        return;
    if (type == TRAIT_GROUP) {
        traits->has_group = true;
        traits->group = etl_load_guid(data, 0);
    } else if (type == TRAIT_DECODE) {
        traits->has_decode = true;
        traits->decode = etl_load_guid(data, 0);
    }
}

bool etl_traits_read(etl_span data, etl_traits *traits)
{
    etl_span rest = {0};
    *traits = (etl_traits){0};
    if (!take_blob(data, &rest) || !take_text(&rest, &traits->name))
        return false;
    /*@ loop invariant etl_readable(rest) && rest.size <= data.size;
      @ loop assigns rest, *traits;
      @ loop variant rest.size; */
    while (rest.size) {
        uint16_t size = etl_load_u16(rest, 0);
        etl_span chunk;
        if (size < TRAIT_HEADER || !take(&rest, size, &chunk))
            return false;
        read_trait(etl_load_u8(chunk, 2), etl_span_from(chunk, TRAIT_HEADER), traits);
    }
    return true;
}
