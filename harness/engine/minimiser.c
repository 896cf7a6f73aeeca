/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program `etlproof-minimiser`: makes candidates for a target that tries them (trimming.c). It walks inputs with the
 * decoder, and the decoder is what has the bug: so this is a process of its own, without sanitizers, and the target goes on
 * without structure should it end or hang.
 *
 *     etlproof-minimiser KIND SEARCHES
 *
 * KIND is one of input.h, SEARCHES how many candidates by chance may bring nothing before there are no more. Standard
 * input: the input, then a byte for each candidate, 1 if it holds. Standard output: the candidates; one of size 0 says that
 * there are no more. An input and a candidate are their size, as a uint32_t of this machine, and their bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "minimiser.h"

static bool get(void *at, size_t size)
{
    return fread(at, 1, size, stdin) == size;
}

static bool put(const uint8_t *at, uint32_t size)
{
    return fwrite(&size, sizeof size, 1, stdout) == 1 && fwrite(at, 1, size, stdout) == size && fflush(stdout) == 0;
}

/* Until there are no more candidates, or nobody is there to try them. */
static void serve(mutator_minimiser *minimiser)
{
    const uint8_t *candidate = NULL;
    uint8_t holds = 0;
    size_t size;
    do
        size = mutator_minimiser_next(minimiser, &candidate);
    while (put(candidate, (uint32_t)size) && size != 0 && get(&holds, sizeof holds) &&
           (mutator_minimiser_tell(minimiser, holds != 0), true));
}

int main(int argc, char **argv)
{
    input_kind kind;
    uint32_t size = 0;
#if defined(_WIN32) /* which would change line ends */
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
#endif
    if (argc != 3 || !input_find(argv[1], &kind)) {
        (void)fprintf(stderr, "usage: %s KIND SEARCHES\nKIND is one of: %s\n", argv[0], input_names());
        return 64;
    }
    if (!get(&size, sizeof size))
        return 66;
    uint8_t *in = malloc(size != 0 ? size : 1);
    if (in == NULL || !get(in, size)) {
        free(in);
        return 66;
    }
    mutator_minimiser *minimiser = mutator_minimiser_new(kind, in, size, strtoul(argv[2], NULL, 10));
    serve(minimiser);
    mutator_minimiser_free(minimiser);
    free(in);
    return 0;
}
