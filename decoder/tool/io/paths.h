/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What paths lead to, as each system has it.
 */
#ifndef ETLPROOF_PATHS_H
#define ETLPROOF_PATHS_H

#include <stdbool.h>

/* What parts the names of a path: either of them. */
extern const char tool_path_slashes[];

/* Whether something is there. */
bool tool_path_exists(const char *path);
/* Whether both lead to the same file, through whatever links. */
bool tool_path_same_file(const char *a, const char *b);
/* Whether both say the same name in the same folder, where a new file would take the place of the other. */
bool tool_path_same_place(const char *a, const char *b);
/* Nothing but an ordinary file, which can be read twice, and replaced; or nothing at all. */
bool tool_path_ordinary(const char *path);
/* Gives a file another name of its folder; over what has that name only if it is to `replace` it. False, and errno says
   why: both are then as they were. */
bool tool_path_move(const char *path, const char *to, bool replace);

#endif
