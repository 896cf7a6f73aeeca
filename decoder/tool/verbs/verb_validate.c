/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof validate: reads files, takes an inventory of each (records/inventory.h), and reports it as text, JSON or SARIF.
 */
#include "verbs/verbs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/folders.h"
#include "io/options.h"
#include "io/sandbox.h"
#include "records/validation.h"

static const char help[] =
    "usage: etlproof validate [OPTIONS] FILE...\n"
    "\n"
    "Checks each FILE against the format. Prints its verdict on one line, then an inventory, then the findings: rule,\n"
    "offset, expected and actual value, effect. FILE may be - for standard input, or a folder, whose *.etl files are\n"
    "checked, those of its subfolders too.\n"
    "\n"
    "  --json        print one JSON object a file, each on its own line\n"
    "  --sarif       print one SARIF 2.1.0 log for all files; findings beyond the first 1,000 become one result a rule\n"
    "  -q, --quiet   print verdicts only\n"
    "  --strict      count warnings as damage\n"
    "  --profile reader|writer\n"
    "                writer: for authors of tools that write ETL files; what Windows never writes is an error, though\n"
    "                a reader accepts it (default: reader). 'etlproof explain RULE' prints which rules that concerns\n"
    "  --payload     count the events whose payload decodes to fields, and report what is wrong with the others\n"
    "  --manifest M  with --payload: an instrumentation manifest (XML), for events that the trace has no schema for\n"
    "  --all         print the first 1,000 findings of a file, not only the first five of each rule\n"
    "  --no-limit    inflate all that compressed buffers announce (LIM-001); a hostile file may take long\n"
    "  --no-sandbox  keep the right to write files, start programs and use the network\n"
    "  --help        print this help\n"
    "\n"
    "'etlproof explain RULE' explains a rule. 'etlproof decode FILE' prints every finding where it occurs.\n"
    "\n"
    TOOL_EXIT_HELP "A folder without *.etl files cannot be read. With several files, the most severe code in the order\n"
    "70, 74, 66, 2, 1, 3, 0.\n";

enum { OPTION_JSON, OPTION_SARIF, OPTION_QUIET, OPTION_STRICT, OPTION_PROFILE, OPTION_PAYLOAD, OPTION_MANIFEST,
       OPTION_ALL, OPTION_NO_LIMIT, OPTION_NO_SANDBOX };

static const tool_option options_table[] = {
    {"json", 0, NULL, OPTION_JSON},
    {"sarif", 0, NULL, OPTION_SARIF},
    {"quiet", 'q', NULL, OPTION_QUIET},
    {"strict", 0, NULL, OPTION_STRICT},
    {"profile", 0, "reader|writer", OPTION_PROFILE},
    {"payload", 0, NULL, OPTION_PAYLOAD},
    {"manifest", 0, TOOL_ANY_VALUE, OPTION_MANIFEST},
    {"all", 0, NULL, OPTION_ALL},
    {"no-limit", 0, NULL, OPTION_NO_LIMIT},
    {"no-sandbox", 0, NULL, OPTION_NO_SANDBOX},
    {NULL, 0, NULL, 0},
};

typedef enum form { FORM_TEXT, FORM_QUIET, FORM_JSON, FORM_SARIF } form;

typedef struct validate_job {
    form form;
    etl_limits limits;
    tool_exit worst;  /* of all files so far */
    bool failed;      /* a file could not be read to its end */
    bool found;       /* the folder has *.etl files */
    unsigned forms; /* number of different forms requested */
    bool strict, payloads, all, no_sandbox;
    tool_profile profile;
    const char *manifest; /* path; NULL: none */
    tool_output out;
    tool_json json;
    tool_pull pull;
    tool_inventory inventory;
} validate_job;

static void report(validate_job *v, const tool_validation *validation)
{
    switch (v->form) {
    case FORM_JSON: tool_validation_json(&v->json, validation); break;
    case FORM_SARIF: tool_sarif_file(&v->json, validation); break;
    case FORM_QUIET: tool_validation_verdict(&v->out, validation); break;
    case FORM_TEXT:
        tool_validation_verdict(&v->out, validation);
        tool_validation_text(&v->out, validation);
        break;
    }
    tool_output_flush(&v->out);
}

static tool_exit validate_file(validate_job *v, const char *file)
{
    tool_input input;
    if (!tool_input_open(&input, file))
        return TOOL_EXIT_INPUT;
    tool_inventory_open(&v->inventory);
    v->inventory.with_payloads = v->payloads;
    v->inventory.tally.profile = v->profile;
    if (v->payloads)
        tool_schemas_gather(&v->inventory.schemas, &input, v->limits, &v->out);
    if (v->manifest != NULL && !tool_schemas_add_manifest(&v->inventory.schemas, v->manifest)) {
        tool_schemas_close(&v->inventory.schemas);
        tool_input_close(&input);
        return TOOL_EXIT_INPUT;
    }
    tool_pull_open(&v->pull, &input, v->limits, &v->out, false);
    tool_inventory_take(&v->inventory, &v->pull, v->strict);
    tool_pull_close(&v->pull);
    tool_schemas_close(&v->inventory.schemas);
    tool_verdict verdict = tool_tally_verdict(&v->inventory.tally, &v->pull.reader, v->strict);
    tool_exit code = tool_tally_exit(&v->inventory.tally, &v->pull, verdict);
    tool_validation validation = {&input, &v->pull.reader, &v->inventory, verdict, v->strict, v->all};
    if (v->pull.fault == TOOL_PULL_NONE)
        report(v, &validation);
    tool_input_close(&input);
    return code;
}

