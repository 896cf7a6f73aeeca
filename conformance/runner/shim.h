/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The in-process way to plug in a parser: three functions, linked with host.c, make a program that the runner starts with
 * `conformance/run --mode long-lived`. A vector then costs no process.
 */
#ifndef ETLPROOF_SHIM_H
#define ETLPROOF_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ETLPROOF_SHIM_ACCEPT = 0, ETLPROOF_SHIM_REJECT = 1 };

/* Takes the next `length` bytes of decode records, JSON Lines in UTF-8. Pieces may end anywhere. */
typedef void (*etlproof_shim_out)(void *context, const char *text, size_t length);

/* The description of the parser, a JSON object: see schema/description.schema.json. Asked for once, before any run. */
const char *etlproof_shim_describe(void);

/*
 * Decodes one file: `size` bytes, 0 as well. They are the caller's and are gone after the call; a read past their end is
 * for a sanitizer to find. Any result but the two above says that the shim itself failed.
 */
int etlproof_shim_run(const uint8_t *bytes, size_t size, etlproof_shim_out out, void *context);

/* Called once, after the last run. */
void etlproof_shim_close(void);

#ifdef __cplusplus
}
#endif

#endif
