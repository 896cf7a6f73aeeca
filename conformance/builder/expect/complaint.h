/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of an error about one node of a vector.
 */
#ifndef ETLPROOF_COMPLAINT_H
#define ETLPROOF_COMPLAINT_H

#include <stdbool.h>

/* Sets `*why` to "NODE: TEXT", which is valid until the next call in the same thread. Returns false. */
bool build_complain(const char **why, const char *node, const char *text);

#endif
