/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program `etlproof-minimiser`: reads an input from standard input and writes candidates to standard output, for
 * the caller, which tries them: a target's --trim (candidate_process.c), and scripts/triage. It reads inputs with the
 * decoder, which may have the very bug: so it is a process of its own, without sanitizers, and the caller continues
 * without structure if it ends or hangs.
 *
 *     etlproof-minimiser [--structure-only] KIND SEARCHES
 *
 * KIND is a name of inputs.def; SEARCHES is how many random candidates may fail before the search ends.
 * --structure-only: structural_trim.h alone, as `etlproof mutate --trim` does. Standard input: the input, then a byte
 * for each candidate, 1 if it still fails. Standard output: the candidates; one of size 0 means that there are no more.
 * The input and each candidate are their size, as a uint32_t of this machine, and their bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "minimise_candidates.h"
#include "structural_trim.h"

typedef struct arguments {
    input_kind kind;
    unsigned long searches;
    bool structure_only;
} arguments;

static bool get(void *at, size_t size)
{
    return fread(at, 1, size, stdin) == size;
}

static bool put(const uint8_t *at, uint32_t size)
{
    return fwrite(&size, sizeof size, 1, stdout) == 1 && fwrite(at, 1, size, stdout) == size && fflush(stdout) == 0;
}

/* Gives the candidate to the caller. True if there is a next one to make. */
static bool offer(const uint8_t *candidate, size_t size, bool *holds)
{
    uint8_t verdict = 0;
    const bool answered = put(candidate, (uint32_t)size) && size != 0 && get(&verdict, sizeof verdict);
    *holds = verdict != 0;
    return answered;
}

/* Runs until there are no more candidates, or the caller has ended. */
static void serve(const arguments *a, const uint8_t *in, size_t size)
{
    minimise_candidates *candidates = minimise_candidates_new(a->kind, in, size, a->searches);
    const uint8_t *candidate = NULL;
    bool holds = false;
    while (size = minimise_candidates_next(candidates, &candidate), offer(candidate, size, &holds))
        minimise_candidates_tell(candidates, holds);
    minimise_candidates_free(candidates);
}

static void serve_structure(const arguments *a, const uint8_t *in, size_t size)
{
    minimise_trim *trim = minimise_trim_new(a->kind);
    const uint8_t *candidate = NULL;
    bool holds = false;
    (void)minimise_trim_begin(trim, in, size);
    while (size = minimise_trim_next(trim, &candidate), offer(candidate, size, &holds))
        minimise_trim_tell(trim, holds);
    minimise_trim_free(trim);
}

static bool read_arguments(int argc, char **argv, arguments *a)
{
    a->structure_only = argc > 1 && strcmp(argv[1], "--structure-only") == 0;
    const int first = a->structure_only ? 2 : 1;
    if (argc != first + 2 || !input_find(argv[first], &a->kind))
        return false;
    a->searches = strtoul(argv[first + 1], NULL, 10);
    return true;
}

int main(int argc, char **argv)
{
    arguments a;
    uint32_t size = 0;
#if defined(_WIN32) /* Windows would change line ends */
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
#endif
    if (!read_arguments(argc, argv, &a)) {
        (void)fprintf(stderr, "usage: %s [--structure-only] KIND SEARCHES\nKIND is one of: %s\n", argv[0],
                      input_names());
        return 64;
    }
    if (!get(&size, sizeof size))
        return 66;
    uint8_t *in = malloc(size != 0 ? size : 1);
    if (in == NULL || !get(in, size)) {
        free(in);
        return 66;
    }
    (a.structure_only ? serve_structure : serve)(&a, in, size);
    free(in);
    return 0;
}
