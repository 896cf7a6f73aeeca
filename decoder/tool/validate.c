/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof validate: whether files conform, what they hold, and what is wrong with them.
 */
#include "verbs.h"

#include <stdlib.h>

#include "options.h"
#include "validate.h"

static const char help[] =
    "usage: etlproof validate [OPTIONS] FILE...\n"
    "\n"
    "Says in one line whether each FILE conforms to the format, then what it holds, then what is wrong with it: rule,\n"
    "place, what was expected and what was found, and what follows from it. FILE may be - for standard input.\n"
    "\n"
    "  --json    one JSON object a file, one a line\n"
    "  --sarif   one SARIF 2.1.0 log of all files; findings that are not kept are one result for each rule\n"
    "  --quiet   the verdict only\n"
    "  --strict  warnings count as damage\n"
    "  --all     all findings that are kept, at most 1,100, and not the first five of each rule only\n"
    "  --help    this text\n"
    "\n"
    "'etlproof explain RULE' explains a rule; 'etlproof decode FILE' lists every finding where it occurs.\n"
    "\n"
    ETL_EXIT_HELP "With several files it is that of the worst, in the order 70, 74, 66, 2, 1, 3, 0.\n";

enum { OPTION_JSON, OPTION_SARIF, OPTION_QUIET, OPTION_STRICT, OPTION_ALL };

static const etl_option options_table[] = {
    {"json", 0, false, OPTION_JSON},     {"sarif", 0, false, OPTION_SARIF}, {"quiet", 'q', false, OPTION_QUIET},
    {"strict", 0, false, OPTION_STRICT}, {"all", 0, false, OPTION_ALL},     {NULL, 0, false, 0},
};

typedef enum form { FORM_TEXT, FORM_QUIET, FORM_JSON, FORM_SARIF } form;

typedef struct validating {
    form form;
    unsigned forms; /* how many were asked for */
    bool strict, all;
    etl_out out;
    etl_json json;
    etl_pull pull;
    etl_inventory inventory;
} validating;

static void report(validating *v, const etl_validation *validation)
{
    switch (v->form) {
    case FORM_JSON: etl_validate_json(&v->json, validation); break;
    case FORM_SARIF: etl_sarif_file(&v->json, validation); break;
    case FORM_QUIET: etl_validate_verdict(&v->out, validation); break;
    case FORM_TEXT:
        etl_validate_verdict(&v->out, validation);
        etl_validate_text(&v->out, validation);
        break;
    }
    etl_out_flush(&v->out);
}

static etl_exit validate_file(validating *v, const char *file)
{
    etl_input input;
    if (!etl_input_open(&input, file))
        return ETL_EXIT_INPUT;
    etl_inventory_open(&v->inventory);
    etl_pull_open(&v->pull, &input, ETL_LIMITS_DEFAULT, &v->out, false);
    etl_inventory_take(&v->inventory, &v->pull, v->strict);
    etl_pull_close(&v->pull);
    etl_verdict verdict = etl_tally_verdict(&v->inventory.tally, &v->pull.reader, v->strict);
    etl_exit code = etl_tally_exit(&v->inventory.tally, &v->pull, verdict);
    etl_validation validation = {&input, &v->pull.reader, &v->inventory, verdict, v->strict, v->all};
    if (v->pull.fault == ETL_PULL_NONE)
        report(v, &validation);
    etl_input_close(&input);
    return code;
}

static etl_exit validate(validating *v, char **files, int count)
{
    etl_exit worst = ETL_EXIT_CONFORMING;
    bool failed = false;
    etl_out_open(&v->out);
    etl_json_open(&v->json, &v->out);
    if (v->form == FORM_SARIF)
        etl_sarif_open(&v->json);
    for (int i = 0; i < count && v->out.error == 0; i++) {
        etl_exit code = validate_file(v, files[i]);
        failed |= v->pull.fault != ETL_PULL_NONE || code == ETL_EXIT_INPUT || code == ETL_EXIT_INTERNAL;
        worst = etl_exit_worse(worst, code);
    }
    if (v->form == FORM_SARIF)
        etl_sarif_close(&v->json, failed);
    return etl_exit_worse(worst, etl_out_close(&v->out));
}

static void read_option(validating *v, int id)
{
    static const form forms[] = {[OPTION_JSON] = FORM_JSON, [OPTION_SARIF] = FORM_SARIF, [OPTION_QUIET] = FORM_QUIET};
    if (id == OPTION_STRICT) {
        v->strict = true;
    } else if (id == OPTION_ALL) {
        v->all = true;
    } else {
        v->forms += v->form != forms[id];
        v->form = forms[id];
    }
}

static etl_exit read_options_and_run(validating *v, char **argv)
{
    etl_options options;
    etl_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = etl_options_next(&options)) != ETL_OPTION_END;) {
        if (id == ETL_OPTION_STOP)
            return options.exit;
        read_option(v, id);
    }
    if (v->forms > 1)
        return etl_usage(argv[0], "only one of --json, --sarif and --quiet", NULL);
    if (options.files == 0)
        return etl_usage(argv[0], "no FILE given", NULL);
    return validate(v, options.arguments, options.files);
}

etl_exit etl_verb_validate(char **argv)
{
    validating *v = calloc(1, sizeof *v);
    if (v == NULL) {
        etl_complain("out of memory");
        return ETL_EXIT_LIMIT;
    }
    etl_exit code = read_options_and_run(v, argv);
    free(v);
    return code;
}
