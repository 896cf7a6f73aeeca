/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitmix64: any seed works, and neighbouring seeds give unrelated numbers.
 */
#include "random.h"

mutator_random mutator_random_seed(uint64_t seed)
{
    return (mutator_random){seed};
}

uint64_t mutator_random_next(mutator_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

size_t mutator_random_below(mutator_random *random, size_t below)
{
    return (size_t)(mutator_random_next(random) % below);
}

bool mutator_random_once_in(mutator_random *random, size_t of)
{
    return mutator_random_below(random, of) == 0;
}

size_t mutator_random_small(mutator_random *random, size_t most)
{
    size_t bound = most;
    while (bound > 1 && !mutator_random_once_in(random, 4))
        bound = (bound + 1) / 2;
    return 1 + mutator_random_below(random, bound);
}
