/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a trace against the rules of group WRITER: what Windows writes, and no reader needs.
 */
#include "records/writer_check.h"

#include "report.h"
#include "span.h"

/* Offset in the header buffer of a member of the logfile header event: of its SYSTEM header, or of what follows that. */
#define AT_SYSTEM(member) (ETL_BUFFER_SIZE_MIN + ETL_AT(SYSTEM_TRACE_HEADER, member))
#define AT_LOGFILE(member) (ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, member))
/* The offset of a member that depends on the size of the pointers before it. */
#define AT_LOGFILE_OF(logfile, member) \
    ((logfile)->header_type == ETL_HEADER_TYPE_SYSTEM64 \
         ? AT_LOGFILE(member) \
         : ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER32, member))

enum { KIB = 0x400, VERSION_COMPRESSED = 2 << 8 /* 2.0 */ };

static bool holds(etl_relation relation, uint64_t expected, uint64_t actual)
{
    switch (relation) {
    case ETL_RELATION_AT_LEAST: return actual >= expected;
    case ETL_RELATION_AT_MOST: return actual <= expected;
    case ETL_RELATION_BITS_WITHIN: return (actual & ~expected) == 0;
    default: return actual == expected;
    }
}

/* The buffer that is checked, and where its findings go. */
typedef struct checked {
    const etl_buffer *buffer;
    etl_findings *findings;
} checked;

/* Reports the rule at `at` bytes from the start of the buffer unless `actual` is as expected. Returns whether it is. */
static bool check(checked c, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    if (holds(relation, expected, actual))
        return true;
    etl_finding *finding = etl_report(c.findings, rule, ETL_SPACE_FILE, c.buffer->offset + at);
    etl_expect(finding, relation, expected, actual);
    finding->buffer = c.buffer->index;
    return false;
}

static void check_buffer_size(checked c, uint32_t size)
{
    const uint32_t at = AT_LOGFILE(BufferSize);
    if (check(c, ETL_RULE_WRT_001, at, ETL_RELATION_AT_LEAST, KIB, size) &&
        check(c, ETL_RULE_WRT_001, at, ETL_RELATION_AT_MOST, ETL_BUFFER_SIZE_MAX, size))
        (void)check(c, ETL_RULE_WRT_001, at, ETL_RELATION_BITS_WITHIN, UINT32_MAX - (KIB - 1), size);
}

/* Names without their NUL break LFH-003. They fill the event, or what the buffer has of it. */
static void check_names(checked c, const etl_logfile *logfile)
{
    enum { NUL = 2 };
    const bool wide = logfile->header_type == ETL_HEADER_TYPE_SYSTEM64;
    const size_t members = wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    const size_t end = ETL_SIZE(SYSTEM_TRACE_HEADER) + members + logfile->logger_name.size + NUL +
                       logfile->log_file_name.size + NUL;
    const uint16_t size = etl_load_u16(c.buffer->raw, AT_SYSTEM(Size));
    if (end < size && ETL_BUFFER_SIZE_MIN + end <= c.buffer->raw.size)
        (void)check(c, ETL_RULE_WRT_012, AT_SYSTEM(Size), ETL_RELATION_EQUAL, end, size);
}

static void check_logfile(checked c, const etl_logfile *logfile)
{
    const etl_span data = c.buffer->raw;
    const uint32_t cleared = ETL_LOGGER_MODE_REAL_TIME_MODE | ETL_LOGGER_MODE_STOP_ON_HYBRID_SHUTDOWN |
                             ETL_LOGGER_MODE_PERSIST_ON_HYBRID_SHUTDOWN;
    const uint32_t padding = AT_LOGFILE_OF(logfile, Padding);
    const uint32_t sub_version = (uint32_t)logfile->sub_version << 8 | logfile->sub_minor_version;
    check_buffer_size(c, logfile->buffer_size);
    (void)check(c, ETL_RULE_WRT_008, AT_SYSTEM(Version), ETL_RELATION_EQUAL,
                c.buffer->header.shape >= ETL_BUFFER_SHAPE_60 ? 2 : 1, etl_load_u16(data, AT_SYSTEM(Version)));
    (void)check(c, ETL_RULE_WRT_009, AT_LOGFILE(LogFileMode), ETL_RELATION_BITS_WITHIN, UINT32_MAX & ~cleared,
                logfile->log_file_mode);
    if (logfile->log_file_mode & ETL_LOGGER_MODE_COMPRESSED_MODE)
        (void)check(c, ETL_RULE_WRT_010, AT_LOGFILE(SubVersion), ETL_RELATION_EQUAL, VERSION_COMPRESSED, sub_version);
    (void)check(c, ETL_RULE_WRT_011, padding, ETL_RELATION_EQUAL, 0, etl_load_u32(data, padding));
    check_names(c, logfile);
}

