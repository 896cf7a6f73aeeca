/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which version of Windows people mean: by its name in the tables, by that of a release, or by a build.
 */
#include "etlproof/memory.h"

#include "rows.h"

/* The number that the whole text is, in decimal; 0 if it is none of at most 9 digits. */
static uint32_t number_of(const char *text)
{
    uint32_t number = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] < '0' || text[i] > '9' || i == 9)
            return 0;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    return number;
}

/* What follows "10.0." in the text; NULL if it does not begin so. */
static const char *after_version(const char *text, const char *version)
{
    while (*version != '\0' && *text == *version) {
        text++;
        version++;
    }
    return *version == '\0' && *text == '.' ? text + 1 : NULL;
}

/* The last version whose first build this one has reached. One that is newer than all releases of the tables may be laid
   out in any way. */
static etl_windows windows_of_build(uint32_t build, const char *version)
{
    etl_windows found = ETL_WINDOWS_COUNT;
    if (build > etl_windows_get(ETL_WINDOWS_COUNT - 1)->last_build)
        return found;
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++) {
        const etl_windows_info *row = etl_windows_get(i);
        if (row->first_build <= build && (!version || etl_memory_same_text(version, row->version)))
            found = i;
    }
    return found;
}

etl_windows etl_windows_find(const char *text)
{
#define ETL_WINDOWS_RELEASE(name, release) \
    if (etl_memory_same_text(release, text)) \
        return ETL_WINDOWS_##name;
#include "format/layouts/windows.def"
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++)
        if (etl_memory_same_text(etl_windows_get(i)->text, text))
            return i;
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++) {
        const char *build = after_version(text, etl_windows_get(i)->version);
        if (build)
            return windows_of_build(number_of(build), etl_windows_get(i)->version);
    }
    return windows_of_build(number_of(text), NULL);
}
