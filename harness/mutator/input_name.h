/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of inputs by the names that people type: those of enum etl_input, in lower case.
 */
#ifndef ETLPROOF_INPUT_NAME_H
#define ETLPROOF_INPUT_NAME_H

#include <stdbool.h>

#include "input.h"

/* False if there is no kind of that name. Upper case will do too. */
bool etl_input_find(const char *name, etl_input *input);

/* All names, for messages: "file, buffer, event, ..." */
const char *etl_input_names(void);

#endif
