/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the format's tables: "BufferFlag.COMPRESSED", rules, regions, actions, structures, flags and kinds of metadata.
 */
#ifndef ETLPROOF_FORMAT_NAMES_H
#define ETLPROOF_FORMAT_NAMES_H

#include "recipe/recipe_parser.h"

/* Whether a word names a table: "BufferFlag". */
bool build_format_name_is_table(const build_token *table);
/* Takes a name of that table, a word or a string, and returns its value; fails if the table has no such name. */
uint64_t build_format_name_value(build_parser *p, const build_token *table);
/* A header type or item type by name; false if there is none. */
bool build_format_name_header_type(const build_token *name, uint64_t *type);
bool build_format_name_item_type(const build_token *name, uint64_t *type);
/* Each takes the words that name a row; fails if there is no such row. */
etl_structure_id build_format_name_structure(build_parser *p);
etl_region_kind build_format_name_region(build_parser *p);
etl_action build_format_name_action(build_parser *p);
etl_rule build_format_name_rule(build_parser *p);
const char *build_format_name_flag(build_parser *p);
const char *build_format_name_metadata(build_parser *p);
/* Likewise; each returns the name of the row. */
const char *build_format_name_in_type(build_parser *p);
const char *build_format_name_out_type(build_parser *p);

#endif
