/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for unit tests. A check that fails prints file, line, expected and actual value, and the test continues. A test's
 * main ends with `return test_result();`.
 */
#ifndef ETLPROOF_TEST_H
#define ETLPROOF_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_UINT(expected, actual) test_check_uint((expected), (actual), __FILE__, __LINE__, #actual)
#define CHECK_INT(expected, actual) test_check_int((expected), (actual), __FILE__, __LINE__, #actual)
#define CHECK_TEXT(expected, actual) test_check_text((expected), (actual), __FILE__, __LINE__, #actual)
#define CHECK_BYTES(expected, actual, size) test_check_bytes((expected), (actual), (size), __FILE__, __LINE__, #actual)

static unsigned long test_checks, test_failures;

/* Counts a check; true if it failed, after "file:line: text: " is printed. */
static inline bool test_failed(bool ok, const char *file, int line, const char *text)
{
    test_checks++;
    if (ok)
        return false;
    test_failures++;
    printf("%s:%d: %s: ", file, line, text);
    return true;
}

static inline void test_check(bool ok, const char *file, int line, const char *text)
{
    if (test_failed(ok, file, line, text))
        printf("expected true, actual false\n");
}

static inline void test_check_uint(uint64_t expected, uint64_t actual, const char *file, int line, const char *text)
{
    if (test_failed(expected == actual, file, line, text))
        printf("expected %" PRIu64 " (0x%" PRIx64 "), actual %" PRIu64 " (0x%" PRIx64 ")\n", expected, expected, actual,
               actual);
}

static inline void test_check_int(int64_t expected, int64_t actual, const char *file, int line, const char *text)
{
    if (test_failed(expected == actual, file, line, text))
        printf("expected %" PRId64 ", actual %" PRId64 "\n", expected, actual);
}

/* Texts; either may be NULL. */
static inline void test_check_text(const char *expected, const char *actual, const char *file, int line, const char *text)
{
    bool same = expected == actual || (expected != NULL && actual != NULL && strcmp(expected, actual) == 0);
    if (test_failed(same, file, line, text))
        printf("expected \"%s\", actual \"%s\"\n", expected ? expected : "(null)", actual ? actual : "(null)");
}

static inline void test_check_bytes(const void *expected, const void *actual, size_t size, const char *file, int line,
                                    const char *text)
{
    const unsigned char *a = expected, *b = actual;
    size_t i = 0;
    while (i < size && a[i] == b[i])
        i++;
    if (test_failed(i == size, file, line, text))
        printf("differs at byte %zu: expected 0x%02x, actual 0x%02x\n", i, a[i], b[i]);
}

/* What main returns: 0 if at least one check was made and none failed. */
static inline int test_result(void)
{
    printf("%lu checks, %lu failures\n", test_checks, test_failures);
    return test_checks == 0 || test_failures != 0;
}

#endif
