/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETW's own structures as they lie in memory: ETW_GUID_ENTRY, WMI_LOGGER_CONTEXT, ETW_UM_LOGGER_CONTEXT. For bytes of a
 * crash dump or a memory image, where there are no symbols.
 *
 * The facts are the rows of format/layouts/, which say where each comes from and how sure it is. Where sources disagree
 * about a member, all of them are rows; `taken` is the one that a reader goes by.
 */
#ifndef ETLPROOF_MEMORY_H
#define ETLPROOF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/bytes.h"
#include "etlproof/finding.h"
#include "etlproof/guid.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* Versions of Windows that the layouts distinguish, oldest first. */
typedef enum etl_windows {
#define ETL_WINDOWS(name, text, major, minor, first_build, last_build, title) ETL_WINDOWS_##name,
#include "format/windows.def"
    ETL_WINDOWS_COUNT
} etl_windows;

typedef enum etl_arch {
    ETL_ARCH_X86, /* pointers of 4 bytes */
    ETL_ARCH_X64, /* pointers of 8 bytes; from Windows 5.2 on */
    ETL_ARCH_COUNT
} etl_arch;

typedef enum etl_memory_structure {
#define ETL_MEMORY_STRUCTURE(name, mode, what, source) ETL_MEMORY_STRUCTURE_##name,
#include "format/layouts/structures.def"
    ETL_MEMORY_STRUCTURE_COUNT
} etl_memory_structure;

/* Whose memory a structure lies in. */
typedef enum etl_memory_mode {
    ETL_MEMORY_MODE_KERNEL,
    ETL_MEMORY_MODE_USER
} etl_memory_mode;

typedef enum etl_memory_type {
#define ETL_MEMORY_TYPE(name, kind, count, x86, x64, align_x86, align_x64, text) ETL_MEMORY_TYPE_##name,
#include "format/layouts/types.def"
    ETL_MEMORY_TYPE_COUNT
} etl_memory_type;

typedef enum etl_memory_kind {
#define ETL_MEMORY_KIND(name, meaning) ETL_MEMORY_KIND_##name,
#include "format/layouts/kinds.def"
    ETL_MEMORY_KIND_COUNT
} etl_memory_kind;

typedef enum etl_memory_meaning {
#define ETL_MEMORY_MEANING(name, meaning) ETL_MEMORY_MEANING_##name,
#include "format/layouts/meanings.def"
    ETL_MEMORY_MEANING_COUNT
} etl_memory_meaning;

typedef enum etl_evidence {
#define ETL_EVIDENCE(name, taken, text, meaning) ETL_EVIDENCE_##name,
#include "format/layouts/evidence.def"
    ETL_EVIDENCE_COUNT
} etl_evidence;

typedef struct etl_windows_info {
    const char *text;    /* "1903", "6.0-early" */
    const char *version; /* "10.0" */
    uint32_t first_build, last_build;
    const char *title;   /* "Windows 10 1903 and 1909" */
} etl_windows_info;

typedef struct etl_memory_structure_info {
    const char *name;   /* "ETW_GUID_ENTRY" */
    etl_memory_mode mode;
    const char *what;   /* "the kernel's record of ..." */
    const char *source;
} etl_memory_structure_info;

typedef struct etl_evidence_info {
    const char *text;    /* "page, confirmed by a type dump" */
    const char *meaning;
    bool taken;
} etl_evidence_info;

/* Which layout is meant. */
typedef struct etl_memory_layout {
    etl_memory_structure structure;
    etl_windows windows;
    etl_arch arch;
} etl_memory_layout;

/* A member of a structure, or of a member of it, in one layout. Offsets and sizes in bytes. */
typedef struct etl_memory_member {
    const char *name;    /* "LoggerId"; in parentheses what is known of one that has no name */
    const char *type;    /* as declared: "ULONG volatile" */
    etl_memory_kind kind; /* of one element */
    etl_memory_meaning meaning;
    etl_evidence evidence;
    uint32_t offset;     /* from the start of the structure */
    uint32_t size;       /* of all elements */
    uint32_t count;      /* elements: 1 for what is no array */
    uint32_t align;      /* what the offset is a multiple of */
} etl_memory_member;

