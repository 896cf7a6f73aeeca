/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that decode an input once more, and once more in another way, are most of what their targets cost. While an engine
 * fuzzes, an input gets one part of them, by its bytes: the same input always the same part, and each part as many inputs
 * as any other. Wherever files are run, by whatever program, an input gets all parts: what was found is found again, and
 * what makes files smaller or fewer does not go by which part each of them would get.
 */
#ifndef ETLPROOF_SHARE_H
#define ETLPROOF_SHARE_H

#include <stdbool.h>

#include "etlproof/bytes.h"

/* Of so many inputs one is checked, where there is one check and no other to take turns with. */
#define ENGINE_SHARE 4u
/* The same, where the check costs several times what the target does. */
#define ENGINE_SHARE_RARE 16u

/*
 * For engines: says whether inputs come from fuzzing from now on. They do not until that is said, nor with
 * ETLPROOF_SHARE=off in the environment: for engines that cannot tell, such as afl-tmin and afl-cmin from afl-fuzz.
 */
void engine_share_begin(bool fuzzing);

/* What an input gets. */
typedef struct engine_share {
    bool all;
    uint64_t hash; /* of the input, unless it gets all */
} engine_share;

engine_share engine_share_of(etl_span input);

/* Whether it gets part `part`, from 0 on, of `parts`. */
bool engine_share_has(engine_share share, unsigned part, unsigned parts);

/*
 * Whether the arguments of a program with libFuzzer in it make it fuzz. It runs the files that it is given, and with
 * -runs=0, or to merge, the corpus; a minimisation has a file too.
 */
bool engine_share_is_fuzzing(int count, char *const *arguments);

#endif
