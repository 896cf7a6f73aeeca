/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of types, and offsets of their parts, as constants. ETL_TYPE_SIZE and ETL_PART_AT are for x64 and ARM64, or for
 * facts that are the same in all architectures.
 */
#ifndef ETLPROOF_MEMORY_TYPE_CONSTANTS_H
#define ETLPROOF_MEMORY_TYPE_CONSTANTS_H

#define ETL_TYPE_SIZE(type) ((uint32_t)ETL_TYPE_SIZE_##type)
#define ETL_PART_AT(kind, part) ((uint32_t)ETL_PART_AT_##kind##_##part)
#define ETL_PART_AT_X86(kind, part) ((uint32_t)ETL_PART_AT_X86_##kind##_##part)
#define ETL_PART_AT_OF(arch, kind, part) \
    ((arch) == ETL_ARCH_X86 ? ETL_PART_AT_X86(kind, part) : ETL_PART_AT(kind, part))

enum {
#define ETL_MEMORY_TYPE(name, kind, count, x86, x64, align_x86, align_x64, text) ETL_TYPE_SIZE_##name = (x64),
#include "format/layouts/types.def"
#define ETL_MEMORY_PART(kind, part, part_kind, x86, x64, size_x86, size_x64) \
    ETL_PART_AT_##kind##_##part = (x64), ETL_PART_AT_X86_##kind##_##part = (x86),
#include "format/layouts/kinds.def"
};

#endif
