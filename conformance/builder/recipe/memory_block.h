/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memory STRUCTURE WINDOWS ARCH { MEMBER = value … }`: a structure in memory, its members and places.
 */
#ifndef ETLPROOF_MEMORY_BLOCK_H
#define ETLPROOF_MEMORY_BLOCK_H

#include "recipe/recipe_parser.h"

/* Parses what follows the word `memory`. */
const build_memory *build_memory_block(build_parser *p);
/* Parses `MEMBER = value` and sets the member. */
void build_memory_block_assign(build_parser *p, build_memory *memory);
/* Parses a member, an element or a part: "LoggerId", "EnableInfo[2].Level", "at(0x58)". */
etl_memory_member build_memory_block_path(build_parser *p, const build_memory *memory);
/* Whether a value is the name of a member of p->memory. */
bool build_memory_block_has_member(const build_parser *p, const build_value *value);
/* Calls end(…), size(…), value(…), file() or at(…) of p->memory. False if the name is none of them. */
bool build_memory_block_function(build_parser *p, const build_token *name, build_value *value);
/* The layout that three texts name, such as "ETW_GUID_ENTRY", "1903", "x64"; fails at the token if there is none. */
etl_memory_layout build_memory_block_layout(build_parser *p, const build_token *at, const char *const texts[3]);

#endif
