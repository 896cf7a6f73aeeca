/* SPDX-License-Identifier: Apache-2.0 */
#include "records/not_etl.h"

#include "io/sniff.h"

static tool_sniffed sniff(const tool_input *input)
{
    return tool_sniff((etl_span){input->head, input->head_size});
}

bool tool_is_other_kind(const tool_input *input)
{
    return sniff(input).what != NULL;
}

void tool_out_not_etl(tool_out *out, const tool_input *input)
{
    tool_sniffed sniffed = sniff(input);
    if (input->head_size == 0)
        tool_out_text(out, "it is empty");
    else if (sniffed.what == NULL)
        tool_out_text(out, "nothing in it reads as a buffer of events");
    else
        tool_out_format(out, "it is %s", sniffed.what);
    if (sniffed.hint != NULL)
        tool_out_format(out, "; %s", sniffed.hint);
}

void tool_complain_not_etl(const tool_input *input)
{
    tool_out text;
    tool_out_open_memory(&text);
    tool_out_not_etl(&text, input);
    tool_complain("%s: not an ETL file: %.*s", input->title, (int)text.used, text.at);
    tool_out_free(&text);
}