/* Of a file that was merged, wrapped or continued, Windows writes buffers in another order. */
static void check_sequence(tool_writer_check *w, checked c, uint32_t mode)
{
    const uint32_t modes = ETL_LOGGER_MODE_FILE_MODE_CIRCULAR | ETL_LOGGER_MODE_FILE_MODE_APPEND |
                           ETL_LOGGER_MODE_RELOG_MODE;
    const etl_buffer_header *header = &c.buffer->header;
    const uint16_t processor = header->processor % TOOL_PROCESSORS_MAX;
    const int64_t last = w->sequence[processor];
    if ((mode & modes) == 0 && w->has_sequence[processor] && header->sequence_number <= last) {
        etl_finding *finding = etl_report(c.findings, ETL_RULE_WRT_007, ETL_SPACE_FILE,
                                          c.buffer->offset + ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber));
        etl_expect(finding, ETL_RELATION_AT_LEAST, (uint64_t)last + 1, (uint64_t)header->sequence_number);
        finding->buffer = c.buffer->index;
    }
    w->has_sequence[processor] = true;
    w->sequence[processor] = header->sequence_number;
}

/* The members that WMI_BUFFER_HEADER has from Windows 6.0 on. */
static void check_members(tool_writer_check *w, checked c, const etl_logfile *logfile, bool is_header)
{
    const etl_buffer_header *header = &c.buffer->header;
    (void)check(c, ETL_RULE_WRT_003, ETL_AT(WMI_BUFFER_HEADER_61, ReferenceCount), ETL_RELATION_EQUAL, 0,
                etl_load_u32(c.buffer->raw, ETL_AT(WMI_BUFFER_HEADER_61, ReferenceCount)));
    if (is_header) {
        (void)check(c, ETL_RULE_WRT_006, ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber), ETL_RELATION_EQUAL, 0,
                    (uint64_t)header->sequence_number);
        return;
    }
    if (!c.buffer->compressed)
        (void)check(c, ETL_RULE_WRT_004, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_RELATION_EQUAL, ETL_BUFFER_STATE_Flush,
                    header->state);
    check_sequence(w, c, logfile->log_file_mode);
}

void tool_writer_check_buffer(tool_writer_check *w, const etl_reader *reader, etl_findings *findings)
{
    const checked c = {&reader->buffer, findings};
    const etl_logfile *logfile = &reader->trace.logfile;
    const etl_buffer_header *header = &reader->buffer.header;
    const uint32_t modes = ETL_LOGGER_MODE_RELOG_MODE | ETL_LOGGER_MODE_COMPRESSED_MODE;
    if (!logfile->known)
        return; /* LFH-001 or LFH-002: neither version nor modes are known */
    const bool is_header = !w->known;
    w->known = true;
    if (is_header)
        check_logfile(c, logfile);
    else if ((logfile->log_file_mode & modes) == 0)
        (void)check(c, ETL_RULE_WRT_002, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), ETL_RELATION_EQUAL,
                    logfile->buffer_size, header->buffer_size);
    (void)check(c, ETL_RULE_WRT_005, ETL_AT(WMI_BUFFER_HEADER_61, Offset), ETL_RELATION_BITS_WITHIN, UINT32_MAX - 7,
                header->offset);
    if (header->shape >= ETL_BUFFER_SHAPE_60)
        check_members(w, c, logfile, is_header);
}

void tool_writer_check_event(const etl_event *event, etl_findings *findings)
{
    const uint32_t of_consumer = ETL_EVENT_FLAG_32_BIT_HEADER | ETL_EVENT_FLAG_64_BIT_HEADER |
                                 ETL_EVENT_FLAG_CLASSIC_HEADER | ETL_EVENT_FLAG_PROCESSOR_INDEX;
    if (event->layout != ETL_LAYOUT_EVENT)
        return;
    const uint16_t flags = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Flags));
    const uint16_t property = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, EventProperty));
    if ((flags & of_consumer) != 0)
        etl_expect(etl_report_event(findings, ETL_RULE_WRT_013, event, ETL_AT(EVENT_HEADER, Flags)),
                   ETL_RELATION_BITS_WITHIN, UINT16_MAX & ~of_consumer, flags);
    if (property != 0)
        etl_expect(etl_report_event(findings, ETL_RULE_WRT_014, event, ETL_AT(EVENT_HEADER, EventProperty)),
                   ETL_RELATION_EQUAL, 0, property);
}
