/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a version of Windows, as a user types it (a name of windows.def, a release or a build) -> its row. Called by
 * the layout verb and the builder of vectors.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"

/* "10.0.19041.1234" has four numbers; a build may also come alone, or with its revision. */
#define NUMBERS 4u

/* The count of numbers in a text of numbers, each of at most 9 digits, separated by dots; 0 for any other text. */
static uint32_t numbers_of(const char *text, uint32_t numbers[NUMBERS])
{
    uint32_t count = 0, digits = 0;
    for (;; text++) {
        if (*text >= '0' && *text <= '9' && digits < 9) {
            numbers[count] = (digits++ > 0 ? 10 * numbers[count] : 0) + (uint32_t)(*text - '0');
            continue;
        }
        if (digits == 0 || (*text != '.' && *text != '\0'))
            return 0;
        digits = 0;
        count++;
        if (*text == '\0' || count == NUMBERS)
            return *text == '\0' ? count : 0;
    }
}

uint32_t etl_windows_build(const char *text)
{
    uint32_t numbers[NUMBERS];
    const uint32_t count = numbers_of(text, numbers);
    return count == 0 ? 0 : numbers[count > 2 ? 2 : 0];
}

/* Whether the text starts with this version and a dot. */
static bool begins_with(const char *text, const char *version)
{
    while (*version != '\0' && *text == *version) {
        text++;
        version++;
    }
    return *version == '\0' && *text == '.';
}

/* The version whose released builds include the build. */
static etl_windows windows_of_build(const char *text)
{
    uint32_t numbers[NUMBERS];
    const bool with_version = numbers_of(text, numbers) > 2;
    const uint32_t build = etl_windows_build(text);
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++) {
        const etl_windows_info *row = etl_windows_get(i);
        if (row->first_build <= build && build <= row->last_build && (!with_version || begins_with(text, row->version)))
            return i;
    }
    return ETL_WINDOWS_COUNT;
}

etl_windows etl_windows_find(const char *text)
{
#define ETL_WINDOWS_RELEASE(name, release) \
    if (etl_memory_same_text(release, text)) \
        return ETL_WINDOWS_##name;
#include "format/windows.def"
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++)
        if (etl_memory_same_text(etl_windows_get(i)->text, text))
            return i;
    return windows_of_build(text);
}
