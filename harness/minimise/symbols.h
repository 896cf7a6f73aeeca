/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of this program by address, from its own symbol table: fast, and without a symbolizer.
 */
#ifndef ETLPROOF_MINIMISE_SYMBOLS_H
#define ETLPROOF_MINIMISE_SYMBOLS_H

#include <stdint.h>

/*
 * The name of our function at the address, valid for good. NULL for code of libraries, and for code that the compiler added
 * to this program, whose names are reserved or of C++. Without symbols in the program, "?" for any address.
 */
const char *minimise_symbols_find(uintptr_t address);
/* Where that function starts. The address itself if the program has no symbols. */
uintptr_t minimise_symbols_start(uintptr_t address);

#endif