/* A value as read. */
typedef struct etl_memory_value {
    uint64_t number; /* all kinds of at most 8 bytes; SIGNED as two's complement of 64 bits */
    etl_guid guid;   /* GUID */
    etl_span bytes;  /* all of it, as it lies there */
} etl_memory_value;

/* Rows as data; arguments below the enum's COUNT. */
const etl_windows_info *etl_windows_get(etl_windows windows);
const etl_memory_structure_info *etl_memory_structure_get(etl_memory_structure structure);
const etl_evidence_info *etl_evidence_get(etl_evidence evidence);
const char *etl_arch_text(etl_arch arch); /* "x86", "x64" */

/* The version named "1903", "6.1", "6.0-late", "22H2", "10.0.19041", "6.1.7601.17514", "19041" or "19041.1234": a build is
   one that was released, and its revision is passed over. ETL_WINDOWS_COUNT if there is none: unknown, of another version,
   older or newer than the tables, or ambiguous ("6.0"). "10.0" alone is the first release, as in the tables. */
etl_windows etl_windows_find(const char *text);
/* The build that such a text says, released or not; 0 if it says none. */
uint32_t etl_windows_build(const char *text);
/* COUNT if there is none of that name. */
etl_arch etl_arch_find(const char *text);
etl_memory_structure etl_memory_structure_find(const char *name);

/* Bytes of a pointer. */
uint32_t etl_arch_pointer_size(etl_arch arch);
/* Bytes of the structure; 0 if this version or architecture does not have it. */
uint32_t etl_memory_size(etl_memory_layout layout);
/* What is said of all rows of the layout whose own evidence is PAGE: the source, or NULL. */
const char *etl_memory_source(etl_memory_layout layout);

/* What a source says of a whole layout, and no reader goes by: that it is that of another version. */
typedef struct etl_memory_claim {
    etl_memory_layout layout; /* of that version */
    etl_evidence evidence;
    const char *source;
} etl_memory_claim;

/* False if no source says so. */
bool etl_memory_claimed(etl_memory_layout layout, etl_memory_claim *claim);

/* Walks the members of a layout in the order of their offsets; those that are not taken come where the page has them. */
typedef struct etl_memory_walk {
    etl_memory_layout layout;
    size_t row;
} etl_memory_walk;

etl_memory_walk etl_memory_members(etl_memory_layout layout);
/* False at the end. */
bool etl_memory_next(etl_memory_walk *walk, etl_memory_member *member);
/* The first member of that name that is taken; false if there is none. */
bool etl_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member);

/* Element `index` (below `count`) of an array, as a member of its own; the member itself if it is no array. */
etl_memory_member etl_memory_element(const etl_memory_member *member, uint32_t index);
/* Part `index` of a kind that is a structure, in order, its offset from the start of the whole structure; `member` has one
   element. False if there are no more. */
bool etl_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part);
/* The same by name. */
bool etl_memory_part_find(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part);

/* Reads a member of one element of the structure that starts with the span. False if it ends beyond the span: `bytes` are
   what is there, all else is 0. */
bool etl_memory_read(etl_span structure, const etl_memory_member *member, etl_memory_value *value);

/* A run of bits of a word, or a value, that has a name. */
typedef struct etl_memory_bits {
    const char *name;
    uint32_t mask;
    etl_evidence evidence;
    bool spare; /* has no meaning */
} etl_memory_bits;

/* Bits `index` of FLAGS, REQUEST_FLAG or LAST_ENABLED in a version, lowest first. False if there are no more. */
bool etl_memory_bits_get(etl_memory_meaning meaning, etl_windows windows, uint32_t index, etl_memory_bits *bits);
/* The same for a member of a layout: false too if the meaning is one of another structure. */
bool etl_memory_bits_of(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits);

/* The addresses that a pointer of the structure may hold besides null, both ends included. Of x86 in user mode nothing but
   the first 64 KiB is ruled out; a kernel of 32 bits has the upper half, or the upper quarter. */
