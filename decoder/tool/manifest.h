/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest of a recovery: one JSON object, as conformance/schema/manifest.schema.json has it. Notes go out as they
 * come, in the order of the new file: memory does not grow with them.
 */
#ifndef ETLPROOF_MANIFEST_H
#define ETLPROOF_MANIFEST_H

#include "json.h"
#include "new_file.h"
#include "recovering.h"
#include "sha256.h"

/* One of the two files. */
typedef struct etl_manifest_file {
    const char *path;
    char sha256[ETL_SHA256_TEXT];
} etl_manifest_file;

typedef struct etl_manifest {
    etl_new_file *file;
    etl_out out;
    etl_json json;
    uint64_t notes;
    uint64_t dropped[2]; /* bytes, by etl_space */
} etl_manifest;

/* What is false has failed, as a write to `file` has; etl_manifest_close is then still to be called. */
bool etl_manifest_open(etl_manifest *manifest, etl_new_file *file, const etl_manifest_file *in,
                       const etl_recovering *recovering);
bool etl_manifest_note(etl_manifest *manifest, const etl_recover_note *note);
/* `recovery` is NULL if the new file is the old one byte for byte. */
bool etl_manifest_end(etl_manifest *manifest, const etl_recovery *recovery, const etl_manifest_file *out,
                      const etl_recovering *recovered);
void etl_manifest_close(etl_manifest *manifest);

#endif
