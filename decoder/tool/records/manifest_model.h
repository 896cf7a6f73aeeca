/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instrumentation manifest in memory: what its elements state, in the order of the document. Texts are offsets into one
 * block of UTF-8, each with a NUL; 0 is the empty text.
 */
#ifndef ETLPROOF_RECORDS_MANIFEST_MODEL_H
#define ETLPROOF_RECORDS_MANIFEST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/guid.h"

typedef uint32_t manifest_text;

/* A list that grows. */
typedef struct manifest_list {
    void *at;
    uint32_t count;
    uint32_t room;
} manifest_list;

typedef struct manifest_provider {
    manifest_text name;
    uint8_t guid[16]; /* as in files */
} manifest_provider;

typedef struct manifest_event {
    uint32_t provider;
    uint16_t id;
    uint8_t version;
    manifest_text symbol, task, opcode, template_name;
} manifest_event;

/* A <data>, or a <struct> with its members behind it. */
typedef struct manifest_data {
    manifest_text name, in_type, out_type, count, length, map;
    bool structure, member;
    uint32_t members;     /* of a structure: they follow it */
    uint32_t template_id; /* the index of its template */
    uint32_t number;      /* in its template: members come behind all others */
} manifest_data;

typedef struct manifest_map {
    uint32_t provider;
    manifest_text name;
    bool bits;
    uint32_t first, count; /* of the entries */
} manifest_map;

typedef struct manifest_entry {
    uint32_t value;
    manifest_text message;
} manifest_entry;

typedef struct manifest_template {
    uint32_t first, count; /* of the data */
} manifest_template;

/* What a name stands for. */
typedef enum manifest_kind {
    MANIFEST_STRING,   /* of scope 0; value: a text */
    MANIFEST_TEMPLATE, /* of a provider; value: its index */
    MANIFEST_DATA      /* of a template; value: its index */
} manifest_kind;

typedef struct manifest_name {
    manifest_kind kind;
    uint32_t scope;
    manifest_text text;
    uint32_t value;
} manifest_name;

typedef struct manifest_model {
    manifest_list texts, providers, events, data, maps, entries, templates, names;
    uint32_t *slots; /* a hash table of names: index plus 1; 0: free */
    uint32_t slot_count;
    bool failed;     /* no memory */
} manifest_model;

/* The list grows by an element of `size` zero bytes. NULL, and `failed` is set, if there is no memory. */
void *manifest_add(manifest_model *model, manifest_list *list, size_t size);
manifest_text manifest_add_text(manifest_model *model, const char *text);
const char *manifest_text_at(const manifest_model *model, manifest_text text);

/* The first of equal names counts. */
void manifest_add_name(manifest_model *model, manifest_kind kind, uint32_t scope, manifest_text text, uint32_t value);
/* NULL if there is none. */
const manifest_name *manifest_find(const manifest_model *model, manifest_kind kind, uint32_t scope, const char *text);

void manifest_free(manifest_model *model);

#endif
