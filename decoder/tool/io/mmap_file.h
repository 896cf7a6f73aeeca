/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files mapped into memory, on systems that can. One mapping at a time.
 */
#ifndef ETLPROOF_MAPPING_H
#define ETLPROOF_MAPPING_H

#include <stddef.h>
#include <stdint.h>

/* What a mapping's offset is a multiple of. */
uint64_t tool_mmap_page_size(void);

/*
 * Maps `size` bytes; NULL if the system will not. Should the file shrink under the mapping, a read of the bytes that are
 * gone ends the process with exit 66 and a message that names `title`, which has to stay.
 */
uint8_t *tool_mmap(int file, uint64_t offset, size_t size, const char *title);

/* NULL is no mapping. */
void tool_munmap(uint8_t *at, size_t size);

#endif
