/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of group WRITER that a buffer or an event calls for, in validate --profile writer. Called by fuzz_json and
 * by rule_oracles_test.
 */
#include "due_writer.h"

#include "input_bytes.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define BODY_AT (EVENT_AT + ETL_SIZE(SYSTEM_TRACE_HEADER))
#define BUFFER_MEMBER(member) ETL_AT(WMI_BUFFER_HEADER_61, member)

#define OF_A_SESSION \
    (ETL_LOGGER_MODE_REAL_TIME_MODE | ETL_LOGGER_MODE_STOP_ON_HYBRID_SHUTDOWN | ETL_LOGGER_MODE_PERSIST_ON_HYBRID_SHUTDOWN)
#define OF_A_CONSUMER \
    (ETL_EVENT_FLAG_32_BIT_HEADER | ETL_EVENT_FLAG_64_BIT_HEADER | ETL_EVENT_FLAG_CLASSIC_HEADER | \
     ETL_EVENT_FLAG_PROCESSOR_INDEX)

/* The findings of one step, and the buffer that they are about. */
typedef struct about {
    oracle_due *due;
    etl_span raw;
    uint64_t offset, index;
} about;

static uint64_t member(const about *a, uint32_t at, unsigned size)
{
    return oracle_raw_get(a->raw, at, size);
}

static void due_at(const about *a, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding finding = oracle_due_at(rule, ETL_SPACE_FILE, a->offset + at);
    oracle_due_values(&finding, relation, expected, actual);
    finding.buffer = a->index;
    oracle_due_expect(a->due, &finding);
}

static void due_unless(const about *a, etl_rule rule, uint32_t at, uint64_t expected, uint64_t actual)
{
    if (actual != expected)
        due_at(a, rule, at, ETL_RELATION_EQUAL, expected, actual);
}

static void due_stated_size(const about *a, uint64_t size)
{
    const uint32_t at = BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize);
    if (size < 1024)
        due_at(a, ETL_RULE_WRT_001, at, ETL_RELATION_AT_LEAST, 1024, size);
    else if (size > 16 * 1024 * 1024)
        due_at(a, ETL_RULE_WRT_001, at, ETL_RELATION_AT_MOST, 16 * 1024 * 1024, size);
    else if (size % 1024 != 0)
        due_at(a, ETL_RULE_WRT_001, at, ETL_RELATION_BITS_WITHIN, 0xFFFFFC00, size);
}

/* Two names of UTF-16 follow the members, each with its NUL. Without these, the end of the names is not known. */
static void due_end(const about *a, uint32_t names_at)
{
    const uint64_t size = member(a, EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2);
    uint64_t at = names_at;
    for (unsigned nuls = 0; nuls < 2; at += 2) {
        if (at + 2 > a->raw.size || at + 2 > EVENT_AT + size)
            return;
        nuls += member(a, (uint32_t)at, 2) == 0;
    }
    if (at - EVENT_AT < size)
        due_at(a, ETL_RULE_WRT_012, EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Size), ETL_RELATION_EQUAL, at - EVENT_AT, size);
}

static void due_header(const about *a, const oracle_writer *w)
{
    const bool wide = member(a, EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 1) == ETL_HEADER_TYPE_SYSTEM64;
    const uint32_t version_at = EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Version);
    const uint32_t sub_at = BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion);
    const uint32_t padding_at =
        BODY_AT + (wide ? ETL_AT(TRACE_LOGFILE_HEADER64, Padding) : ETL_AT(TRACE_LOGFILE_HEADER32, Padding));
    const uint32_t names_at = BODY_AT + (wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32));
    due_stated_size(a, w->buffer_size);
    due_unless(a, ETL_RULE_WRT_008, version_at, w->since_6_0 ? 2 : 1, member(a, version_at, 2));
    if (w->mode & OF_A_SESSION)
        due_at(a, ETL_RULE_WRT_009, BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), ETL_RELATION_BITS_WITHIN,
               0xFFFFFFFF - OF_A_SESSION, w->mode);
    if (w->mode & ETL_LOGGER_MODE_COMPRESSED_MODE)
        due_unless(a, ETL_RULE_WRT_010, sub_at, 0x200, member(a, sub_at, 1) * 256 + member(a, sub_at + 1, 1));
    due_unless(a, ETL_RULE_WRT_011, padding_at, 0, member(a, padding_at, 4));
    due_end(a, names_at);
}