/* False to stop: what was validated cannot be written. */
static bool take_file(validate_job *v, const char *file)
{
    const tool_exit code = validate_file(v, file);
    v->failed |= v->pull.fault != TOOL_PULL_NONE || code == TOOL_EXIT_INPUT || code == TOOL_EXIT_INTERNAL;
    v->worst = tool_exit_worse(v->worst, code);
    return v->out.error == 0;
}

static bool is_trace(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending != NULL && tolower((unsigned char)ending[1]) == 'e' && tolower((unsigned char)ending[2]) == 't' &&
           tolower((unsigned char)ending[3]) == 'l' && ending[4] == '\0';
}

static bool visit(void *context, const char *path)
{
    validate_job *v = context;
    if (!is_trace(path))
        return true;
    v->found = true;
    return take_file(v, path);
}

static void take_folder(validate_job *v, const char *path)
{
    v->found = false;
    const bool read = tool_folder_walk(path, visit, v);
    if (read && !v->found)
        tool_print_error("%s: no *.etl file in this folder", path);
    if ((read && v->found) || v->out.error != 0)
        return;
    v->failed = true;
    v->worst = tool_exit_worse(v->worst, TOOL_EXIT_INPUT);
}

static tool_exit validate(validate_job *v, char **files, int count)
{
    tool_output_open(&v->out);
    tool_json_open(&v->json, &v->out);
    if (v->form == FORM_SARIF)
        tool_sarif_open(&v->json);
    for (int i = 0; i < count && v->out.error == 0; i++) {
        if (tool_folder_here(files[i]))
            take_folder(v, files[i]);
        else
            (void)take_file(v, files[i]);
    }
    if (v->form == FORM_SARIF)
        tool_sarif_close(&v->json, v->failed);
    return tool_exit_worse(v->worst, tool_output_close(&v->out));
}

static void read_option(validate_job *v, int id, const tool_options *options)
{
    static const form forms[] = {[OPTION_JSON] = FORM_JSON, [OPTION_SARIF] = FORM_SARIF, [OPTION_QUIET] = FORM_QUIET};
    if (id == OPTION_STRICT) {
        v->strict = true;
    } else if (id == OPTION_PROFILE) {
        v->profile = (tool_profile)options->choice;
    } else if (id == OPTION_PAYLOAD) {
        v->payloads = true;
    } else if (id == OPTION_MANIFEST) {
        v->manifest = options->value;
    } else if (id == OPTION_ALL) {
        v->all = true;
    } else if (id == OPTION_NO_LIMIT) {
        v->limits = ETL_LIMITS_NONE;
    } else if (id == OPTION_NO_SANDBOX) {
        v->no_sandbox = true;
    } else {
        v->forms += v->form != forms[id];
        v->form = forms[id];
    }
}

/* The manifest is a file beside the operands. False if there is no memory. */
static bool enter_sandbox(const validate_job *v, tool_options *options)
{
    char **files = calloc((size_t)options->files + 1, sizeof *files);
    if (files == NULL)
        return false;
    memcpy(files, options->arguments, (size_t)options->files * sizeof *files);
    files[options->files] = (char *)(uintptr_t)v->manifest;
    tool_sandbox_enter(files, options->files + (v->manifest != NULL));
    free(files);
    return true;
}

static tool_exit read_options_and_run(validate_job *v, char **argv)
{
    tool_options options;
    v->limits = ETL_LIMITS_DEFAULT;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        read_option(v, id, &options);
    }
    if (v->forms > 1)
        return tool_usage(argv[0], "--json, --sarif and --quiet exclude each other", NULL);
    if (options.files == 0)
        return tool_usage(argv[0], "no FILE given", NULL);
    if (v->manifest != NULL && !v->payloads)
        return tool_usage(argv[0], "--manifest needs --payload", NULL);
    if (!v->no_sandbox && !enter_sandbox(v, &options)) {
        tool_print_error("out of memory");
        return TOOL_EXIT_LIMIT;
    }
    return validate(v, options.arguments, options.files);
}

tool_exit tool_verb_validate(char **argv)
{
    validate_job *v = calloc(1, sizeof *v);
    if (v == NULL) {
        tool_print_error("out of memory");
        return TOOL_EXIT_LIMIT;
    }
    tool_exit code = read_options_and_run(v, argv);
    free(v);
    return code;
}
