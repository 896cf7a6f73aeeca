/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure in memory as it is to be written: the bytes of one of ETW's own structures as a memory image has them. Which
 * members it has comes from the tables of format/layouts/; how they are walked and written is the builder's own, and shares
 * nothing with what reads them in the decoder.
 */
#ifndef ETLPROOF_DUMP_H
#define ETLPROOF_DUMP_H

#include "etlproof/memory.h"

/* No structure is larger. */
#define BUILD_MEMORY_MAX 0x1000u

typedef struct build_memory {
    etl_memory_layout layout;
    uint32_t size;
    uint8_t bytes[BUILD_MEMORY_MAX];
} build_memory;

/* Whether all sources agree about where the members of a layout lie, and of what type they are; how they spell a name is no
   matter. */
typedef enum build_memory_dispute {
    BUILD_MEMORY_SETTLED,
    BUILD_MEMORY_CONTRADICTED, /* by a type dump */
    BUILD_MEMORY_MISFIT        /* a page's offset cannot be right */
} build_memory_dispute;

build_memory_dispute build_memory_dispute_of(etl_memory_layout layout);

/* How the page spells the name of a member of the layout where type dumps spell it otherwise; NULL if all spell it so. */
const char *build_memory_other_name(etl_memory_layout layout, const etl_memory_member *member);

/* The next member that a reader goes by, in the order of their offsets; `*row` is 0 at first. False at the end. */
bool build_memory_next(etl_memory_layout layout, size_t *row, etl_memory_member *member);
/* Element `index` of an array; the member itself if it is none. */
etl_memory_member build_memory_element(const etl_memory_member *member, uint32_t index);
/* Part `index` of a member that is a structure and no array; false if there are no more. */
bool build_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part);

/* The member of that name, the first one at that offset, the part of that name; false if there is none. */
bool build_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member);
bool build_memory_find_at(etl_memory_layout layout, uint64_t offset, etl_memory_member *member);
bool build_memory_find_part(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part);

/* Whether a member is written as one number: it is no array, no structure, and has at most 8 bytes. */
bool build_memory_is_number(const etl_memory_member *member);
/* The low bytes of `value`, as many as the member has. */
void build_memory_put(build_memory *dump, const etl_memory_member *member, uint64_t value);
/* The number that was written; of SIGNED, sign-extended. */
uint64_t build_memory_get(const build_memory *dump, const etl_memory_member *member);

/* Run `index` of bits of FLAGS, REQUEST_FLAG, LAST_ENABLED or LOGGER_MODE that a member of the layout means, lowest first,
   those that a reader goes by; false if there are no more, or the member means none. */
bool build_memory_bits(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits);

/*
 * A structure in which each member, and each part of one, holds a value of its own that keeps all rules, and padding is
 * zeros. Most values end in the offset at which they lie. `layout` is one that exists.
 */
void build_memory_fill(build_memory *dump, etl_memory_layout layout);

#endif
