/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in verbs, one file each. argv[0] is the verb, and NULL ends argv. Each returns the exit code of the command.
 */
#ifndef ETLPROOF_VERBS_VERBS_H
#define ETLPROOF_VERBS_VERBS_H

#include "io/command.h"

tool_exit tool_verb_decode(char **argv);
tool_exit tool_verb_validate(char **argv);
tool_exit tool_verb_schema(char **argv);
tool_exit tool_verb_map(char **argv);
tool_exit tool_verb_explain(char **argv);
tool_exit tool_verb_recover(char **argv);
tool_exit tool_verb_layout(char **argv);

#endif
