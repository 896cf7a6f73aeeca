/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads bytes of memory as structures of ETW: ETW_GUID_ENTRY, WMI_LOGGER_CONTEXT and ETW_UM_LOGGER_CONTEXT. For bytes of a
 * crash dump or a memory image without symbols.
 *
 * The layouts are the tables in format/layouts/, whose rows state their source and evidence. Where sources disagree about a
 * member, each source has a row; readers use the row whose evidence is `taken`.
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
    ETL_ARCH_ARM64, /* the layouts of x64, for versions with a type dump that shows so */
    ETL_ARCH_COUNT
} etl_arch;

typedef enum etl_memory_structure {
#define ETL_MEMORY_STRUCTURE(name, mode, what, source) ETL_MEMORY_STRUCTURE_##name,
#include "format/layouts/structures.def"
    ETL_MEMORY_STRUCTURE_COUNT
} etl_memory_structure;

/* The memory that contains the structure. */
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
    const char *what;   /* its purpose: "the kernel's record of ..." */
    const char *source;
} etl_memory_structure_info;

typedef struct etl_evidence_info {
    const char *text;    /* "page, confirmed by a type dump" */
    const char *meaning;
    bool taken;
} etl_evidence_info;

/* Identifies a layout. */
typedef struct etl_memory_layout {
    etl_memory_structure structure;
    etl_windows windows;
    etl_arch arch;
} etl_memory_layout;

/* A member of a structure, or a part of a member that is a structure itself, in one layout. Offsets and sizes in bytes. */
typedef struct etl_memory_member {
    const char *name;    /* "LoggerId"; a description in parentheses if the name is unknown */
    const char *type;    /* as declared: "ULONG volatile" */
    etl_memory_kind kind; /* of one element */
    etl_memory_meaning meaning;
    etl_evidence evidence;
    uint32_t offset;     /* from the start of the structure */
    uint32_t size;       /* of all elements */
    uint32_t count;      /* elements: 1 unless it is an array */
    uint32_t align;      /* the offset is a multiple of it */
} etl_memory_member;

/* The value of a member. */
typedef struct etl_memory_value {
    uint64_t number; /* all kinds of at most 8 bytes; SIGNED as two's complement of 64 bits */
    etl_guid guid;   /* GUID */
    etl_span bytes;  /* its bytes, unchanged */
} etl_memory_value;

/*@
  // A file that passes a literal has a lemma that names its length: it leads provers to the NUL.
  predicate etl_ends{L}(char *s, integer length) = \valid_read(s + (0 .. length)) && s[length] == 0;

  predicate etl_text{L}(char *s) = \exists size_t length; etl_ends(s, length);

  predicate etl_known_layout(etl_memory_layout layout) =
    layout.structure < ETL_MEMORY_STRUCTURE_COUNT && layout.windows < ETL_WINDOWS_COUNT && layout.arch < ETL_ARCH_COUNT;

  predicate etl_known_member{L}(etl_memory_member member) =
    etl_text(member.name) && etl_text(member.type) && member.evidence < ETL_EVIDENCE_COUNT && member.count >= 1;
*/

/* The row of a table. The argument is below the COUNT of its enum. */
/*@ requires windows < ETL_WINDOWS_COUNT;
  @ assigns \nothing;
  @ ensures \valid_read(\result);
  @ ensures etl_text(\result->text) && etl_text(\result->version); */
const etl_windows_info *etl_windows_get(etl_windows windows);

/*@ requires structure < ETL_MEMORY_STRUCTURE_COUNT;
  @ assigns \nothing;
  @ ensures \valid_read(\result) && \result->mode <= ETL_MEMORY_MODE_USER;
  @ ensures etl_text(\result->name); */
const etl_memory_structure_info *etl_memory_structure_get(etl_memory_structure structure);

/*@ requires evidence < ETL_EVIDENCE_COUNT;
  @ assigns \nothing;
  @ ensures \valid_read(\result); */
const etl_evidence_info *etl_evidence_get(etl_evidence evidence);

