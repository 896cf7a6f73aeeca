/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "visit_vectors.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void fail(const char *path)
{
    perror(path);
    exit(66);
}

static void visit_file(const char *path, input_kind input, size_t size, vector_visitor *visit, void *state)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1);
    if (file == NULL || bytes == NULL || fread(bytes, 1, size, file) != size)
        fail(path);
    fclose(file);
    const vector v = {path, input, bytes, size};
    visit(&v, state);
    free(bytes);
}

/* By the end of its name. */
static bool input_by_name(const char *name, input_kind *input)
{
    const char *ending = strrchr(name, '.');
    if (ending == NULL || (strcmp(ending, ".etl") != 0 && strcmp(ending, ".recipe") != 0))
        return false;
    *input = strcmp(ending, ".etl") == 0 ? INPUT_FILE : INPUT_RECIPE;
    return true;
}

static size_t visit_path(char *path, vector_visitor *visit, void *state);

static size_t visit_directory(const char *path, vector_visitor *visit, void *state)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    size_t visited = 0;
    if (count < 0)
        fail(path);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            visited += visit_path(inner, visit, state);
        free(entries[i]);
    }
    free(entries);
    return visited;
}

static size_t visit_path(char *path, vector_visitor *visit, void *state)
{
    struct stat status;
    input_kind input;
    if (stat(path, &status) != 0)
        fail(path);
    if (S_ISDIR(status.st_mode))
        return visit_directory(path, visit, state);
    if (!input_by_name(path, &input))
        return 0;
    visit_file(path, input, (size_t)status.st_size, visit, state);
    return 1;
}

size_t visit_files(int count, char **directories, vector_visitor *visit, void *state)
{
    size_t visited = 0;
    for (int i = 0; i < count; i++)
        visited += visit_path(directories[i], visit, state);
    return visited;
}

/* Parts. */

static void put_context(uint8_t *out, const mutator_draft *draft, size_t inflated_size)
{
    const input_context context = {draft->context, draft->shape, (uint32_t)inflated_size};
    input_context_write(&context, out);
}

/* The bytes of a piece and of all pieces in it. */
static size_t put_piece(const mutator_piece *piece, bool inner, uint8_t *out)
{
    size_t size = 0;
    if (piece->size > 0)
        memcpy(out, piece->at, size = piece->size);
    for (const mutator_piece *p = inner ? piece->first : NULL; p != NULL; p = p->next)
        size += put_piece(p, p->kind != MUTATOR_PIECE_STREAM, out + size);
    return size;
}

static input_kind input_of(const mutator_piece *piece)
{
    switch (piece->kind) {
    case MUTATOR_PIECE_BUFFER: return INPUT_BUFFER;
    case MUTATOR_PIECE_ITEM: return INPUT_ITEMS;
    case MUTATOR_PIECE_STREAM: return INPUT_STREAM;
    case MUTATOR_PIECE_EVENT:
        if (piece->structure == ETL_STRUCTURE_MESSAGE_TRACE_HEADER)
            return INPUT_MESSAGE;
        for (const mutator_piece *p = piece->first; p != NULL; p = p->next)
            if (p->kind == MUTATOR_PIECE_RECORD)
                return INPUT_LOGFILE;
        return INPUT_EVENT;
    default: return INPUT_COUNT;
    }
}

/* An event is given with all that follows it, an item with the rest of its chain. */
static size_t put_part(const mutator_piece *piece, uint8_t *out)
{
    const bool row = piece->kind == MUTATOR_PIECE_EVENT || piece->kind == MUTATOR_PIECE_ITEM;
    size_t size = put_piece(piece, piece->kind != MUTATOR_PIECE_STREAM, out);
    for (const mutator_piece *p = piece->next; row && p != NULL && p->kind == piece->kind; p = p->next)
        size += put_piece(p, true, out + size);
    return size;
}

static void visit_part(const vector *file, const mutator_draft *draft, const mutator_piece *piece, uint8_t *scratch,
                       vector_visitor *visit, void *state)
{
    size_t inflated = 0;
    for (const mutator_piece *p = piece->first; p != NULL; p = p->next)
        inflated += mutator_piece_extent(p);
    put_context(scratch, draft, inflated);
    const size_t size = INPUT_CONTEXT_SIZE + put_part(piece, scratch + INPUT_CONTEXT_SIZE);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        fail(file->path);
    memcpy(bytes, scratch, size);
    const vector v = {file->path, input_of(piece), bytes, size};
    visit(&v, state);
    free(bytes);
}

size_t visit_parts(const vector *file, vector_visitor *visit, void *state)
{
    enum { EACH_MOST = 4 };
    mutator_draft *draft = mutator_draft_new();
    size_t seen[INPUT_COUNT] = {0}, visited = 0, most = INPUT_CONTEXT_SIZE;
    mutator_draft_read(draft, INPUT_FILE, file->bytes, file->size);
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        most += p->size;
    uint8_t *scratch = malloc(most);
    if (scratch == NULL)
        fail(file->path);
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p)) {
        const input_kind input = input_of(p);
        if (input == INPUT_COUNT || seen[input]++ >= EACH_MOST)
            continue;
        visit_part(file, draft, p, scratch, visit, state);
        visited++;
    }
    free(scratch);
    mutator_draft_free(draft);
    return visited;
}
