/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is seen of blocks at a glance: does any of their words have what a structure begins with? Few blocks do.
 */
#ifndef ETLPROOF_LAYOUT_GLANCE_H
#define ETLPROOF_LAYOUT_GLANCE_H

#include "layout/marks.h"

/* Blocks that are glanced at together, at most: few enough to be in the processor's cache still when one is looked at. */
#define TOOL_STRETCH 512u

/* In the sight of a block: one of its words can have the mark, with what comes behind it in a structure. */
#define TOOL_SIGHT(mark) (1u << (mark))

/* The sights of the first `count` blocks, at most TOOL_STRETCH. What comes behind the end is taken for zeros. */
void tool_glance(etl_span bytes, size_t count, uint8_t *sights);

#endif
