/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the members of structures are to a mutator: roles.def as a table.
 */
#ifndef ETLPROOF_ROLES_H
#define ETLPROOF_ROLES_H

#include "etlproof/format.h"

typedef enum etl_role {
#define ETL_ROLE(name, text) ETL_ROLE_##name,
#include "roles.def"
    ETL_ROLES /* as many as there are */
} etl_role;

typedef struct etl_table {
    const uint32_t *at;
    size_t count;
} etl_table;

/*
 * The role of a structure's member, by its place in etl_structure_members, and the values that a table of the format lists
 * for it; no table, no values. ETL_ROLES if roles.def has no row for it, which is a mistake there.
 */
etl_role etl_role_of(etl_structure_id structure, size_t member, etl_table *table);
const char *etl_role_text(etl_role role);

#endif
