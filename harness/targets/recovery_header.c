/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the totals of a logfile header from a walk over the whole file. Called by recovery_check.c.
 */
#include "recovery_header.h"

enum { ANY, ANY_OTHER };

static void take_time(target_recovery_totals *totals, unsigned which, int64_t time)
{
    if (!totals->has_time[which] || time > totals->last[which])
        totals->last[which] = time;
    totals->has_time[which] = true;
}

/* An unused flag word may be left behind a stream. */
#define FLAG_WORD 4u

/* In more input than that, readers search for the next buffer. */
static void take_input(target_recovery_totals *totals, const etl_buffer *b)
{
    const uint64_t unused = b->compressed ? b->raw.size - ETL_SIZE(WMI_BUFFER_HEADER_61) - b->inflated_from : 0;
    totals->unused = unused > totals->unused ? unused : totals->unused;
}

void target_recovery_count(target_recovery_totals *totals, etl_outcome outcome, const etl_reader *reader, bool header)
{
    if (outcome == ETL_BUFFER) {
        const uint32_t processors = (uint32_t)reader->buffer.header.processor + 1;
        totals->buffers++;
        take_input(totals, &reader->buffer);
        totals->processors = processors > totals->processors ? processors : totals->processors;
    } else if (outcome == ETL_EVENT && reader->event.has_time) {
        take_time(totals, ANY, reader->event.time);
        if (!header)
            take_time(totals, ANY_OTHER, reader->event.time);
    }
}

/* The time of the last event; the start of the trace if the clock is unknown or the time earlier; never 0. */
static uint64_t end_time(const etl_logfile *logfile, const target_recovery_totals *totals, unsigned which)
{
    const uint64_t start = logfile->start_time > 0 ? (uint64_t)logfile->start_time : 1;
    uint64_t time = 0;
    const bool known = totals->has_time[which] && etl_clock_filetime(&logfile->clock, totals->last[which], &time);
    return known && time > start ? time : start;
}

/* A trace that was not closed ends with its last event; that of the logfile header may count or not. */
static bool end_time_fits(const etl_logfile *in, target_recovery_side out)
{
    const uint64_t end = (uint64_t)out.survey->logfile.end_time;
    if (!in->known)
        return end == 1;
    if (in->end_time != 0)
        return end == (uint64_t)in->end_time;
    return end == end_time(in, out.totals, ANY) || end == end_time(in, out.totals, ANY_OTHER);
}

/* A circular trace may have written more buffers than it kept. */
static bool buffers_fit(const etl_logfile *in, target_recovery_side out)
{
    const bool circular = in->known && (in->log_file_mode & ETL_LOGGER_MODE_FILE_MODE_CIRCULAR);
    const uint64_t buffers = out.totals->buffers, stated = out.survey->logfile.buffers_written;
    return stated == (circular && in->buffers_written > buffers ? in->buffers_written : buffers);
}

static bool processors_fit(target_recovery_side in, target_recovery_side out)
{
    const uint32_t all = in.totals->processors > 0 ? in.totals->processors : 1;
    const uint32_t stated = out.survey->logfile.number_of_processors;
    return stated == (in.survey->logfile.known ? in.survey->logfile.number_of_processors : all);
}

const char *target_recovery_header(target_recovery_side in, target_recovery_side out)
{
    const etl_logfile *logfile = &in.survey->logfile;
    if (!end_time_fits(logfile, out))
        return "EndTime is that of the old file, or the time of the last event";
    if (!buffers_fit(logfile, out))
        return "BuffersWritten is the number of buffers; in a circular trace it may be larger";
    if (!processors_fit(in, out))
        return "NumberOfProcessors is that of the old file, or one more than the highest processor";
    if (out.totals->unused > FLAG_WORD)
        return "a compressed buffer of the new file has no input behind its stream but a flag word";
    return NULL;
}

bool target_recovery_change_fits(etl_span made, const etl_recover_note *note)
{
    /* Every member that changes has at least two bytes. */
    if (note->space != ETL_SPACE_FILE || made.size < 2 || note->offset > made.size - 2 || note->from == note->to)
        return false;
    const uint8_t *at = made.at + note->offset;
    return (note->to & 0xFFFF) == (uint64_t)(at[0] | at[1] << 8);
}
