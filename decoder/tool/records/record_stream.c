/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an input into decode records, as JSON Lines or text. `etlproof decode`, the host of the conformance suite and
 * fuzz_json call this.
 */
#include "records/record_stream.h"

#include <inttypes.h>

#include "records/not_etl.h"
#include "records/record.h"
#include "records/record_text.h"
#include "records/record_threads.h"

static void write_all(tool_record_stream *d)
{
    tool_step step;
    bool more = true;
    while (more) {
        more = tool_record_step_read(d, &step);
        more = tool_record_step_print(&d->printer, &step) && more;
    }
}

static tool_exit write_end(tool_record_stream *d)
{
    tool_output *out = d->printer.out;
    if (out->error != 0)
        return TOOL_EXIT_OUTPUT;
    if (d->order.failed) {
        tool_print_error("%s: the events need more than %" PRIu64 " MiB; --memory sets another limit, and --order file "
                         "holds no events in memory", d->pull.input->title, d->order.most >> 20);
        return TOOL_EXIT_LIMIT;
    }
    tool_time_order_write(&d->order, out);
    tool_verdict verdict = tool_tally_verdict(&d->tally, &d->pull.reader, false);
    tool_exit code = tool_tally_exit(&d->tally, &d->pull, verdict);
    if (d->pull.fault != TOOL_PULL_NONE)
        return code;
    if (verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(d->pull.input);
    if (d->text)
        tool_text_end(out, &d->tally, &d->pull.reader.trace, verdict);
    else
        tool_record_end(&d->printer.json, &d->tally, &d->pull.reader.trace, verdict);
    return code;
}

tool_exit tool_record_stream_write(tool_record_stream *d, tool_input *input, tool_output *out)
{
    d->printer = (tool_record_printer){.text = d->text, .payload = d->payload, .out = out, .schemas = &d->schemas,
                                       .order = d->by_time ? &d->order : NULL, .tally = &d->tally};
    tool_json_open(&d->printer.json, out);
    tool_time_order_open(&d->order, d->order_most != 0 ? d->order_most : TOOL_TIME_ORDER_MOST);
    if ((d->payload & TOOL_PAYLOAD_FIELDS) != 0)
        tool_schemas_gather(&d->schemas, input, d->limits, out);
    if (d->manifest != NULL && !tool_schemas_add_manifest(&d->schemas, d->manifest)) {
        tool_schemas_close(&d->schemas);
        return TOOL_EXIT_INPUT;
    }
    tool_pull_open(&d->pull, input, d->limits, out, true);
    const bool shared = (d->payload & TOOL_PAYLOAD_FIELDS) == 0 || d->schemas.gathered; /* no thread adds a schema */
    if (d->threads <= 1 || d->by_time || !shared || !tool_record_threads_write(d))
        write_all(d);
    tool_exit code = write_end(d);
    tool_pull_close(&d->pull);
    tool_schemas_close(&d->schemas);
    tool_time_order_close(&d->order);
    return code;
}
