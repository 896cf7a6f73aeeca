/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files mapped into memory, on systems that have mmap. Each thread reads one mapping at a time.
 */
#ifndef ETLPROOF_IO_MMAP_FILE_H
#define ETLPROOF_IO_MMAP_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The offset of a mapping is a multiple of this. */
uint64_t tool_mmap_page_size(void);

/*
 * Maps `size` bytes; NULL if the system refuses. If the file shrinks, a read of the missing bytes ends the process with
 * exit code 66 and a message that names `title`, which must outlive the mapping.
 */
uint8_t *tool_mmap(int file, uint64_t offset, size_t size, const char *title);

/* This thread will read a mapping that another one made: the same holds for it. */
void tool_mmap_watch(const uint8_t *at, size_t size, const char *title);

/* `at` may be NULL. */
void tool_munmap(uint8_t *at, size_t size);

#endif
