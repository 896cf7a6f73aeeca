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
#define ETL_DUMP_MAX 0x1000u

typedef struct etl_dump {
    etl_memory_layout layout;
    uint32_t size;
    uint8_t bytes[ETL_DUMP_MAX];
} etl_dump;

/* Whether all sources agree about where the members of a layout lie, and of what type they are; how they spell a name is no
   matter. */
typedef enum etl_dump_dispute {
    ETL_DUMP_SETTLED,
    ETL_DUMP_CONTRADICTED, /* by a type dump */
    ETL_DUMP_MISFIT        /* a page's offset cannot be right */
} etl_dump_dispute;

etl_dump_dispute etl_dump_dispute_of(etl_memory_layout layout);

/* How the page spells the name of a member of the layout where type dumps spell it otherwise; NULL if all spell it so. */
const char *etl_dump_other_name(etl_memory_layout layout, const etl_memory_member *member);

/* The next member that a reader goes by, in the order of their offsets; `*row` is 0 at first. False at the end. */
bool etl_dump_next(etl_memory_layout layout, size_t *row, etl_memory_member *member);
/* Element `index` of an array; the member itself if it is none. */
etl_memory_member etl_dump_element(const etl_memory_member *member, uint32_t index);
/* Part `index` of a member that is a structure and no array; false if there are no more. */
bool etl_dump_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part);

/* The member of that name, the first one at that offset, the part of that name; false if there is none. */
bool etl_dump_find(etl_memory_layout layout, const char *name, etl_memory_member *member);
bool etl_dump_find_at(etl_memory_layout layout, uint64_t offset, etl_memory_member *member);
bool etl_dump_find_part(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part);

/* Whether a member is written as one number: it is no array, no structure, and has at most 8 bytes. */
bool etl_dump_is_number(const etl_memory_member *member);
/* The low bytes of `value`, as many as the member has. */
void etl_dump_put(etl_dump *dump, const etl_memory_member *member, uint64_t value);
/* The number that was written; of SIGNED, sign-extended. */
uint64_t etl_dump_get(const etl_dump *dump, const etl_memory_member *member);

/* Run `index` of bits of FLAGS, REQUEST_FLAG, LAST_ENABLED or LOGGER_MODE that a member of the layout means, lowest first,
   those that a reader goes by; false if there are no more, or the member means none. */
bool etl_dump_bits(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits);

/*
 * A structure in which each member, and each part of one, holds a value of its own that keeps all rules, and padding is
 * zeros. Most values end in the offset at which they lie. `layout` is one that exists.
 */
void etl_dump_fill(etl_dump *dump, etl_memory_layout layout);

#endif
