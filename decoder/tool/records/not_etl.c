/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why an input is not an ETL file, from its first bytes (io/sniff.h). decode, validate, map and recover call this.
 */
#include "records/not_etl.h"

#include "io/sniff.h"

static tool_file_kind sniff(const tool_input *input)
{
    return tool_sniff((etl_span){input->head, input->head_size});
}

bool tool_is_other_kind(const tool_input *input)
{
    return sniff(input).what != NULL;
}

void tool_put_not_etl(tool_output *out, const tool_input *input)
{
    tool_file_kind sniffed = sniff(input);
    if (input->head_size == 0)
        tool_put_text(out, "the file is empty");
    else if (sniffed.what == NULL)
        tool_put_text(out, "it holds no event buffer");
    else
        tool_put_format(out, "it looks like %s", sniffed.what);
    if (sniffed.hint != NULL)
        tool_put_format(out, "; %s", sniffed.hint);
}

void tool_print_not_etl(const tool_input *input)
{
    tool_output text;
    tool_output_open_memory(&text);
    tool_put_not_etl(&text, input);
    tool_print_error("%s: not an ETL file: %.*s", input->title, (int)text.used, text.at);
    tool_output_free(&text);
}
