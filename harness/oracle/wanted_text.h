/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text that the command should have written, as an oracle writes it.
 */
#ifndef ETLPROOF_ORACLE_WANTED_TEXT_H
#define ETLPROOF_ORACLE_WANTED_TEXT_H

#include <stddef.h>

typedef struct oracle_wanted {
    char at[4096];
    size_t size;
} oracle_wanted;

/* Adds to the text, as printf does; what does not fit is left out. */
__attribute__((format(printf, 2, 3))) void oracle_want(oracle_wanted *wanted, const char *format, ...);

#endif
