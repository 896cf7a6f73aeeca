/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a version of Windows, as a user types it (a name of windows.def, a release or a build) -> its row. Called by
 * the layout verb and the builder of vectors.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"

/*@ lemma release{L}: \forall char *s; etl_ends(s, 4) ==> etl_text(s); */

/* "10.0.19041.1234" has four numbers; a build may also come alone, or with its revision. */
#define NUMBERS 4u

/* The count of numbers in a text of numbers, each of at most 9 digits, separated by dots; 0 for any other text. */
/*@ requires etl_text(text) && \valid(numbers + (0 .. NUMBERS - 1));
  @ assigns numbers[0 .. NUMBERS - 1];
  @ ensures \result <= NUMBERS; */
static uint32_t numbers_of(const char *text, uint32_t numbers[NUMBERS])
{
    uint32_t count = 0, digits = 0;
    /*@ loop invariant count < NUMBERS && \forall integer j; 0 <= j < i ==> text[j] != 0;
      @ loop assigns i, count, digits, numbers[0 .. NUMBERS - 1];
      @ loop variant SIZE_MAX - i; */
    for (size_t i = 0;; i++) {
        if (text[i] >= '0' && text[i] <= '9' && digits < 9) {
            numbers[count] = (digits++ > 0 ? 10 * numbers[count] : 0) + (uint32_t)(text[i] - '0');
            continue;
        }
        if (digits == 0 || (text[i] != '.' && text[i] != '\0'))
            return 0;
        digits = 0;
        count++;
        if (text[i] == '\0' || count == NUMBERS)
            return text[i] == '\0' ? count : 0;
    }
}

uint32_t etl_windows_build(const char *text)
{
    uint32_t numbers[NUMBERS];
    const uint32_t count = numbers_of(text, numbers);
    return count == 0 ? 0 : numbers[count > 2 ? 2 : 0];
}

/* Whether the text starts with this version and a dot. */
/*@ requires etl_text(text) && etl_text(version);
  @ assigns \nothing; */
static bool begins_with(const char *text, const char *version)
{
    size_t i = 0;
    /*@ loop invariant \forall integer j; 0 <= j < i ==> version[j] != 0 && text[j] == version[j];
      @ loop assigns i;
      @ loop variant SIZE_MAX - i; */
    while (version[i] != '\0' && text[i] == version[i])
        i++;
    return version[i] == '\0' && text[i] == '.';
}

/* The version whose released builds include the build. */
/*@ requires etl_text(text);
  @ assigns \nothing;
  @ ensures \result <= ETL_WINDOWS_COUNT; */
static etl_windows windows_of_build(const char *text)
{
    uint32_t numbers[NUMBERS];
    const bool with_version = numbers_of(text, numbers) > 2;
    const uint32_t build = etl_windows_build(text);
    /*@ loop invariant i <= ETL_WINDOWS_COUNT;
      @ loop assigns i;
      @ loop variant ETL_WINDOWS_COUNT - i; */
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
    /*@ loop invariant i <= ETL_WINDOWS_COUNT;
      @ loop assigns i;
      @ loop variant ETL_WINDOWS_COUNT - i; */
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++)
        if (etl_memory_same_text(etl_windows_get(i)->text, text))
            return i;
    return windows_of_build(text);
}
