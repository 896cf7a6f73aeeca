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

/* What is to be decoded. It is the caller's and is gone after the call; a read past its end is for a sanitizer to find. */
typedef struct etlproof_shim_file {
    const uint8_t *bytes;
    size_t size; /* 0 as well */
    /* Which structure in memory the bytes are, "ETW_GUID_ENTRY", "1903", "x64"; all NULL where they are a trace. Only a
       parser whose description declares the record `member` is given such. */
    const char *structure, *windows, *arch;
} etlproof_shim_file;

/* Decodes one file. Any result but the two above says that the shim itself failed. */
int etlproof_shim_run(const etlproof_shim_file *file, etlproof_shim_out out, void *context);

/* Called once, after the last run. */
void etlproof_shim_close(void);

#ifdef __cplusplus
}
#endif

#endif
