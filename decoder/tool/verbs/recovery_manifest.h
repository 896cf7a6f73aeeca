/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest of a recovery: one JSON object, as conformance/schema/manifest.schema.json has it. Notes go out as they
 * come, in the order of the new file: memory does not grow with them.
 */
#ifndef ETLPROOF_MANIFEST_H
#define ETLPROOF_MANIFEST_H

#include "records/json_writer.h"
#include "io/new_file.h"
#include "verbs/recovery_passes.h"
#include "io/sha256.h"

/* One of the two files. */
typedef struct tool_manifest_file {
    const char *path;
    char sha256[TOOL_SHA256_TEXT];
} tool_manifest_file;

typedef struct tool_manifest {
    tool_new_file *file;
    tool_output out;
    tool_json json;
    uint64_t notes;
    uint64_t dropped[2]; /* bytes, by etl_space */
} tool_manifest;

/* What is false has failed, as a write to `file` has; tool_manifest_close is then still to be called. */
bool tool_manifest_open(tool_manifest *manifest, tool_new_file *file, const tool_manifest_file *in,
                        const tool_recovery *recovering);
bool tool_manifest_note(tool_manifest *manifest, const etl_recover_note *note);
/* `recovery` is NULL if the new file is the old one byte for byte. */
bool tool_manifest_end(tool_manifest *manifest, const etl_recovery *recovery, const tool_manifest_file *out,
                       const tool_recovery *recovered);
void tool_manifest_close(tool_manifest *manifest);

#endif