/*@ assigns \nothing;
  @ ensures etl_text(\result); */
const char *etl_arch_text(etl_arch arch); /* "x86", "x64", "arm64" */

/* The version with a name ("1903", "6.1", "6.0-late", "22H2") or a released build ("19041", "19041.1234", "10.0.19041",
   "6.1.7601.17514"), whose revision is ignored. "10.0" is the first release of Windows 10, as in the tables.
   ETL_WINDOWS_COUNT if the name is unknown or ambiguous ("6.0"), or if the build is unreleased, older or newer than the
   tables, or not of the version before it. */
/*@ requires etl_text(text);
  @ assigns \nothing;
  @ ensures \result <= ETL_WINDOWS_COUNT; */
etl_windows etl_windows_find(const char *text);

/* The build in such a text, released or not; 0 if it has none. */
/*@ requires etl_text(text);
  @ assigns \nothing; */
uint32_t etl_windows_build(const char *text);

/* ETL_ARCH_COUNT and ETL_MEMORY_STRUCTURE_COUNT if the name is unknown. */
/*@ requires etl_text(text);
  @ assigns \nothing;
  @ ensures \result <= ETL_ARCH_COUNT; */
etl_arch etl_arch_find(const char *text);

/*@ requires etl_text(name);
  @ assigns \nothing;
  @ ensures \result <= ETL_MEMORY_STRUCTURE_COUNT; */
etl_memory_structure etl_memory_structure_find(const char *name);

/* The size of a pointer. */
/*@ assigns \nothing;
  @ ensures \result == 4 || \result == 8; */
uint32_t etl_arch_pointer_size(etl_arch arch);

/* The size of the structure; 0 if this version or architecture does not have it. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures \result < UINT16_MAX; */
uint32_t etl_memory_size(etl_memory_layout layout);

/* The source of all rows of the layout besides the page; NULL if there is none. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing; */
const char *etl_memory_source(etl_memory_layout layout);

/* A claim that readers do not use: that a version has the layout of another version. */
typedef struct etl_memory_claim {
    etl_memory_layout layout; /* of the other version */
    etl_evidence evidence;
    const char *source;
} etl_memory_claim;

/* False if no source makes a claim about the layout. */
/*@ requires etl_known_layout(layout) && \valid(claim);
  @ assigns *claim; */
bool etl_memory_claimed(etl_memory_layout layout, etl_memory_claim *claim);

/* An iterator over the members of a layout, by offset. A member that is not taken comes at its offset on the page. */
typedef struct etl_memory_walk {
    etl_memory_layout layout;
    size_t row;
} etl_memory_walk;

/*@ requires etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures \result.layout == layout && \result.row <= UINT16_MAX; */
etl_memory_walk etl_memory_members(etl_memory_layout layout);

/* False at the end. */
/*@ requires \valid(walk) && \valid(member) && \separated(walk, member);
  @ requires etl_known_layout(walk->layout) && walk->row <= UINT16_MAX;
  @ assigns walk->row, *member;
  @ ensures \old(walk->row) <= walk->row <= UINT16_MAX;
  @ ensures \result ==> \old(walk->row) < walk->row && etl_known_member(*member); */
bool etl_memory_next(etl_memory_walk *walk, etl_memory_member *member);

/* The first taken member of that name; false if there is none. */
/*@ requires etl_known_layout(layout) && etl_text(name) && \valid(member);
  @ assigns *member;
  @ ensures \result ==> etl_known_member(*member); */
bool etl_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member);

/* Element `index` of an array, below its `count`, as a member; the member itself if it is not an array. */
/*@ requires \valid_read(member) && member->count >= 1;
  @ assigns \nothing;
  @ ensures \result.name == member->name && \result.type == member->type && \result.evidence == member->evidence;
  @ ensures \result.count == 1; */
etl_memory_member etl_memory_element(const etl_memory_member *member, uint32_t index);

