/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small inputs without a fault, for each target that takes a part of a file or a clock.
 */
#ifndef ETLPROOF_TEST_TARGETS_SOUND_INPUTS_H
#define ETLPROOF_TEST_TARGETS_SOUND_INPUTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sound_input {
    uint8_t bytes[2048];
    size_t size;
} sound_input;

/* Makes the input `name`: the name of a target, or "TARGET compressed" for its other input. False if there is none. */
int make_sound_input(const char *name, sound_input *input);

#endif