/* `processor`: of the header. */
static void due_sequence(const about *a, oracle_writer *w, uint16_t processor)
{
    const int64_t number = oracle_raw_i64(a->raw.at + BUFFER_MEMBER(SequenceNumber)), last = w->last[processor];
    const uint32_t in_any_order =
        ETL_LOGGER_MODE_FILE_MODE_CIRCULAR | ETL_LOGGER_MODE_FILE_MODE_APPEND | ETL_LOGGER_MODE_RELOG_MODE;
    if (!(w->mode & in_any_order) && w->has_last[processor] && number <= last)
        due_at(a, ETL_RULE_WRT_007, BUFFER_MEMBER(SequenceNumber), ETL_RELATION_AT_LEAST, (uint64_t)last + 1,
               (uint64_t)number);
    w->has_last[processor] = true;
    w->last[processor] = number;
}

/* The logfile header is in the first buffer from which it is known; what it states counts for all. */
static bool take_header(const about *a, oracle_writer *w)
{
    if (w->known)
        return false;
    *w = (oracle_writer){.known = true,
                         /* an impossible version counts as the latest */
                         .since_6_0 = member(a, BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), 1) != 5,
                         .mode = (uint32_t)member(a, BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 4),
                         .buffer_size = (uint32_t)member(a, BODY_AT + ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize), 4)};
    return true;
}

void oracle_due_writer_buffer(oracle_due *due, oracle_writer *w, const etl_buffer *buffer)
{
    const about a = {due, buffer->raw, buffer->offset, buffer->index};
    const bool is_header = take_header(&a, w);
    const uint64_t used = member(&a, BUFFER_MEMBER(Offset), 4);
    if (is_header)
        due_header(&a, w);
    else if (!(w->mode & (ETL_LOGGER_MODE_RELOG_MODE | ETL_LOGGER_MODE_COMPRESSED_MODE)))
        due_unless(&a, ETL_RULE_WRT_002, BUFFER_MEMBER(BufferSize), w->buffer_size,
                   member(&a, BUFFER_MEMBER(BufferSize), 4));
    if (used % 8 != 0)
        due_at(&a, ETL_RULE_WRT_005, BUFFER_MEMBER(Offset), ETL_RELATION_BITS_WITHIN, 0xFFFFFFF8, used);
    if (!w->since_6_0)
        return;
    due_unless(&a, ETL_RULE_WRT_003, BUFFER_MEMBER(ReferenceCount), 0, member(&a, BUFFER_MEMBER(ReferenceCount), 4));
    if (is_header) {
        due_unless(&a, ETL_RULE_WRT_006, BUFFER_MEMBER(SequenceNumber), 0, member(&a, BUFFER_MEMBER(SequenceNumber), 8));
        return;
    }
    if (!buffer->compressed)
        due_unless(&a, ETL_RULE_WRT_004, BUFFER_MEMBER(State), 3, member(&a, BUFFER_MEMBER(State), 4));
    due_sequence(&a, w, buffer->header.processor);
}

static void due_of_event(oracle_due *due, const etl_event *event, etl_rule rule, uint32_t at, etl_relation relation,
                         uint64_t expected)
{
    etl_finding finding = oracle_due_at(rule, event->space, event->offset + at);
    oracle_due_values(&finding, relation, expected, oracle_raw_get(event->bytes, at, 2));
    finding.buffer = event->buffer;
    finding.event = event->index;
    oracle_due_expect(due, &finding);
}

void oracle_due_writer_event(oracle_due *due, const etl_event *event)
{
    if (event->type != ETL_HEADER_TYPE_EVENT_HEADER32 && event->type != ETL_HEADER_TYPE_EVENT_HEADER64)
        return;
    if (oracle_raw_get(event->bytes, ETL_AT(EVENT_HEADER, Flags), 2) & OF_A_CONSUMER)
        due_of_event(due, event, ETL_RULE_WRT_013, ETL_AT(EVENT_HEADER, Flags), ETL_RELATION_BITS_WITHIN,
                     0xFFFF - OF_A_CONSUMER);
    if (oracle_raw_get(event->bytes, ETL_AT(EVENT_HEADER, EventProperty), 2) != 0)
        due_of_event(due, event, ETL_RULE_WRT_014, ETL_AT(EVENT_HEADER, EventProperty), ETL_RELATION_EQUAL, 0);
}
