/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that decode an input again are most of the cost of some targets. While an engine fuzzes, an input gets one group
 * of these checks, chosen by its bytes: the same input always gets the same group, and all groups get equally many inputs.
 * Wherever files are run, by whatever program, an input gets all groups, so that every failure reproduces and minimising
 * does not depend on the group.
 */
#ifndef ETLPROOF_ENGINE_SHARE_H
#define ETLPROOF_ENGINE_SHARE_H

#include <stdbool.h>

#include "etlproof/bytes.h"

/* Groups for a target with a single such check: one input in ENGINE_SHARE gets it. */
#define ENGINE_SHARE 4u
/* The same where the check costs several times what the target does. */
#define ENGINE_SHARE_RARE 16u

/*
 * For engines: sets whether inputs come from fuzzing from now on; before the first call they do not. With
 * ETLPROOF_SHARE=off in the environment they never do: for engines that the target cannot distinguish from a fuzzing one,
 * as afl-tmin and afl-cmin.
 */
void engine_share_begin(bool fuzzing);

/* The checks that an input gets. */
typedef struct engine_share {
    bool all;
    uint64_t hash; /* of the input, unless it gets all */
} engine_share;

engine_share engine_share_of(etl_span input);

/* Whether the input gets group `group`, from 0 on, of `groups`. */
bool engine_share_has(engine_share share, unsigned group, unsigned groups);

/*
 * Whether the arguments of a libFuzzer program make it fuzz. It does not if they name a file, as minimising does, and with
 * -runs=0 or a merge, which run the corpus.
 */
bool engine_share_is_fuzzing(int count, char *const *arguments);

#endif
