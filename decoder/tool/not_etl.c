/* SPDX-License-Identifier: Apache-2.0 */
#include "not_etl.h"

#include "sniff.h"

static etl_sniffed sniff(const etl_input *input)
{
    return etl_sniff((etl_span){input->head, input->head_size});
}

bool etl_is_other_kind(const etl_input *input)
{
    return sniff(input).what != NULL;
}

void etl_out_not_etl(etl_out *out, const etl_input *input)
{
    etl_sniffed sniffed = sniff(input);
    if (input->head_size == 0)
        etl_out_text(out, "it is empty");
    else if (sniffed.what == NULL)
        etl_out_text(out, "nothing in it reads as a buffer of events");
    else
        etl_out_format(out, "it is %s", sniffed.what);
    if (sniffed.hint != NULL)
        etl_out_format(out, "; %s", sniffed.hint);
}

void etl_complain_not_etl(const etl_input *input)
{
    etl_out text;
    etl_out_open_memory(&text);
    etl_out_not_etl(&text, input);
    etl_complain("%s: not an ETL file: %.*s", input->title, (int)text.used, text.at);
    etl_out_free(&text);
}
