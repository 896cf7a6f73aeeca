/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: recover_test PATH... [--cuts N] [--flips N] [--seed S]
 *
 * Recovers every .etl file under PATH and checks the promises of recovery on the result. A vector, whose expectation is
 * a line of a .jsonl file beside it, must be accepted or rejected as the expectation states. With --cuts and --flips,
 * files are not used whole, but cut at N random offsets and changed in one byte at N others, one damage at a time.
 * Exits 77 if there is no file.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recovery_check.h"

#define FAILURES_SHOWN 20u
#define FILES_MAX 8192u

typedef struct totals {
    uint64_t files, recovered, copied, refused, failures;
    uint64_t read, dropped, written; /* events */
} totals;

static totals sum;
static char *paths[FILES_MAX];
static size_t path_count;

/* The vectors that the .jsonl files beside them list: paths without ending, and the expected verdict. */
static struct {
    char *stem;
    bool accept, reject;
} vectors[FILES_MAX];
static size_t vector_count;

static char *read_file(const char *path, size_t *size);

/* Remembers the vector of one line of expectations in `folder`. */
static void remember_vector(const char *folder, const char *line)
{
    static const char id_key[] = "\"id\": \"";
    const char *id = strstr(line, id_key);
    const char *end = id != NULL ? strchr(id + strlen(id_key), '"') : NULL;
    char stem[4096];
    if (end == NULL || vector_count == FILES_MAX)
        return;
    id += strlen(id_key);
    (void)snprintf(stem, sizeof stem, "%s/%.*s", folder, (int)(end - id), id);
    vectors[vector_count].stem = strdup(stem);
    vectors[vector_count].accept = strstr(line, "\"verdict\": \"accept\"") != NULL;
    vectors[vector_count].reject = strstr(line, "\"verdict\": \"reject\"") != NULL;
    vector_count++;
}

static void remember_vectors(const char *path)
{
    size_t size;
    char *lines = read_file(path, &size), *folder = strdup(path);
    if (lines == NULL || folder == NULL)
        abort();
    *strrchr(folder, '/') = '\0';
    for (char *line = strtok(lines, "\n"); line != NULL; line = strtok(NULL, "\n"))
        remember_vector(folder, line);
    free(folder);
    free(lines);
}

/* Visits subfolders, and the files whose names end as those of traces, in the order of their names. */
static void remember(const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    const char *dot = strrchr(path, '.');
    if (count < 0 && dot != NULL && strcmp(dot, ".etl") == 0 && path_count < FILES_MAX)
        paths[path_count++] = strdup(path);
    if (count < 0 && dot != NULL && strcmp(dot, ".jsonl") == 0 && strchr(path, '/') != NULL)
        remember_vectors(path);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            remember(inner);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* The whole file, with a NUL after it. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *size = (size_t)ftell(file);
    char *bytes = malloc(*size + 1);
    rewind(file);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size)
        abort();
    bytes[*size] = '\0';
    (void)fclose(file);
    return bytes;
}

static void fail(const char *path, const char *how, uint64_t at, const char *what)
{
    if (++sum.failures <= FAILURES_SHOWN)
        printf("not ok - %s, %s at %" PRIu64 ": %s\n", path, how, at, what);
}

/* A vector with verdict `accept` conforms, one with `reject` does not; others are not checked. */
static const char *wrong_exit(const char *path, tool_exit code)
{
    const size_t length = strlen(path) - strlen(".etl");
    for (size_t i = 0; i < vector_count; i++) {
        if (strncmp(vectors[i].stem, path, length) != 0 || vectors[i].stem[length] != '\0')
            continue;
        if (vectors[i].accept && code != TOOL_EXIT_CONFORMING)
            return "a vector with verdict accept does not conform";
        if (vectors[i].reject && code == TOOL_EXIT_CONFORMING)
            return "a vector with verdict reject conforms";
    }
    return NULL;
}

/* Recovers `size` bytes of a file, in an allocation of exactly that size. Returns the exit status of recovery. */
static tool_exit hold(const char *path, const char *how, uint64_t at, const char *bytes, size_t size)
{
    target_recovered_file made;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, bytes, size);
    target_recovered_make(&made, (etl_span){copy, size}, ETL_LIMITS_DEFAULT);
    if (made.broken != NULL)
        fail(path, how, at, made.broken);
    sum.files++;
    sum.recovered += made.files;
    sum.copied += made.exit == TOOL_EXIT_CONFORMING;
    sum.refused += made.exit == TOOL_EXIT_NOT_ETL;
    sum.read += made.read;
    sum.dropped += made.dropped;
    sum.written += made.events;
    free(copy);
    return made.exit;
}

static void take_whole(void)
{
    for (size_t i = 0; i < path_count; i++) {
        size_t size = 0;
        char *bytes = read_file(paths[i], &size);
        if (bytes == NULL)
            abort();
        const char *wrong = wrong_exit(paths[i], hold(paths[i], "whole", size, bytes, size));
        if (wrong != NULL)
            fail(paths[i], "whole", size, wrong);
        free(bytes);
    }
}

static uint64_t random_below(uint64_t *state, uint64_t most)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 20) % most;
}

/* One file, chosen and damaged at random. */
static void take_damaged(uint64_t *state, bool cut)
{
    const char *path = paths[random_below(state, path_count)];
    size_t size = 0;
    char *bytes = read_file(path, &size);
    if (bytes == NULL)
        abort();
    const uint64_t at = random_below(state, size);
    const char change = (char)(1 + random_below(state, 255));
    if (!cut)
        bytes[at] ^= change;
    (void)hold(path, cut ? "cut" : "changed", at, bytes, cut ? (size_t)at : size);
    free(bytes);
}

static void report(void)
{
    printf("%" PRIu64 " files: %" PRIu64 " recovered, %" PRIu64 " copied, %" PRIu64 " not recovered, %" PRIu64
           " failures\n",
           sum.files, sum.recovered, sum.copied, sum.refused, sum.failures);
    printf("in the recovered files: %" PRIu64 " events read, %" PRIu64 " of them dropped, %" PRIu64
           " written, including new logfile headers\n", sum.read, sum.dropped, sum.written);
}

int main(int argc, char **argv)
{
    uint64_t cuts = 0, flips = 0, seed = 1;
    for (int i = 1; i < argc; i++) {
        uint64_t *number = strcmp(argv[i], "--cuts") == 0    ? &cuts
                           : strcmp(argv[i], "--flips") == 0 ? &flips
                           : strcmp(argv[i], "--seed") == 0  ? &seed
                                                             : NULL;
        if (number != NULL && i + 1 < argc)
            *number = strtoull(argv[++i], NULL, 0);
        else
            remember(argv[i]);
    }
    if (path_count == 0) {
        puts("SKIPPED: no traces");
        return 77;
    }
    for (uint64_t i = 0; i < cuts + flips; i++)
        take_damaged(&seed, i < cuts);
    if (cuts + flips == 0)
        take_whole();
    report();
    for (size_t i = 0; i < path_count; i++)
        free(paths[i]);
    for (size_t i = 0; i < vector_count; i++)
        free(vectors[i].stem);
    return sum.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
