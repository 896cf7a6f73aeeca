/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof recover: reads a damaged file in several passes (recovery_passes.h) and writes a new, conforming file and a
 * manifest of what was kept, dropped and changed (recovery_manifest.h). A file of several traces (trace_ranges.h) becomes
 * one new file for each, with --split. The input is never modified.
 */
#include "verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "io/options.h"
#include "io/paths.h"
#include "io/seek.h"
#include "records/not_etl.h"
#include "verbs/recovery_manifest.h"
#include "verbs/trace_ranges.h"

static const char help[] =
    "usage: etlproof recover [OPTIONS] IN -o OUT\n"
    "\n"
    "Writes OUT, a conforming file with every event that can be read from IN, byte for byte. IN is never modified.\n"
    "OUT.manifest.json lists what was kept, what was dropped and why, and what was changed in headers.\n"
    "A file without errors is copied.\n"
    "\n"
    "IN may hold several traces, one behind another, as copies of files appended to one another do (LFH-011). No OUT is\n"
    "written then; --split recovers each trace on its own.\n"
    "\n"
    "  -o, --output OUT  write the recovered file to OUT\n"
    "  --manifest FILE   write the manifest to FILE instead of OUT.manifest.json\n"
    "  --split           if IN holds several traces, write each to a file of its own: OUT-1.etl, OUT-2.etl, ... for\n"
    "                    OUT.etl, with a manifest each, and likewise for --manifest; a single trace is written to OUT\n"
    "  --force           replace existing files\n"
    "  --no-limit        inflate all that compressed buffers announce (LIM-001); a hostile file may take long\n"
    "  --help            print this help\n"
    "\n"
    "Exit status: 0 IN conforms, 1 IN is damaged or was split, 2 not an ETL file, nothing to recover, or several\n"
    "traces without --split (no OUT is written), 3 limit reached, 64 usage error, 66 cannot read, 70 internal error,\n"
    "74 cannot write.\n";

enum { OPTION_OUTPUT, OPTION_MANIFEST, OPTION_SPLIT, OPTION_FORCE, OPTION_NO_LIMIT };

static const tool_option options_table[] = {
    {"output", 'o', TOOL_ANY_VALUE, OPTION_OUTPUT},
    {"manifest", 0, TOOL_ANY_VALUE, OPTION_MANIFEST},
    {"split", 0, NULL, OPTION_SPLIT},
    {"force", 0, NULL, OPTION_FORCE},
    {"no-limit", 0, NULL, OPTION_NO_LIMIT},
    {NULL, 0, NULL, 0},
};

typedef struct recover_job {
    const char *in;
    const char *given_out, *given_manifest; /* as on the command line; the manifest may be NULL */
    char out[TOOL_NEW_FILE_PATH], manifest[TOOL_NEW_FILE_PATH]; /* of the current trace */
    etl_limits limits;
    bool split, force;
    tool_trace_ranges ranges;
    tool_trace_range range; /* of the current trace */
    tool_recovery old; /* of IN */
    tool_recovery new; /* of OUT, read back */
    tool_manifest_file old_file, new_file;
    tool_new_file output, notes;
    tool_manifest record;
    uint8_t block[64 * 1024];
} recover_job;

static const tool_trace_range whole = {0, UINT64_MAX, false};

