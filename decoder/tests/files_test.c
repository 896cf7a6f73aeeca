/* SPDX-License-Identifier: Apache-2.0 */
/* Files, as each system has them: seek.c, new_file.c, paths.c, and input.c where it goes back. Made where the test runs. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "io/windowed_input.h"
#include "io/new_file.h"
#include "io/paths.h"
#include "io/seek.h"
#include "test.h"

#define NAME "files_test.tmp"
#define OTHER "files_test-other.tmp"
#define LEFT NAME ".unfinished-1" /* what one that was killed may have left */

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void check_file(const char *name, const char *expected)
{
    char text[16] = "";
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    CHECK_TEXT(expected, text);
}

/* Cut to 32 bits, or taken for a negative one, a place beyond the end is another. */
static void seek_beyond_4_gib(void)
{
    write_file(NAME, "a");
    FILE *file = fopen(NAME, "rb");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    for (unsigned bits = 31; bits <= 33; bits++) {
        CHECK(tool_seek(file, (uint64_t)1 << bits, SEEK_SET));
        CHECK_INT(EOF, fgetc(file));
        CHECK(tool_seek(file, 0, SEEK_SET));
        CHECK_INT('a', fgetc(file));
    }
    (void)fclose(file);
    (void)remove(NAME);
}

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 7 + (offset >> 8) * 13 + (offset >> 16));
}

static void check_span(uint64_t offset, etl_span span)
{
    for (size_t i = 0; i < span.size; i++)
        if (span.at[i] != byte_at(offset + i)) {
            CHECK_UINT(byte_at(offset + i), span.at[i]);
            return;
        }
}

/* What is read next is what follows the last window, and not what follows the bytes that were looked at meanwhile. */
static void look_anywhere(void)
{
    enum { SIZE = 3 << 20, STEP = 1 << 20 };
    uint8_t room[16];
    tool_input input;
    etl_span window;
    bool last = false;
    FILE *file = fopen(NAME, "wb");
    CHECK(file != NULL);
    for (uint64_t i = 0; file != NULL && i < SIZE; i++)
        (void)fputc(byte_at(i), file);
    CHECK(file != NULL && fclose(file) == 0 && tool_input_open(&input, NAME));
    for (uint64_t at = 0; at < SIZE; at += STEP) {
        CHECK(tool_input_serve(&input, at, STEP, &window, &last) && window.size >= STEP);
        check_span(at, window);
        for (uint64_t place = 5; place < SIZE; place += SIZE / 2) {
            CHECK_UINT(sizeof room, tool_input_peek(&input, place, room, sizeof room));
            check_span(place, (etl_span){room, sizeof room});
        }
    }
    CHECK_UINT(3, tool_input_peek(&input, SIZE - 3, room, sizeof room));
    tool_input_close(&input);
    (void)remove(NAME);
}

/* Two at once, beside one that was killed: each has its own. */
static void files_in_the_making(void)
{
    static tool_new_file one, other;
    write_file(LEFT, "left");
    CHECK(tool_new_file_open(&one, NAME, "") && tool_new_file_open(&other, NAME, ".tmp"));
    CHECK_TEXT(NAME ".unfinished-2", one.beside);
    CHECK_TEXT(NAME ".unfinished-1.tmp", other.beside);
    CHECK(tool_new_file_write(&one, "0ne", 3) && tool_new_file_patch(&one, 0, (etl_span){(const uint8_t *)"o", 1}));
    CHECK(tool_new_file_write(&one, "!", 1) && tool_new_file_write(&other, "other", 5));
    CHECK(tool_new_file_close(&one) && tool_new_file_close(&other));
    CHECK(!tool_path_exists(NAME));
    CHECK(tool_new_file_keep(&one, false));
    check_file(NAME, "one!");
    CHECK(!tool_new_file_keep(&other, false)); /* and takes it away */
    check_file(NAME, "one!");
    CHECK(tool_new_file_open(&other, NAME, ".tmp") && tool_new_file_write(&other, "new", 3) && tool_new_file_close(&other));
    CHECK(tool_new_file_keep(&other, true));
    check_file(NAME, "new");
    check_file(LEFT, "left");
    CHECK(tool_path_exists(LEFT));
    (void)remove(LEFT);
    (void)remove(NAME);
}

/* Not moved, what is there stays. */
static void moves(void)
{
    write_file(NAME, "old");
    CHECK(!tool_path_move(OTHER, NAME, true));
    check_file(NAME, "old");
    write_file(OTHER, "new");
    errno = 0;
    CHECK(!tool_path_move(OTHER, NAME, false));
    CHECK_INT(EEXIST, errno);
    check_file(NAME, "old");
    check_file(OTHER, "new");
    CHECK(tool_path_move(OTHER, NAME, true) && !tool_path_exists(OTHER));
    check_file(NAME, "new");
    CHECK(tool_path_move(NAME, OTHER, false) && !tool_path_exists(NAME));
    check_file(OTHER, "new");
    (void)remove(OTHER);
}

static bool link_files(const char *name, const char *other)
{
#if defined(_WIN32)
    return CreateHardLinkA(other, name, NULL) != 0;
#else
    return link(name, other) == 0;
#endif
}

static void same_files(void)
{
    (void)remove(OTHER);
    write_file(NAME, "a");
    CHECK(tool_path_same_file(NAME, NAME) && tool_path_same_file(NAME, "./" NAME));
#if defined(_WIN32)
    CHECK(tool_path_same_file(NAME, ".\\FILES_TEST.TMP"));
#endif
    CHECK(!tool_path_same_file(NAME, OTHER) && !tool_path_same_file(OTHER, OTHER));
    CHECK(link_files(NAME, OTHER) && tool_path_same_file(NAME, OTHER));
    CHECK(remove(OTHER) == 0);
    write_file(OTHER, "a");
    CHECK(!tool_path_same_file(NAME, OTHER));
    (void)remove(OTHER);
    (void)remove(NAME);
}

/* Whether or not there are files yet. */
static void same_places(void)
{
    CHECK(tool_path_same_place(NAME, NAME) && tool_path_same_place("./" NAME, NAME));
#if defined(_WIN32)
    CHECK(tool_path_same_place(NAME, ".\\FILES_TEST.TMP"));
#endif
    CHECK(!tool_path_same_place(NAME, OTHER) && !tool_path_same_place("../" NAME, NAME));
}

static void ordinary_files(void)
{
    CHECK(tool_path_ordinary(NAME));
    write_file(NAME, "a");
    CHECK(tool_path_ordinary(NAME));
    CHECK(!tool_path_ordinary("."));
#if defined(_WIN32)
    CHECK(!tool_path_ordinary("NUL"));
#else
    CHECK(!tool_path_ordinary("/dev/null"));
#endif
    (void)remove(NAME);
}

int main(void)
{
    seek_beyond_4_gib();
    look_anywhere();
    files_in_the_making();
    moves();
    same_files();
    same_places();
    ordinary_files();
    return test_result();
}
