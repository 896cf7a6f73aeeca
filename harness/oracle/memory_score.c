/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the score of bytes as a structure in memory: each clue is about existing bytes, and the points add up.
 * Called by fuzz_layout.
 */
#include "entry_points.h"

static bool adds_up(const etl_guess_plan *plan, etl_span structure, int32_t score)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const uint32_t end = plan->tests[i].offset + plan->tests[i].size;
        const etl_clue clue = etl_guess_clue(plan, i, structure);
        if (!ORACLE_HOLDS(end <= plan->size) || !ORACLE_HOLDS(clue < ETL_CLUE_COUNT) ||
            !ORACLE_HOLDS(end <= structure.size || clue == ETL_CLUE_NONE_UNKNOWN))
            return false;
        sum += etl_clue_get(clue)->points[plan->layout.arch];
    }
    return ORACLE_HOLDS(sum == score);
}

bool oracle_guess(oracle_watch *oracle, const etl_guess_plan *plan, etl_span structure, oracle_guess_scores scores)
{
    const bool holds = adds_up(plan, structure, scores.all) &&
                       ORACLE_HOLDS(scores.early == scores.all || scores.early < scores.floor) &&
                       ORACLE_HOLDS(scores.same == scores.all);
    return holds || oracle_break(oracle, ORACLE_PROMISE_GUESS, 0);
}
