/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof recover: reads a damaged file in several passes (recovery_passes.h) and writes a new, conforming file and a
 * manifest of what was kept, dropped and changed (recovery_manifest.h). The input is never modified.
 */
#include "verbs/verbs.h"

#include <errno.h>
#include <string.h>

#include "io/options.h"
#include "io/paths.h"
#include "records/not_etl.h"
#include "verbs/recovery_manifest.h"

static const char help[] =
    "usage: etlproof recover [OPTIONS] IN -o OUT\n"
    "\n"
    "Writes OUT, a conforming file with every event that can be read from IN, byte for byte. IN is never modified.\n"
    "OUT.manifest.json lists what was kept, what was dropped and why, and what was changed in headers.\n"
    "A file without errors is copied.\n"
    "\n"
    "  -o, --output OUT  write the recovered file to OUT\n"
    "  --manifest FILE   write the manifest to FILE instead of OUT.manifest.json\n"
    "  --force           replace existing files\n"
    "  --help            print this help\n"
    "\n"
    "Exit status: 0 IN conforms, 1 IN is damaged, 2 not an ETL file or nothing to recover (no OUT is written),\n"
    "3 limit reached, 64 usage error, 66 cannot read, 70 internal error, 74 cannot write.\n";

enum { OPTION_OUTPUT, OPTION_MANIFEST, OPTION_FORCE };

static const tool_option options_table[] = {
    {"output", 'o', true, OPTION_OUTPUT},
    {"manifest", 0, true, OPTION_MANIFEST},
    {"force", 0, false, OPTION_FORCE},
    {NULL, 0, false, 0},
};

typedef struct recover_job {
    const char *in, *out, *manifest;
    bool force;
    tool_recovery old; /* of IN */
    tool_recovery new; /* of OUT, read back */
    tool_manifest_file old_file, new_file;
    tool_new_file output, notes;
    tool_manifest record;
    char manifest_path[TOOL_NEW_FILE_PATH];
    uint8_t block[64 * 1024];
} recover_job;

/* Hashes a file, and copies it to `copy` unless that is NULL. */
static bool read_through(recover_job *j, const char *path, char sha256[TOOL_SHA256_TEXT], tool_new_file *copy)
{
    tool_sha256 hash;
    tool_progress progress;
    FILE *file = fopen(path, "rb");
    bool written = true;
    uint64_t done = 0;
    tool_sha256_begin(&hash);
    tool_progress_start(&progress, false);
    for (size_t got = 1; file != NULL && got > 0 && written; done += got) {
        got = fread(j->block, 1, sizeof j->block, file);
        tool_sha256_take(&hash, j->block, got);
        written = copy == NULL || tool_new_file_write(copy, j->block, got);
        tool_progress_update(&progress, path, done, 0);
    }
    tool_progress_end(&progress);
    const bool read = file != NULL && !ferror(file);
    if (!read)
        tool_print_error("%s: cannot read: %s", path, strerror(errno));
    if (file != NULL)
        (void)fclose(file);
    tool_sha256_end(&hash, sha256);
    return read && written;
}

static bool write_piece(void *context, etl_span bytes)
{
    return tool_new_file_write(&((recover_job *)context)->output, bytes.at, bytes.size);
}

static bool write_patch(void *context, uint64_t at, etl_span bytes)
{
    return tool_new_file_patch(&((recover_job *)context)->output, at, bytes);
}

static bool write_note(void *context, const etl_recover_note *note)
{
    return tool_manifest_note(&((recover_job *)context)->record, note);
}

/* Writes OUT. The survey of IN is only valid if IN did not change since, so IN is hashed a second time at the end. */
static tool_exit write_output(recover_job *j)
{
    const tool_recovery_sink sink = {j, write_piece, write_patch, write_note};
    const bool copies = j->old.verdict == TOOL_VERDICT_CONFORMING;
    const tool_exit code = copies ? TOOL_EXIT_CONFORMING : tool_recovery_write(&j->old, &sink);
    char sha256[TOOL_SHA256_TEXT];
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    if (!read_through(j, j->in, sha256, copies ? &j->output : NULL))
        return j->output.file != NULL ? TOOL_EXIT_INPUT : TOOL_EXIT_OUTPUT;
    if (strcmp(sha256, j->old_file.sha256) == 0)
        return TOOL_EXIT_CONFORMING;
    tool_print_error("%s: changed while it was being read", j->in);
    return TOOL_EXIT_INPUT;
}

