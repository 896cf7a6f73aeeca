/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the file operations that differ between systems (tool/io), on files in the current folder. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "io/command.h"
#include "io/new_file.h"
#include "io/paths.h"
#include "io/seek.h"
#include "io/windowed_input.h"
#include "test.h"

#define NAME "files_test.tmp"
#define OTHER "files_test-other.tmp"
#define LEFT NAME ".unfinished-1" /* the temporary file of a killed process */

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

/* Truncated to 32 bits, or read as negative, an offset past the end would become another offset. */
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

/* tool_input_peek does not move the position that the next window is read from. */
static void peek_between_windows(void)
{
    enum { SIZE = 3 << 20, STEP = 1 << 20 };
    uint8_t bytes[16];
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
            CHECK_UINT(sizeof bytes, tool_input_peek(&input, place, bytes, sizeof bytes));
            check_span(place, (etl_span){bytes, sizeof bytes});
        }
    }
    CHECK_UINT(3, tool_input_peek(&input, SIZE - 3, bytes, sizeof bytes));
    tool_input_close(&input);
    (void)remove(NAME);
}

/* Serves a range in windows of STEP bytes, and checks each byte by its place in the file. */
static void read_range(tool_input *input, uint64_t start, uint64_t size)
{
    enum { STEP = 1 << 20 };
    etl_span window;
    bool last = false;
    uint64_t at = 0;
    for (size_t served = 1; served > 0; at += served) {
        CHECK(tool_input_serve(input, at, STEP, &window, &last));
        served = window.size < STEP ? window.size : STEP;
        check_span(start + at, (etl_span){window.at, served});
        CHECK(last ? at + window.size == size : window.size >= STEP);
    }
    CHECK_UINT(size, at);
    CHECK_UINT(size, input->size);
}

#if TOOL_POSIX

/* Puts a pipe in place of a mapped file: the system does not map a pipe, but reads the same bytes from it. */
static void refuse_to_map(tool_input *input, const uint8_t *bytes, size_t size)
{
    enum { PIPE_MOST = 1 << 15 };
    int ends[2];
    const size_t left = size - (size_t)input->start, put = left < PIPE_MOST ? left : PIPE_MOST;
    if (!input->mapped || input->size > PIPE_MOST)
        return;
    CHECK(pipe(ends) == 0 && write(ends[1], bytes + input->start, put) == (ssize_t)put);
    CHECK(dup2(ends[0], input->file) >= 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
}

#else

static void refuse_to_map(tool_input *input, const uint8_t *bytes, size_t size)
{
    (void)input, (void)bytes, (void)size;
}

#endif

/* A range of a file, mapped or read, and of memory: nothing before it and behind it is served. */
static void ranges(void)
{
    enum { SIZE = 3 << 20 };
    static const uint64_t rows[][2] = {{0, SIZE}, {0, 1}, {1, SIZE - 2}, {4096, 8192}, {123456, 2 << 20}, {SIZE - 5, 5},
                                       {SIZE - 5, 6}, {SIZE, 1}, {7, UINT64_MAX}};
    static uint8_t bytes[SIZE];
    tool_input input, memory;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = byte_at(i);
    FILE *file = fopen(NAME, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, SIZE, file) == SIZE && fclose(file) == 0);
    tool_input_open_memory(&memory, "memory", (etl_span){bytes, SIZE}, 1000);
    CHECK(tool_input_open(&input, NAME));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t start = rows[i][0], left = SIZE - start, size = rows[i][1] < left ? rows[i][1] : left;
        CHECK(tool_input_reopen(&input, start, rows[i][1]) && tool_input_reopen(&memory, start, rows[i][1]));
        read_range(&input, start, size);
        read_range(&memory, start, size);
        CHECK(tool_input_reopen(&input, start, rows[i][1]));
        refuse_to_map(&input, bytes, SIZE);
        read_range(&input, start, size);
    }
    tool_input_close(&input);
    tool_input_close(&memory);
    (void)remove(NAME);
}

/* A number goes before the extension of a name, not into a folder or a name that starts with a dot. */
static void numbered_names(void)
{
    static const char *const rows[][2] = {
        {"out.etl", "out-12.etl"}, {"out", "out-12"},       {"a.b/out", "a.b/out-12"}, {"a/out.x.etl", "a/out.x-12.etl"},
        {".out", ".out-12"},       {"a/.out", "a/.out-12"}, {"", "-12"},
    };
    char name[15];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(tool_path_number(name, sizeof name, rows[i][0], 12));
        CHECK_TEXT(rows[i][1], name);
    }
    CHECK(!tool_path_number(name, sizeof "out-1.etl" - 1, "out.etl", 1));
}

/* Two new files at once, beside the temporary file of a killed process: each gets its own name. */
static void new_files(void)
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
    CHECK(!tool_new_file_keep(&other, false)); /* and removes it */
    check_file(NAME, "one!");
    CHECK(tool_new_file_open(&other, NAME, ".tmp") && tool_new_file_write(&other, "new", 3) && tool_new_file_close(&other));
    CHECK(tool_new_file_keep(&other, true));
    check_file(NAME, "new");
    check_file(LEFT, "left");
    CHECK(tool_path_exists(LEFT));
    (void)remove(LEFT);
    (void)remove(NAME);
}

/* A move that fails leaves both files unchanged. */
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

/* Paths of files that do not exist compare too. */
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
    peek_between_windows();
    ranges();
    numbered_names();
    new_files();
    moves();
    same_files();
    same_places();
    ordinary_files();
    return test_result();
}
