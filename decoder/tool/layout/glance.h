/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first filter of a search: which blocks of an image can hold the start of a structure? Few blocks can.
 */
#ifndef ETLPROOF_LAYOUT_GLANCE_H
#define ETLPROOF_LAYOUT_GLANCE_H

#include "layout/marks.h"

/* Most blocks filtered at once: few enough to be in the cache still when the next filter reads one. */
#define TOOL_STRETCH 512u

/* Bit of a block in which a structure with this mark can begin. */
#define TOOL_SIGHT(mark) (1u << (mark))

/* Sets the TOOL_SIGHT bits of the first `count` blocks, at most TOOL_STRETCH. Bytes behind the end count as zeros. */
void tool_glance(etl_span bytes, size_t count, uint8_t *sights);

#endif