typedef struct etl_memory_half {
    uint64_t least, most;
} etl_memory_half;

etl_memory_half etl_memory_half_of(etl_memory_layout layout);

/* Where the kernel's half begins. */
#define ETL_MEMORY_KERNEL_LEAST_X86 UINT32_C(0x80000000)
#define ETL_MEMORY_KERNEL_LEAST_X64 UINT64_C(0xFFFF800000000000)

/* Sessions that there are at most, all with an identifier below: MAXLOGGERS of ntwmi.h. */
#define ETL_MEMORY_LOGGERS_MOST 64
/* Bytes of a session's buffers: a multiple of the least. */
#define ETL_MEMORY_BUFFER_SIZE_LEAST 0x400
#define ETL_MEMORY_BUFFER_SIZE_MOST 0x1000000

/* Holds the structure that starts with the span, at `offset` of the file, against the rules of the group `layout`, and adds
   what it finds; members in the order of their offsets first, then what several of them say together. A span that ends
   early is checked as far as it goes. */
void etl_memory_check(etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings);

/*
 * How plausible it is that bytes are a structure of a layout: the sum of what each member says, as log-odds against memory
 * of other kinds. Members that are not taken say nothing, nor do those whose values can be anything.
 */
#define ETL_GUESS_BIT 16 /* points that make one bit: the odds are 2 to 1 */

/* The first and the last time that is plausible, 1999 and 2042, as FILETIME. */
#define ETL_GUESS_TIME_LEAST UINT64_C(0x01BE347BF8EF0000)
#define ETL_GUESS_TIME_MOST UINT64_C(0x0204000000000000)
/* What counts of references in use stay below. */
#define ETL_GUESS_REFERENCES_END (UINT32_C(1) << 20)

/* What a member can say: format/layouts/clues.def. */
typedef enum etl_clue {
#define ETL_CLUE(shape, way, x86, x64, text) ETL_CLUE_##shape##_##way,
#include "format/layouts/clues.def"
    ETL_CLUE_COUNT
} etl_clue;

typedef struct etl_clue_info {
    const char *text;
    int32_t points[ETL_ARCH_COUNT];
} etl_clue_info;

const etl_clue_info *etl_clue_get(etl_clue clue);

/* What lies between members, and all lists together, as if they were members. */
#define ETL_GUESS_PADDING "padding"
#define ETL_GUESS_LISTS "lists"

/* A member that says something. */
typedef struct etl_guess_test {
    const char *member; /* its name */
    uint16_t offset, size;
    uint8_t shape;
    uint8_t element; /* of an array, from 1 on; 0 of what is none */
    uint32_t with; /* what it is compared with: the offset of another member, or the bits that have a meaning */
} etl_guess_test;

/* More than any layout has. */
#define ETL_GUESS_TESTS_MAX 192

/* What is looked at in structures of one layout, in the order of offsets. */
typedef struct etl_guess_plan {
    etl_memory_layout layout;
    uint32_t size; /* of the structure */
    uint32_t count;
    etl_memory_half half;
    etl_guess_test tests[ETL_GUESS_TESTS_MAX];
} etl_guess_plan;

/* False, and no tests, if the version or architecture does not have the structure. */
bool etl_guess_prepare(etl_guess_plan *plan, etl_memory_layout layout);
/* What test `index`, below the count, says of the structure that starts with the span. */
etl_clue etl_guess_clue(const etl_guess_plan *plan, uint32_t index, etl_span structure);
/* The points of all tests together. A sum that falls below `floor` on the way is given as it is then. */
int32_t etl_guess_score(const etl_guess_plan *plan, etl_span structure, int32_t floor);

/* Whether nothing in the bytes that start with the span tells two layouts of a structure and architecture apart: what the
   one has, and the other has not, or elsewhere, is zeros, and in use it may be. */
bool etl_guess_alike(const etl_guess_plan *a, const etl_guess_plan *b, etl_span structure);

/* The last version from layout.windows on without a break that has the structure just so: the same members in the same
   places. Nothing tells these versions apart. */
etl_windows etl_memory_same_until(etl_memory_layout layout);

ETL_C_END

#endif