/* Part `index`, by offset, of a member whose kind is a structure; `member` has one element. The offset of the part counts
   from the start of the outermost structure. False after the last part. */
/*@ requires \valid_read(member) && arch < ETL_ARCH_COUNT && \valid(part) && \separated(member, part);
  @ assigns *part;
  @ ensures \result ==> index < UINT8_MAX && etl_text(part->name); */
bool etl_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part);

/* The part of that name; false if there is none. */
/*@ requires \valid_read(member) && arch < ETL_ARCH_COUNT && \valid(part) && \separated(member, part) && etl_text(name);
  @ assigns *part; */
bool etl_memory_part_find(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part);

/* Reads a member with one element from the structure at the start of the span. False if the member ends beyond the span:
   then `bytes` is its part within the span, and the rest of the value is 0. */
/*@ requires \valid_read(structure.at + (0 .. structure.size - 1));
  @ requires \valid_read(member) && \valid(value) && \separated(member, value);
  @ assigns *value;
  @ ensures \valid_read(value->bytes.at + (0 .. value->bytes.size - 1)); */
bool etl_memory_read(etl_span structure, const etl_memory_member *member, etl_memory_value *value);

/* A named run of bits of a word. */
typedef struct etl_memory_bits {
    const char *name;
    uint32_t mask;
    etl_evidence evidence;
    bool spare; /* has no meaning */
} etl_memory_bits;

/* Run `index` of FLAGS, REQUEST_FLAG or LAST_ENABLED in a version, lowest bits first. False after the last run. */
/*@ requires \valid(bits);
  @ assigns *bits;
  @ ensures \result ==> index < UINT8_MAX;
  @ ensures \result ==> bits->evidence < ETL_EVIDENCE_COUNT; */
bool etl_memory_bits_get(etl_memory_meaning meaning, etl_windows windows, uint32_t index, etl_memory_bits *bits);

/* The same for a layout; also false if members with this meaning belong to another structure. */
/*@ requires \valid(bits);
  @ assigns *bits;
  @ ensures \result ==> index < UINT8_MAX && bits->evidence < ETL_EVIDENCE_COUNT; */
bool etl_memory_bits_of(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits);

/* The addresses that a pointer of the structure may hold besides null, from `least` to `most`. In x86 user mode only the
   first 64 KiB are excluded; a 32-bit kernel has the upper half or the upper quarter. */
typedef struct etl_memory_half {
    uint64_t least, most;
} etl_memory_half;

/*@ requires etl_known_layout(layout);
  @ assigns \nothing; */
etl_memory_half etl_memory_half_of(etl_memory_layout layout);

/* The first address of the kernel's half. */
#define ETL_MEMORY_KERNEL_LEAST_X86 UINT32_C(0x80000000)
#define ETL_MEMORY_KERNEL_LEAST_X64 UINT64_C(0xFFFF800000000000)

/* Sessions at most; identifiers are below it. MAXLOGGERS of ntwmi.h. */
#define ETL_MEMORY_LOGGERS_MOST 64
/* The size of the buffers of a session, a multiple of the least. */
#define ETL_MEMORY_BUFFER_SIZE_LEAST 0x400
#define ETL_MEMORY_BUFFER_SIZE_MOST 0x1000000

/* Checks the structure at the start of the span, at `offset` of the file, by the rules of the group `layout`. Adds its
   findings: about single members first, by offset, then about members in combination. Members beyond the end of the span
   are not checked. */
/*@ requires etl_known_layout(layout) && \valid_read(structure.at + (0 .. structure.size - 1));
  @ requires \valid(findings) && findings->count <= ETL_FINDINGS_MAX;
  @ requires \separated(findings, structure.at + (0 .. structure.size - 1));
  @ assigns *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
void etl_memory_check(etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings);

/*
 * Guessing: how plausible it is that bytes are a structure of a layout. The score is the sum of the points of all members,
 * which are log-odds against other memory. Members that are not taken, and members of arbitrary value, have no points.
 */
#define ETL_GUESS_BIT 16 /* points of one bit: odds of 2 to 1 */

