/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Broken recipes for tests. The @ in a text is not part of the recipe: it marks the position of the error.
 */
#ifndef ETLPROOF_RECIPE_FAULT_FIXTURE_H
#define ETLPROOF_RECIPE_FAULT_FIXTURE_H

#include <stdlib.h>

#include "recipe_fixture.h"

static inline bool take_any(void *context, const build_vector *vector)
{
    (void)context;
    (void)vector;
    return true;
}

/* A recipe without its mark, and the mark's line and column. The last @ counts: comments may hold others. */
static inline char *unmark(const char *text, uint32_t *line, uint32_t *column)
{
    const char *mark = strrchr(text, '@'), *start = mark;
    char *copy = calloc(1, strlen(text) + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, text, (size_t)(mark - text));
    memcpy(copy + (mark - text), mark + 1, strlen(mark));
    for (*line = 1; start > text && start[-1] != '\n';)
        start--;
    for (const char *c = text; c < start; c++)
        *line += *c == '\n';
    *column = (uint32_t)(mark - start) + 1;
    return copy;
}

static inline void check_fault(const char *name, const char *marked, const char *message)
{
    uint32_t line, column;
    char *text = unmark(marked, &line, &column);
    build_recipe_error error;
    memset(&error, 0x55, sizeof error);
    const bool read = build_recipe_read(text, strlen(text), name, BUILD_RECIPE_WORK_MAX, take_any, NULL, &error);
    if (read || error.line != line || error.column != column || strcmp(error.text, message) != 0)
        printf("in: %s\n", marked);
    CHECK(!read);
    CHECK_TEXT(message, error.text);
    CHECK_UINT(line, error.line);
    CHECK_UINT(column, error.column);
    free(text);
}

#endif
