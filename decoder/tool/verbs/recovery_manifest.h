/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest of a recovery: one JSON object, described by conformance/schema/manifest.schema.json. Notes are written as
 * they come, in the order of the new file, so memory does not grow with them.
 */
#ifndef ETLPROOF_VERBS_RECOVERY_MANIFEST_H
#define ETLPROOF_VERBS_RECOVERY_MANIFEST_H

#include "io/new_file.h"
#include "io/sha256.h"
#include "records/json_writer.h"
#include "verbs/recovery_passes.h"

/* The old or the new file. */
typedef struct tool_manifest_file {
    const char *path;
    bool is_range;   /* the trace is a range of the file, which starts at: */
    uint64_t offset;
    char sha256[TOOL_SHA256_TEXT];
} tool_manifest_file;

typedef struct tool_manifest {
    tool_new_file *file;
    uint64_t offset; /* where the trace starts in the old file */
    tool_output out;
    tool_json json;
    uint64_t notes;
    uint64_t dropped[2]; /* bytes, by etl_space */
} tool_manifest;

/* Offsets in a note count from the start of the trace; the manifest has them from the start of the file. */
/* Each returns false if a write to `file` failed. tool_manifest_close is called in any case. */
bool tool_manifest_open(tool_manifest *manifest, tool_new_file *file, const tool_manifest_file *in,
                        const tool_recovery *recovering);
bool tool_manifest_note(tool_manifest *manifest, const etl_recover_note *note);
/* `recovery` is NULL if the new file is a copy of the old one. */
bool tool_manifest_end(tool_manifest *manifest, const etl_recovery *recovery, const tool_manifest_file *out,
                       const tool_recovery *recovered);
void tool_manifest_close(tool_manifest *manifest);

#endif