/* The first and the last plausible time, in 1999 and 2042, as FILETIME. */
#define ETL_GUESS_TIME_LEAST UINT64_C(0x01BE347BF8EF0000)
#define ETL_GUESS_TIME_MOST UINT64_C(0x0204000000000000)
/* Reference counts in use are below it. */
#define ETL_GUESS_REFERENCES_END (UINT32_C(1) << 20)

/* The results of tests of members: format/layouts/clues.def. */
typedef enum etl_clue {
#define ETL_CLUE(probe, result, x86, x64, text) ETL_CLUE_##probe##_##result,
#include "format/layouts/clues.def"
    ETL_CLUE_COUNT
} etl_clue;

typedef struct etl_clue_info {
    const char *text;
    int16_t points[ETL_ARCH_COUNT];
} etl_clue_info;

/*@ requires clue < ETL_CLUE_COUNT;
  @ assigns \nothing;
  @ ensures \valid_read(\result); */
const etl_clue_info *etl_clue_get(etl_clue clue);

/* Names in tests without a member: of the gaps between members, and of all lists together. */
#define ETL_GUESS_PADDING "padding"
#define ETL_GUESS_LISTS "lists"

/* A test of a member. */
typedef struct etl_guess_test {
    const char *member; /* its name */
    uint16_t offset, size;
    uint8_t probe;   /* the kind of test, enum etl_probe */
    uint8_t element; /* of an array, counted from 1; 0 if it is not an array */
    uint32_t with;   /* the operand: the offset of another member, or the bits that have a meaning */
} etl_guess_test;

/* More than any layout needs. */
#define ETL_GUESS_TESTS_MAX 192

/* The tests for structures of one layout, by offset. */
typedef struct etl_guess_plan {
    etl_memory_layout layout;
    uint32_t size; /* of the structure */
    uint32_t count;
    etl_memory_half half;
    etl_guess_test tests[ETL_GUESS_TESTS_MAX];
} etl_guess_plan;

/*@
  predicate etl_prepared{L}(etl_guess_plan *plan) =
    \valid_read(plan) && etl_known_layout(plan->layout) && plan->count <= ETL_GUESS_TESTS_MAX;
*/

/* Fills in the plan; false, without tests, if the version or architecture does not have the structure. */
/*@ requires \valid(plan) && etl_known_layout(layout);
  @ assigns *plan;
  @ ensures etl_prepared(plan); */
bool etl_guess_prepare(etl_guess_plan *plan, etl_memory_layout layout);

/* The result of test `index`, below the count, for the structure at the start of the span. */
/*@ requires etl_prepared(plan) && index < plan->count && \valid_read(structure.at + (0 .. structure.size - 1));
  @ assigns \nothing;
  @ ensures \result < ETL_CLUE_COUNT; */
etl_clue etl_guess_clue(const etl_guess_plan *plan, uint32_t index, etl_span structure);

/* The sum of the points of all tests. Stops early, and returns the sum so far, once it is below `floor`. */
/*@ requires etl_prepared(plan) && \valid_read(structure.at + (0 .. structure.size - 1));
  @ assigns \nothing; */
int32_t etl_guess_score(const etl_guess_plan *plan, etl_span structure, int32_t floor);

/* Whether the bytes at the start of the span fit two layouts of a structure and architecture equally: every member that
   only one of them has at that offset is zeros there, and may be zeros in use. */
/*@ requires etl_prepared(a) && etl_prepared(b) && \valid_read(structure.at + (0 .. structure.size - 1));
  @ assigns \nothing; */
bool etl_guess_alike(const etl_guess_plan *a, const etl_guess_plan *b, etl_span structure);

/* The last version, from layout.windows on without a gap, with the same members at the same offsets. Bytes cannot tell
   these versions apart. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures layout.windows <= \result < ETL_WINDOWS_COUNT; */
etl_windows etl_memory_same_until(etl_memory_layout layout);

ETL_C_END

#endif