/* Hashes a range of a file, and copies it to `copy` unless that is NULL. */
static bool read_through(recover_job *j, const char *path, tool_trace_range range, char sha256[TOOL_SHA256_TEXT],
                         tool_new_file *copy)
{
    tool_sha256 hash;
    tool_progress progress;
    FILE *file = fopen(path, "rb");
    const bool placed = file != NULL && (range.offset == 0 || tool_seek(file, range.offset, SEEK_SET));
    bool written = true;
    uint64_t done = 0;
    tool_sha256_begin(&hash);
    tool_progress_start(&progress, false);
    for (size_t got = 1; placed && got > 0 && written; done += got) {
        const uint64_t left = range.size - done;
        got = fread(j->block, 1, left < sizeof j->block ? (size_t)left : sizeof j->block, file);
        tool_sha256_take(&hash, j->block, got);
        written = copy == NULL || tool_new_file_write(copy, j->block, got);
        tool_progress_update(&progress, path, done, 0);
    }
    tool_progress_end(&progress);
    const bool read = placed && !ferror(file);
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

static tool_exit print_changed(const recover_job *j)
{
    tool_print_error("%s: changed while it was being read", j->in);
    return TOOL_EXIT_INPUT;
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
    if (!read_through(j, j->in, j->range, sha256, copies ? &j->output : NULL))
        return j->output.file != NULL ? TOOL_EXIT_INPUT : TOOL_EXIT_OUTPUT;
    return strcmp(sha256, j->old_file.sha256) == 0 ? TOOL_EXIT_CONFORMING : print_changed(j);
}

/* Reads OUT back. An output that does not conform, or has another number of events, is a bug in etlproof. */
static tool_exit check_output(recover_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->output.beside))
        return TOOL_EXIT_OUTPUT;
    const tool_exit code = tool_recovery_survey(&j->new, &input, j->limits);
    tool_input_close(&input);
    const bool copied = j->old.verdict == TOOL_VERDICT_CONFORMING;
    const uint64_t events = copied ? j->old.tally.events : j->old.recovery.events;
    if (code == TOOL_EXIT_CONFORMING && j->new.tally.events == events)
        return read_through(j, j->output.beside, whole, j->new_file.sha256, NULL) ? TOOL_EXIT_CONFORMING : TOOL_EXIT_OUTPUT;
    tool_print_error(
        "%s: internal error, a bug of etlproof and not a fault of the file: what was recovered does not conform", j->in);
    return TOOL_EXIT_INTERNAL;
}

static bool end_manifest(recover_job *j)
{
    const bool copied = j->old.verdict == TOOL_VERDICT_CONFORMING;
    return tool_manifest_end(&j->record, copied ? NULL : &j->old.recovery, &j->new_file, &j->new) &&
           tool_new_file_sync(&j->notes) && tool_new_file_close(&j->notes);
}

