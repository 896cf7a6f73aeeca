/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The role of each member of each structure for the mutator: member_roles.def as a table.
 */
#ifndef ETLPROOF_MUTATOR_MEMBER_ROLES_H
#define ETLPROOF_MUTATOR_MEMBER_ROLES_H

#include "etlproof/format.h"

typedef enum mutator_role {
#define MUTATOR_ROLE(name, text) MUTATOR_ROLE_##name,
#include "member_roles.def"
    MUTATOR_ROLES /* their number */
} mutator_role;

typedef struct mutator_table {
    const uint32_t *at;
    size_t count;
} mutator_table;

/*
 * The role of a structure's member, by its index in etl_structure_members, and the values that a table of the format lists
 * for it, if there is a table. MUTATOR_ROLES if member_roles.def lacks a row for the member, which is a mistake there.
 */
mutator_role mutator_role_of(etl_structure_id structure, size_t member, mutator_table *table);
const char *mutator_role_text(mutator_role role);

#endif
