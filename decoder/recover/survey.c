/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All outcomes of a decode -> what a recovery needs to know about the file: above all, its logfile header. The first of the
 * two passes of a recovery; called by the recover verb and by fuzz_recover.
 */
#include "etlproof/recover.h"

void etl_survey_init(etl_survey *survey)
{
    *survey = (etl_survey){.shape = ETL_BUFFER_SHAPE_61};
}

/* The size of a truncated buffer is unknown. */
static void take_size(etl_survey *s, const etl_buffer *b)
{
    if (b->compressed || b->raw.size != b->header.buffer_size)
        return;
    s->plain_size = !s->plain_seen || s->plain_size == b->header.buffer_size ? b->header.buffer_size : 0;
    s->plain_seen = true;
}

static void take_findings(etl_survey *s, const etl_reader *reader)
{
    for (uint32_t i = 0; i < reader->findings.count; i++)
        if (reader->findings.at[i].rule == ETL_RULE_LFH_011)
            s->next_trace = reader->buffer.offset;
}

static void take_buffer(etl_survey *s, const etl_reader *reader)
{
    take_findings(s, reader);
    take_size(s, &reader->buffer);
    const uint32_t processor = reader->buffer.header.processor;
    if (processor >= s->processors)
        s->processors = processor + 1;
    s->compressed += reader->buffer.compressed;
    if (s->logfile.known)
        return;
    s->logfile = reader->trace.logfile;
    s->context = reader->trace.context;
    s->shape = reader->trace.shape;
    s->header_buffer = s->logfile.known ? reader->buffer.index : 0;
}

void etl_survey_take(etl_survey *s, etl_outcome outcome, const etl_reader *reader)
{
    if (outcome == ETL_BUFFER)
        take_buffer(s, reader);
    if (outcome != ETL_EVENT)
        return;
    const uint8_t pointer_size = etl_header_type_pointer_size(reader->event.type);
    s->narrow += pointer_size == 4;
    s->wide += pointer_size == 8;
}