/* Moves both files to their names, the manifest first: OUT never exists without it, nor the manifest without OUT. */
static bool keep_files(recover_job *j)
{
    if (!tool_new_file_keep(&j->notes, j->force))
        return false;
    if (!tool_new_file_keep(&j->output, j->force)) {
        (void)remove(j->manifest);
        return false;
    }
    tool_path_sync_name(j->manifest);
    tool_path_sync_name(j->out);
    return true;
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
    if (!tool_new_file_sync(&j->output) || !tool_new_file_close(&j->output))
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

/* Writes OUT and its manifest from the survey, whose exit code is `surveyed`. */
static tool_exit recover_trace(recover_job *j, tool_exit surveyed)
{
    tool_exit written = surveyed;
    if (j->old.pull.fault == TOOL_PULL_NONE &&
        (surveyed == TOOL_EXIT_CONFORMING || surveyed == TOOL_EXIT_DAMAGED || surveyed == TOOL_EXIT_LIMIT))
        written = read_through(j, j->in, j->range, j->old_file.sha256, NULL) ? write_files(j) : TOOL_EXIT_INPUT;
    tool_manifest_close(&j->record);
    tool_new_file_drop(&j->output);
    tool_new_file_drop(&j->notes);
    if (written != TOOL_EXIT_CONFORMING)
        return written;
    return tool_exit_worse(surveyed, print_summary(j));
}

static bool name_file(char name[TOOL_NEW_FILE_PATH], const char *path, size_t number)
{
    if (number > 0)
        return tool_path_number(name, TOOL_NEW_FILE_PATH, path, number);
    const int printed = snprintf(name, TOOL_NEW_FILE_PATH, "%s", path);
    return printed >= 0 && printed < TOOL_NEW_FILE_PATH;
}

static bool name_manifest(recover_job *j, size_t number)
{
    if (j->given_manifest != NULL)
        return name_file(j->manifest, j->given_manifest, number);
    const int printed = snprintf(j->manifest, sizeof j->manifest, "%s.manifest.json", j->out);
    return printed >= 0 && printed < TOOL_NEW_FILE_PATH;
}

/* Names OUT and the manifest: numbered from 1 for a trace of several, with number 0 as given. Checks both. */
static tool_exit name_files(recover_job *j, size_t number)
{
    if (!name_file(j->out, j->given_out, number) || !name_manifest(j, number))
        return tool_usage("recover", "the name is too long", j->given_out);
    if (tool_path_same_place(j->out, j->manifest))
        return tool_usage("recover", "OUT and the manifest must be different files", j->out);
    const tool_exit code = tool_new_file_check("recover", j->in, j->out, j->force);
    return code != TOOL_EXIT_CONFORMING ? code : tool_new_file_check("recover", j->in, j->manifest, j->force);
}

/* Recovers one trace of several. Its range was found by an earlier survey, which is valid if this one agrees. */
static tool_exit recover_range(recover_job *j, tool_input *input, size_t index)
{
    tool_trace_range found = j->range = j->ranges.at[index];
    j->old_file.is_range = true;
    j->old_file.offset = found.offset;
    const tool_exit named = name_files(j, index + 1);
    if (named != TOOL_EXIT_CONFORMING)
        return named;
    const tool_exit code = tool_recovery_survey_range(&j->old, input, j->limits, &found);
    if (j->old.pull.fault != TOOL_PULL_NONE)
        return code;
    if (found.followed || found.size != j->range.size)
        return print_changed(j);
    if (j->old.verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_error("recover: %s: nothing to recover of the trace at 0x%" PRIx64, j->in, found.offset);
    return recover_trace(j, code);
}

static bool is_verdict(tool_exit code)
{
    return code == TOOL_EXIT_CONFORMING || code == TOOL_EXIT_DAMAGED || code == TOOL_EXIT_NOT_ETL ||
           code == TOOL_EXIT_LIMIT;
}

/* Recovers each trace, if no OUT is in the way. A file of several traces does not conform. */
static tool_exit recover_ranges(recover_job *j, tool_input *input)
{
    tool_exit worst = TOOL_EXIT_DAMAGED;
    for (size_t i = 0; i < j->ranges.count; i++) {
        const tool_exit named = name_files(j, i + 1);
        if (named != TOOL_EXIT_CONFORMING)
            return named;
    }
    for (size_t i = 0; i < j->ranges.count && is_verdict(worst); i++)
        worst = tool_exit_worse(worst, recover_range(j, input, i));
    return worst;
}

/* The file holds more than one trace. */
static tool_exit recover_several(recover_job *j, tool_input *input)
{
    tool_exit code = tool_trace_ranges_find(&j->ranges, &j->old, input, j->limits);
    if (code == TOOL_EXIT_CONFORMING && j->split)
        code = recover_ranges(j, input);
    else if (code == TOOL_EXIT_CONFORMING) {
        tool_trace_ranges_print(&j->ranges, j->in);
        code = TOOL_EXIT_NOT_ETL;
    }
    tool_trace_ranges_free(&j->ranges);
    return code;
}

/* With --split, the names of the new files depend on the survey, and are checked after it. */
static tool_exit recover(recover_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->in))
        return TOOL_EXIT_INPUT;
    tool_exit code = tool_recovery_survey(&j->old, &input, j->limits);
    if (j->old.pull.fault == TOOL_PULL_NONE && j->old.verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(&input);
    if (j->old.survey.next_trace > 0)
        code = recover_several(j, &input);
    else {
        const tool_exit named = j->split ? name_files(j, 0) : TOOL_EXIT_CONFORMING;
        code = named == TOOL_EXIT_CONFORMING ? recover_trace(j, code) : named;
    }
    tool_input_close(&input);
    return code;
}

static tool_exit check_arguments(recover_job *j)
{
    const char *manifest = j->given_manifest;
    if (manifest != NULL && tool_path_same_place(j->given_out, manifest))
        return tool_usage("recover", "OUT and the manifest must be different files", j->given_out);
    if (strcmp(j->given_out, "-") == 0 || (manifest != NULL && strcmp(manifest, "-") == 0))
        return tool_usage("recover", "OUT and the manifest are written out of order, so not to standard output", NULL);
    if (!tool_path_ordinary(j->in)) {
        tool_print_error("recover: %s: not a regular file; recover reads its input more than once", j->in);
        return TOOL_EXIT_INPUT;
    }
    return j->split ? TOOL_EXIT_CONFORMING : name_files(j, 0);
}

static void read_option(recover_job *j, int id, const char *value)
{
    switch (id) {
    case OPTION_OUTPUT: j->given_out = value; break;
    case OPTION_MANIFEST: j->given_manifest = value; break;
    case OPTION_SPLIT: j->split = true; break;
    case OPTION_NO_LIMIT: j->limits = ETL_LIMITS_NONE; break;
    default: j->force = true; break;
    }
}

tool_exit tool_verb_recover(char **argv)
{
    static recover_job j;
    tool_options options;
    j.limits = ETL_LIMITS_DEFAULT;
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
    if (j.given_out == NULL)
        return tool_usage(argv[0], "no OUT given: -o OUT", NULL);
    j.old_file.path = j.in;
    j.new_file.path = j.out;
    j.range = whole;
    const tool_exit code = check_arguments(&j);
    return code != TOOL_EXIT_CONFORMING ? code : recover(&j);
}
