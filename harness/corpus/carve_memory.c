/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures in memory as inputs of the fuzz targets. They come from vectors, whose layout is in their expectation.
 */
#include <string.h>

#include "carve.h"

/* An input gives the layout, a byte each, and where it is cut. */
#define LAYOUT_SIZE 4u

/* The table's word for a missing layout. */
enum { NONE = 0 };

/* As large as the largest structure of the table. */
typedef union any_structure {
#define ETL_MEMORY_SIZE(structure, since, until, x86, x64) uint8_t structure##_##since[(x86) > (x64) ? (x86) : (x64)];
#include "format/layouts/structures.def"
} any_structure;

#define MEMORY_MOST sizeof(any_structure)

bool carve_structure(etl_memory_layout layout, etl_span bytes, carve_take *take, void *context)
{
    uint8_t input[LAYOUT_SIZE + MEMORY_MOST] = {(uint8_t)layout.structure, (uint8_t)layout.windows, (uint8_t)layout.arch};
    const size_t most = etl_memory_size(layout), size = bytes.size < most ? bytes.size : most;
    if (size != 0)
        memcpy(input + LAYOUT_SIZE, bytes.at, size);
    return take(context, INPUT_MEMORY, input, LAYOUT_SIZE + size);
}

bool carve_layouts(carve_take *take, void *context)
{
    static const uint8_t zeros[MEMORY_MOST];
    etl_memory_layout at;
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (at.arch = 0; at.arch < ETL_ARCH_COUNT; at.arch++)
                if (etl_memory_size(at) != 0 &&
                    !carve_structure(at, (etl_span){zeros, sizeof zeros}, take, context))
                    return false;
    return true;
}

/* Whether the bytes begin with the text; the rest is then in `rest`. */
static bool after(etl_span bytes, const char *start, etl_span *rest)
{
    const size_t size = strlen(start);
    if (bytes.size < size || memcmp(bytes.at, start, size) != 0)
        return false;
    *rest = (etl_span){bytes.at + size, bytes.size - size};
    return true;
}

/* The text that the JSON has under a key (written as `"key": "`), "" if it has none or a longer one. */
static void text_of(etl_span json, const char *key, char text[CARVE_TEXT_MAX])
{
    etl_span rest = {NULL, 0};
    while (json.size > 0 && !after(json, key, &rest))
        json = (etl_span){json.at + 1, json.size - 1};
    size_t length = 0;
    while (length < rest.size && length < CARVE_TEXT_MAX - 1 && rest.at[length] != '"') {
        text[length] = (char)rest.at[length];
        length++;
    }
    text[length < rest.size && rest.at[length] == '"' ? length : 0] = '\0';
}

bool carve_read_line(etl_span line, carve_vector_line *vector)
{
    char structure[CARVE_TEXT_MAX], windows[CARVE_TEXT_MAX], arch[CARVE_TEXT_MAX];
    text_of(line, "\"id\": \"", vector->id);
    text_of(line, "\"structure\": \"", structure);
    text_of(line, "\"windows\": \"", windows);
    text_of(line, "\"arch\": \"", arch);
    vector->layout =
        (etl_memory_layout){etl_memory_structure_find(structure), etl_windows_find(windows), etl_arch_find(arch)};
    return vector->layout.structure < ETL_MEMORY_STRUCTURE_COUNT && vector->layout.windows < ETL_WINDOWS_COUNT &&
           vector->layout.arch < ETL_ARCH_COUNT;
}
