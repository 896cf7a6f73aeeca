/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats an error message from the name of a node and a text. Called wherever a vector's patch and claims do not fit its
 * trace.
 */
#include "expect/complaint.h"

#include <stdio.h>

bool build_complain(const char **why, const char *node, const char *text)
{
    static _Thread_local char message[256];
    (void)snprintf(message, sizeof message, "%s: %s", node, text);
    *why = message;
    return false;
}
