/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that each outcome of the reader calls for. Called for each step of a whole file, after oracle_step: what the
 * decoder reported of buffers and events is known to equal the bytes.
 */
#include "due.h"
#include "event_bytes.h"
#include "input_bytes.h"
#include "step_checks.h"

/* A logfile header counts if none did before; the first buffer should have it. */
static bool due_buffer(oracle_due *due, oracle_watch *oracle, const etl_reader *reader)
{
    const etl_buffer *b = &reader->buffer;
    const etl_logfile *l = &reader->trace.logfile;
    if (oracle->logfile_known) {
        oracle_due_later_logfile(due, b, &l->clock);
    } else if (b->index == 0 || oracle_logfile_here(b->raw)) {
        if (!oracle_logfile(oracle, b->raw, l) || !oracle_context(oracle, l, &reader->trace.context, reader->trace.shape))
            return false;
        oracle_due_logfile(due, b->raw, b->offset, l);
        oracle->logfile_known = l->known;
        const uint32_t modes = ETL_LOGGER_MODE_RELOG_MODE | ETL_LOGGER_MODE_COMPRESSED_MODE;
        etl_finding size = oracle_due_at(ETL_RULE_LFH_008, ETL_SPACE_FILE, b->offset);
        size.buffer = b->index;
        oracle_due_values(&size, ETL_RELATION_EQUAL, l->buffer_size, b->header.buffer_size);
        if (l->known && !(l->log_file_mode & modes) && b->header.buffer_size != l->buffer_size)
            oracle_due_expect(due, &size);
    }
    if (!oracle_due_buffer(due, oracle, reader))
        return false;
    oracle->has_compressed |= b->compressed;
    oracle->has_time = false;
    return true;
}

/* Times in a buffer do not decrease. Only the system time can be set back. */
static void due_time(oracle_due *due, oracle_watch *oracle, const etl_reader *reader)
{
    const etl_event *e = &reader->event;
    const uint32_t type = reader->trace.logfile.clock.type;
    if (!e->has_time)
        return;
    if (oracle->has_time && e->time < oracle->last_time) {
        const bool steady = type == ETL_CLOCK_TYPE_PERFCOUNTER || type == ETL_CLOCK_TYPE_CPUCYCLE;
        etl_finding finding = oracle_due_at(steady ? ETL_RULE_TIM_004 : ETL_RULE_TIM_007, e->space, e->offset);
        finding.buffer = e->buffer;
        finding.event = e->index;
        oracle_due_values(&finding, ETL_RELATION_AT_LEAST, (uint64_t)oracle->last_time, (uint64_t)e->time);
        oracle_due_expect(due, &finding);
    }
    oracle->has_time = true;
    oracle->last_time = e->time;
}

/* Whether events reach `end` by a member. The stream of a compressed buffer may end before the extent that it states. */
static bool reaches(const etl_buffer *b, uint32_t member, uint32_t end)
{
    return member >= end && member <= (b->compressed ? ETL_BUFFER_SIZE_MAX : b->data.size);
}

/* An event that ends behind the extent, and behind both members that state one, shows that they are too small. */
static void due_beyond(oracle_due *due, const oracle_watch *oracle, const etl_reader *reader, uint32_t at)
{
    const etl_event *e = &reader->event;
    const etl_buffer *b = &reader->buffer;
    const uint32_t end = at + e->size;
    if (end <= oracle->extent)
        return;
    etl_finding finding = oracle_due_at(ETL_RULE_BUF_022, e->space, e->offset);
    finding.buffer = e->buffer;
    finding.event = e->index;
    oracle_due_values(&finding, ETL_RELATION_AT_MOST, oracle->extent, end);
    if (reaches(b, b->header.offset, end) || reaches(b, b->header.saved_offset, end))
        oracle_due_allow(due, &finding);
    else
        oracle_due_expect(due, &finding);
}

static void due_event(oracle_due *due, oracle_watch *oracle, const etl_reader *reader)
{
    const etl_event *e = &reader->event;
    const etl_buffer *b = &reader->buffer;
    const uint32_t at = (uint32_t)(e->bytes.at - b->data.at);
    const oracle_due_event event = {.data = b->data,
                                    .at = at,
                                    .framed = true,
                                    .context = b->context,
                                    .space = b->space,
                                    .offset = e->offset,
                                    .buffer = b->index,
                                    .index = e->index};
    due_beyond(due, oracle, reader, at);
    oracle_due_frame(due, &event, 0, ETL_ACTION_CONTINUE);
    due_time(due, oracle, reader);
    if (at % 8 == 0)
        return;
    etl_finding finding = oracle_due_at(ETL_RULE_ALN_001, e->space, e->offset);
    finding.buffer = e->buffer;
    finding.event = e->index;
    oracle_due_values(&finding, ETL_RELATION_EQUAL, e->offset + 8 - at % 8, e->offset);
    oracle_due_expect(due, &finding);
}

/* A closed trace counts its buffers. A circular one keeps only the last of them. */
static void due_end(oracle_due *due, const oracle_watch *oracle, const etl_logfile *l)
{
    if (!l->known || l->end_time == 0 || oracle->buffers == l->buffers_written)
        return;
    const bool missing = oracle->buffers < l->buffers_written && !(l->log_file_mode & ETL_LOGGER_MODE_FILE_MODE_CIRCULAR);
    etl_finding finding = oracle_due_at(missing ? ETL_RULE_BUF_018 : ETL_RULE_BUF_014, ETL_SPACE_FILE, oracle->end);
    oracle_due_values(&finding, missing ? ETL_RELATION_AT_LEAST : ETL_RELATION_EQUAL, l->buffers_written, oracle->buffers);
    oracle_due_expect(due, &finding);
}

bool oracle_due_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader)
{
    oracle_due due;
    oracle_due_begin(&due, &reader->findings);
    switch (outcome) {
    case ETL_BUFFER:
        if (!due_buffer(&due, oracle, reader))
            return false;
        break;
    case ETL_EVENT: due_event(&due, oracle, reader); break;
    case ETL_GAP: oracle_due_gap(&due, oracle, reader); break;
    case ETL_END: due_end(&due, oracle, &reader->trace.logfile); break;
    default: break;
    }
    if (reader->in_buffer)
        oracle->extent = reader->buffer.extent;
    return oracle_due_end(oracle, &due);
}
