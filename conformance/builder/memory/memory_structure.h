/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_memory: one of ETW's own structures as it lies in memory, and its bytes. Its members come from the tables of
 * format/layouts/. The builder walks and writes them with code of its own, and shares none with the decoder.
 */
#ifndef ETLPROOF_MEMORY_STRUCTURE_H
#define ETLPROOF_MEMORY_STRUCTURE_H

#include "etlproof/memory.h"

/* No structure is larger. */
#define BUILD_MEMORY_MAX 0x1000u

typedef struct build_memory {
    etl_memory_layout layout;
    uint32_t size;
    uint8_t bytes[BUILD_MEMORY_MAX];
} build_memory;

/* Whether all sources agree on the offsets and types of a layout's members; the spelling of names does not count. */
typedef enum build_memory_dispute {
    BUILD_MEMORY_SETTLED,
    BUILD_MEMORY_CONTRADICTED, /* a page and a type dump differ */
    BUILD_MEMORY_MISFIT        /* a page's offset cannot be right */
} build_memory_dispute;

build_memory_dispute build_memory_dispute_of(etl_memory_layout layout);

/* A member's name on the page, where type dumps spell it otherwise; NULL if all sources agree. */
const char *build_memory_other_name(etl_memory_layout layout, const etl_memory_member *member);

/* The next member that a reader decodes, by offset; start with `*row` 0. False at the end. */
bool build_memory_next(etl_memory_layout layout, size_t *row, etl_memory_member *member);
/* Element `index` of an array; the member itself if it is not an array. */
etl_memory_member build_memory_element(const etl_memory_member *member, uint32_t index);
/* Part `index` of a member that is a structure but not an array. False at the end. */
bool build_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part);

/* Find a member by its name, the first member at an offset, or a part by its name. False if there is none. */
bool build_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member);
bool build_memory_find_at(etl_memory_layout layout, uint64_t offset, etl_memory_member *member);
bool build_memory_find_part(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part);

/* Whether a member is one number: neither array nor structure, and at most 8 bytes. */
bool build_memory_is_number(const etl_memory_member *member);
/* Writes the low bytes of `value`, as many as the member has. */
void build_memory_put(build_memory *memory, const etl_memory_member *member, uint64_t value);
/* Reads the number, sign-extended if SIGNED. */
uint64_t build_memory_get(const build_memory *memory, const etl_memory_member *member);

/*
 * Run `index` of the bits of a FLAGS, REQUEST_FLAG, LAST_ENABLED or LOGGER_MODE member, lowest first. False at the end, and
 * for members of other meanings.
 */
bool build_memory_bits(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits);

/*
 * Fills an existing layout: each member, and each part of one, gets a value of its own that keeps all rules; padding is
 * zero. Most values end in their offset.
 */
void build_memory_fill(build_memory *memory, etl_memory_layout layout);

#endif