/* Reads OUT back. An output that does not conform, or has another number of events, is a bug in etlproof. */
static tool_exit check_output(recover_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->output.beside))
        return TOOL_EXIT_OUTPUT;
    const tool_exit code = tool_recovery_survey(&j->new, &input, ETL_LIMITS_DEFAULT);
    tool_input_close(&input);
    const bool copied = j->old.verdict == TOOL_VERDICT_CONFORMING;
    const uint64_t events = copied ? j->old.tally.events : j->old.recovery.events;
    if (code == TOOL_EXIT_CONFORMING && j->new.tally.events == events)
        return read_through(j, j->output.beside, j->new_file.sha256, NULL) ? TOOL_EXIT_CONFORMING : TOOL_EXIT_OUTPUT;
    tool_print_error(
        "%s: internal error, a bug of etlproof and not a fault of the file: what was recovered does not conform", j->in);
    return TOOL_EXIT_INTERNAL;
}

static bool end_manifest(recover_job *j)
{
    const bool copied = j->old.verdict == TOOL_VERDICT_CONFORMING;
    return tool_manifest_end(&j->record, copied ? NULL : &j->old.recovery, &j->new_file, &j->new) &&
           tool_new_file_close(&j->notes);
}

/* Moves both files to their names, the manifest first: OUT never exists without it, nor the manifest without OUT. */
static bool keep_files(recover_job *j)
{
    if (!tool_new_file_keep(&j->notes, j->force))
        return false;
    if (tool_new_file_keep(&j->output, j->force))
        return true;
    (void)remove(j->manifest);
    return false;
}

/* The temporary name of one file must not be the final name of the other. */
static bool open_files(recover_job *j)
{
    if (!tool_new_file_open(&j->output, j->out, "") || !tool_new_file_open(&j->notes, j->manifest, ""))
        return false;
    if (!tool_path_same_file(j->output.beside, j->manifest) && !tool_path_same_file(j->notes.beside, j->out))
        return true;
    tool_print_error("recover: %s, %s: the temporary name of one file is the final name of the other", j->out, j->manifest);
    return false;
}

static tool_exit write_files(recover_job *j)
{
    if (!open_files(j) || !tool_manifest_open(&j->record, &j->notes, &j->old_file, &j->old))
        return TOOL_EXIT_OUTPUT;
    tool_exit code = write_output(j);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    if (!tool_new_file_close(&j->output))
        return TOOL_EXIT_OUTPUT;
    code = check_output(j);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    return end_manifest(j) && keep_files(j) ? TOOL_EXIT_CONFORMING : TOOL_EXIT_OUTPUT;
}

static tool_exit print_summary(const recover_job *j)
{
    const etl_recovery *r = &j->old.recovery;
    tool_output out;
    tool_output_open(&out);
    tool_put_name(&out, j->out);
    tool_put_text(&out, ": ");
    tool_put_counted(&out, j->new.tally.events, "event");
    tool_put_text(&out, " in ");
    tool_put_counted(&out, j->new.pull.reader.trace.buffers, "buffer");
    if (j->old.verdict == TOOL_VERDICT_CONFORMING) {
        tool_put_text(&out, "; copied, no errors found\n");
        return tool_output_close(&out);
    }
    tool_put_text(&out, "; ");
    tool_put_counted(&out, r->buffers_rebuilt, "buffer");
    tool_put_text(&out, " rebuilt, ");
    tool_put_counted(&out, r->buffers_made, "buffer");
    tool_put_text(&out, " added; ");
    tool_put_counted(&out, r->events_dropped, "event");
    tool_put_text(&out, " and ");
    tool_put_counted(&out, j->record.dropped[ETL_SPACE_FILE], "byte");
    tool_put_text(&out, " dropped (see ");
    tool_put_name(&out, j->manifest);
    tool_put_text(&out, ")\n");
    return tool_output_close(&out);
}

