/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugs a parser into the runner in-process. Three functions, linked with host.c, make a program for
 * `conformance/run --mode long-lived --`; then no process is started for each vector.
 */
#ifndef ETLPROOF_SHIM_H
#define ETLPROOF_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ETLPROOF_SHIM_ACCEPT = 0, ETLPROOF_SHIM_REJECT = 1 };

/* Appends `length` bytes of decode records, JSON Lines in UTF-8. A call may end anywhere in a line. */
typedef void (*etlproof_shim_out)(void *context, const char *text, size_t length);

/* Returns the description of the parser, a JSON object: see schema/description.schema.json. Called once, before any run. */
const char *etlproof_shim_describe(void);

/* The file to decode. It belongs to the caller and is freed after the call. */
typedef struct etlproof_shim_file {
    const uint8_t *bytes;
    size_t size; /* may be 0 */
    /* For a structure in memory: its name, Windows version and architecture, such as "ETW_GUID_ENTRY", "1903", "x64". All
       NULL for a trace. Only a parser that declares the record `member` is given structures in memory. */
    const char *structure, *windows, *arch;
} etlproof_shim_file;

/* Decodes one file. Returns ETLPROOF_SHIM_ACCEPT or ETLPROOF_SHIM_REJECT; any other value means that the shim failed. */
int etlproof_shim_run(const etlproof_shim_file *file, etlproof_shim_out out, void *context);

/* Called once, after the last run. */
void etlproof_shim_close(void);

#ifdef __cplusplus
}
#endif

#endif
