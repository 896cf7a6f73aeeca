/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of this program by address, from its own symbol table: fast, and without a symbolizer beside it.
 */
#ifndef ETLPROOF_SYMBOLS_H
#define ETLPROOF_SYMBOLS_H

#include <stdint.h>

/*
 * The function of ours that the address is in, its name kept for good; NULL where it is in none: in a library, or in what
 * the compiler put into this program, whose names are reserved ones or those of C++. Where the program has no symbols, "?"
 * for any address.
 */
const char *minimise_symbols_find(uintptr_t address);
/* Where that function starts: the same for all of it. The address itself where the program has no symbols. */
uintptr_t minimise_symbols_start(uintptr_t address);

#endif