static tool_exit recover(recover_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->in))
        return TOOL_EXIT_INPUT;
    const tool_exit code = tool_recovery_survey(&j->old, &input, ETL_LIMITS_DEFAULT);
    if (j->old.pull.fault == TOOL_PULL_NONE && j->old.verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(&input);
    tool_exit written = code;
    if (j->old.pull.fault == TOOL_PULL_NONE &&
        (code == TOOL_EXIT_CONFORMING || code == TOOL_EXIT_DAMAGED || code == TOOL_EXIT_LIMIT))
        written = read_through(j, j->in, j->old_file.sha256, NULL) ? write_files(j) : TOOL_EXIT_INPUT;
    tool_manifest_close(&j->record);
    tool_new_file_drop(&j->output);
    tool_new_file_drop(&j->notes);
    tool_input_close(&input);
    if (written != TOOL_EXIT_CONFORMING)
        return written;
    return tool_exit_worse(code, print_summary(j));
}

/* Refuses to replace an existing file without --force, and to replace IN, a device or a folder in any case. */
static tool_exit check_target(const recover_job *j, const char *path)
{
    if (tool_path_same_file(j->in, path)) {
        tool_print_error("recover: %s: is the input file, which is never modified", path);
        return TOOL_EXIT_USAGE;
    }
    if (!tool_path_ordinary(path)) {
        tool_print_error("recover: %s: not a regular file; not replaced", path);
        return TOOL_EXIT_OUTPUT;
    }
    if (j->force || !tool_path_exists(path))
        return TOOL_EXIT_CONFORMING;
    tool_print_error("recover: %s: already exists; --force replaces it", path);
    return TOOL_EXIT_OUTPUT;
}

static tool_exit check_paths(recover_job *j)
{
    const int printed = snprintf(j->manifest_path, sizeof j->manifest_path, "%s.manifest.json", j->out);
    if (j->manifest == NULL)
        j->manifest = j->manifest_path;
    if (printed < 0 || (size_t)printed >= sizeof j->manifest_path || tool_path_same_place(j->out, j->manifest))
        return tool_usage("recover", "OUT and the manifest must be different files", j->out);
    if (strcmp(j->out, "-") == 0 || strcmp(j->manifest, "-") == 0)
        return tool_usage("recover", "OUT and the manifest are written out of order, so not to standard output", NULL);
    if (!tool_path_ordinary(j->in)) {
        tool_print_error("recover: %s: not a regular file; recover reads its input more than once", j->in);
        return TOOL_EXIT_INPUT;
    }
    const tool_exit code = check_target(j, j->out);
    return code != TOOL_EXIT_CONFORMING ? code : check_target(j, j->manifest);
}

static void read_option(recover_job *j, int id, const char *value)
{
    switch (id) {
    case OPTION_OUTPUT: j->out = value; break;
    case OPTION_MANIFEST: j->manifest = value; break;
    default: j->force = true; break;
    }
}

tool_exit tool_verb_recover(char **argv)
{
    static recover_job j;
    tool_options options;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        read_option(&j, id, options.value);
    }
    if (options.files != 1)
        return tool_usage(argv[0], options.files == 0 ? "no IN given" : "more than one IN given", NULL);
    j.in = options.arguments[0];
    if (strcmp(j.in, "-") == 0)
        return tool_usage(argv[0], "IN is read more than once, so it cannot be standard input", NULL);
    if (j.out == NULL)
        return tool_usage(argv[0], "no OUT given: -o OUT", NULL);
    j.old_file.path = j.in;
    j.new_file.path = j.out;
    const tool_exit code = check_paths(&j);
    return code != TOOL_EXIT_CONFORMING ? code : recover(&j);
}
