/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof decode: reads a file once and prints its decode records (records/record_stream.h).
 */
#include "verbs/verbs.h"

#include <stdlib.h>

#include "io/options.h"
#include "io/sandbox.h"
#include "records/record_stream.h"

static const char help[] =
    "usage: etlproof decode [OPTIONS] FILE\n"
    "\n"
    "Prints the contents of FILE, one record a line: trace, buffer, event, finding, and last of all end. FILE may be -\n"
    "for standard input. Output without an end record is incomplete.\n"
    "\n"
    "  --format jsonl|text  JSON Lines (default), or text for people\n"
    "  --payload none|hex|fields|both\n"
    "                       hex: print the payload of each event as bytes; fields: as named values, where the event,\n"
    "                       a schema in the trace or the table of kernel events describes them; both: as both\n"
    "                       (default: none). Of a pipe, an event has only the schemas in front of it\n"
    "  --manifest FILE      with fields: an instrumentation manifest (XML), for events that the trace has no schema for\n"
    "  --order file|time    time: print events by timestamp, after all other records but end (default: file). Events\n"
    "                       of equal time keep file order; an event without a time follows its predecessor. Holds all\n"
    "                       event records in memory\n"
    "  --memory MIB         the most memory for these (default: 4096)\n"
    "  -j, --jobs N         print with N threads: the same output, sooner. Only --order file and a file that can be\n"
    "                       mapped; ignored for a pipe and on Windows (default: 1)\n"
    "  --no-limit           inflate all that compressed buffers announce (LIM-001); a hostile file may take long\n"
    "  --no-sandbox         keep the right to write files, start programs and use the network\n"
    "  --help               print this help\n"
    "\n"
    TOOL_EXIT_HELP;

enum { OPTION_FORMAT, OPTION_PAYLOAD, OPTION_MANIFEST, OPTION_ORDER, OPTION_MEMORY, OPTION_JOBS, OPTION_NO_LIMIT,
       OPTION_NO_SANDBOX };

#define JOBS_MOST 256u

static const tool_option options_table[] = {
    {"format", 0, "jsonl|text", OPTION_FORMAT},
    {"payload", 0, "none|hex|fields|both", OPTION_PAYLOAD},
    {"manifest", 0, TOOL_ANY_VALUE, OPTION_MANIFEST},
    {"order", 0, "file|time", OPTION_ORDER},
    {"memory", 0, TOOL_ANY_VALUE, OPTION_MEMORY},
    {"jobs", 'j', TOOL_ANY_VALUE, OPTION_JOBS},
    {"no-limit", 0, NULL, OPTION_NO_LIMIT},
    {"no-sandbox", 0, NULL, OPTION_NO_SANDBOX},
    {NULL, 0, NULL, 0},
};

static tool_exit decode(tool_record_stream *d, const char *file)
{
    tool_input input;
    tool_output out;
    if (!tool_input_open(&input, file))
        return TOOL_EXIT_INPUT;
    tool_output_open(&out);
    tool_exit code = tool_record_stream_write(d, &input, &out);
    tool_input_close(&input);
    return tool_exit_worse(code, tool_output_close(&out));
}

static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *number > 0 && *number <= most;
}

/* Returns what was expected in place of the value, or NULL. */
static const char *read_option(tool_record_stream *d, int id, const tool_options *options)
{
    const bool second = options->choice == 1;
    uint64_t number = 0;
    switch (id) {
    case OPTION_FORMAT: d->text = second; break;
    case OPTION_PAYLOAD: d->payload = (tool_payload_form)options->choice; break;
    case OPTION_MANIFEST: d->manifest = options->value; break;
    case OPTION_ORDER: d->by_time = second; break;
    case OPTION_NO_LIMIT: d->limits = ETL_LIMITS_NONE; break;
    case OPTION_MEMORY:
        if (!read_number(options->value, UINT64_MAX >> 20, &number))
            return "--memory: expected a number of MiB, found";
        d->order_most = number << 20;
        break;
    case OPTION_JOBS:
        if (!read_number(options->value, JOBS_MOST, &number))
            return "--jobs: expected a number from 1 to 256, found";
        d->threads = (unsigned)number;
        break;
    default: break;
    }
    return NULL;
}

tool_exit tool_verb_decode(char **argv)
{
    static tool_record_stream d;
    tool_options options;
    bool sandbox = true;
    d.limits = ETL_LIMITS_DEFAULT;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        const char *expected = read_option(&d, id, &options);
        if (expected != NULL)
            return tool_usage(argv[0], expected, options.value);
        sandbox = sandbox && id != OPTION_NO_SANDBOX;
    }
    if (options.files != 1)
        return tool_usage(argv[0], options.files == 0 ? "no FILE given" : "more than one FILE given", NULL);
    if (d.manifest != NULL && (d.payload & TOOL_PAYLOAD_FIELDS) == 0)
        return tool_usage(argv[0], "--manifest needs --payload fields or both", NULL);
    char *files[] = {options.arguments[0], (char *)(uintptr_t)d.manifest};
    if (sandbox)
        tool_sandbox_enter(files, d.manifest != NULL ? 2 : 1);
    return decode(&d, options.arguments[0]);
}
