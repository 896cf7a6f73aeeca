/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares our inflater with libfwnt's: on random streams and, with a directory of real traces as argument, on each of
 * their compressed buffers. Both must produce the same bytes.
 */
#include "etlproof/etlproof.h"

#include <dirent.h>
#include <libfwnt.h>

#include "test.h"
#include "xpress.h"

/* libfwnt rejects longer matches. */
#define LONGEST 32771

/* No buffer of a real writer inflates to more. */
static uint8_t ours[ETL_BUFFER_SIZE_MAX], theirs[ETL_BUFFER_SIZE_MAX];

static void compare(const uint8_t *in, size_t size, size_t produced)
{
    etl_inflated result = etl_inflate((etl_span){in, size}, (etl_scratch){ours, produced});
    CHECK_UINT(ETL_INFLATE_DONE, result.status);
    CHECK_UINT(produced, result.produced);
    memset(theirs, 0, produced);
    size_t count = produced;
    CHECK_INT(1, libfwnt_lzxpress_decompress(in, size, theirs, &count, NULL));
    CHECK_UINT(produced, count);
    CHECK_BYTES(theirs, ours, produced);
}

static void compare_random(void)
{
    static xpress stream;
    uint64_t state = 2;
    for (unsigned round = 0; round < 500; round++) {
        xpress_write_random(&stream, &state, 1 + xpress_random(&state, 200000), LONGEST);
        compare(stream.stream, stream.size, stream.produced);
    }
}

/* Reads members of a buffer header without checks: the sample files are valid. */
static uint32_t word_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static unsigned compare_file(const char *path)
{
    static uint8_t bytes[1 << 24];
    unsigned streams = 0;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (file == NULL)
        return 0;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(size < sizeof bytes);
    for (size_t at = 0; at + 0x48 <= size;) {
        uint32_t buffer_size = word_at(bytes + at), extent = word_at(bytes + at + 0x30);
        CHECK(buffer_size >= 0x48 && buffer_size <= size - at);
        if (buffer_size < 0x48 || buffer_size > size - at)
            break;
        if ((bytes[at + 0x34] & 0x40) != 0 && extent >= 0x48 && extent - 0x48 <= sizeof ours) {
            compare(bytes + at + 0x48, buffer_size - 0x48, extent - 0x48);
            streams++;
        }
        at += buffer_size;
    }
    return streams;
}

static void compare_samples(const char *directory)
{
    unsigned files = 0, streams = 0;
    DIR *list = opendir(directory);
    if (list == NULL) {
        printf("no directory %s: random streams only\n", directory);
        return;
    }
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".etl") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        streams += compare_file(path);
        files++;
    }
    closedir(list);
    printf("%u real streams in %u files\n", streams, files);
    CHECK(streams > 0);
}

int main(int argc, char **argv)
{
    compare_random();
    if (argc > 1)
        compare_samples(argv[1]);
    return test_result();
}
