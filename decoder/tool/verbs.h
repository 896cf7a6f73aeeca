/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of this room, a file each. argv[0] is the verb, and NULL ends it.
 */
#ifndef ETLPROOF_VERBS_H
#define ETLPROOF_VERBS_H

#include "tool.h"

etl_exit etl_verb_decode(char **argv);
etl_exit etl_verb_validate(char **argv);
etl_exit etl_verb_map(char **argv);
etl_exit etl_verb_explain(char **argv);
etl_exit etl_verb_recover(char **argv);
etl_exit etl_verb_layout(char **argv);

#endif
