/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which findings about a buffer are due if it has several faults, of which a vector has one.
 */
#include <string.h>

#include "due.h"
#include "oracle_test.h"

#define HEADER ETL_SIZE(WMI_BUFFER_HEADER_61)
#define AT(member) ETL_AT(WMI_BUFFER_HEADER_61, member)
#define SIZE (HEADER + ETL_SIZE(SYSTEM_TRACE_HEADER))

/* The first buffer of a file that ends with it, and the findings about it. */
static struct {
    uint8_t raw[SIZE];
    etl_reader reader;
    etl_findings findings;
    oracle_watch before; /* what the oracle knows of the buffers before */
} s;

static etl_buffer_header *begin(bool compressed)
{
    memset(&s, 0, sizeof s);
    s.reader.buffer = (etl_buffer){.raw = {s.raw, SIZE},
                                   .data = {s.raw, compressed ? HEADER : SIZE},
                                   .compressed = compressed,
                                   .rest_kind = compressed ? ETL_REGION_DAMAGED : ETL_REGION_SLACK};
    s.reader.buffer.header = (etl_buffer_header){.buffer_size = SIZE, .buffer_type = ETL_BUFFER_TYPE_HEADER};
    return &s.reader.buffer.header;
}

static etl_finding *report(etl_rule rule, uint64_t member, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding *finding = &s.findings.at[s.findings.count++];
    *finding = oracle_due_at(rule, ETL_SPACE_FILE, member);
    oracle_due_values(finding, relation, expected, actual);
    finding->buffer = 0;
    return finding;
}

static etl_finding *report_loss(etl_rule rule, uint64_t member, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding *finding = report(rule, member, relation, expected, actual);
    finding->action = ETL_ACTION_SKIP_BUFFER;
    finding->lost = SIZE - HEADER;
    return finding;
}

/* In a file that has `more` bytes behind the buffer. */
static bool holds_before(uint64_t more)
{
    oracle_watch oracle = s.before;
    oracle.end = SIZE + more;
    oracle.broken = ORACLE_PROMISE_COUNT;
    oracle_due due;
    oracle_due_begin(&due, &s.findings);
    return oracle_due_buffer(&due, &oracle, &s.reader) && oracle_due_end(&oracle, &due);
}

static bool holds(void)
{
    return holds_before(0);
}

/* Whether the findings are due, and the last of them may not be left out. */
static bool all_are_due(void)
{
    const bool all = holds();
    s.findings.count--;
    const bool fewer = holds();
    s.findings.count++;
    return all && !fewer;
}

static void put_logfile(void)
{
    put(s.raw + HEADER + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 2, 0xC002);
    put(s.raw + HEADER + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, ETL_SIZE(SYSTEM_TRACE_HEADER));
}

static void report_no_extent(etl_rule rule)
{
    report(rule, AT(Offset), ETL_RELATION_AT_LEAST, HEADER, 0);
}

/* The file ends in the stream: one of the findings reports its bytes as lost. */
static void test_cut(void)
{
    begin(true)->buffer_size = 0x1000;
    etl_finding *cut = report(ETL_RULE_BUF_004, AT(BufferSize), ETL_RELATION_AT_MOST, SIZE, 0x1000);
    report_loss(ETL_RULE_BUF_008, AT(Offset), ETL_RELATION_AT_LEAST, HEADER, 0);
    say(all_are_due(), "a cut buffer without extent");
    say(!holds_before(1), "a cut buffer that is not at the end of the file");
    cut->lost = SIZE - HEADER;
    say(!holds(), "a cut buffer without extent, with a loss twice");
    s.findings.count = 1;
    cut->lost = 0;
    s.reader.trace.logfile = (etl_logfile){.known = true,
                                           .log_file_mode = ETL_LOGGER_MODE_COMPRESSED_MODE,
                                           .compression_format = ETL_COMPRESSION_FORMAT_LZNT1};
    report_loss(ETL_RULE_BUF_009, AT(BufferFlag), ETL_RELATION_EQUAL, ETL_COMPRESSION_FORMAT_XPRESS,
                ETL_COMPRESSION_FORMAT_LZNT1);
    say(all_are_due(), "a cut buffer of another format");
    cut->lost = SIZE - HEADER;
    say(!holds(), "a cut buffer of another format, with a loss twice");
}

static void test_extent(void)
{
    etl_buffer_header *header = begin(false);
    header->offset = HEADER - 1;
    header->saved_offset = SIZE + 1;
    report(ETL_RULE_BUF_005, AT(Offset), ETL_RELATION_AT_LEAST, HEADER, HEADER - 1);
    say(all_are_due(), "Offset and SavedOffset differ, and neither is in the buffer");
}

/* The flag of a buffer that is not compressed, and states no extent. */
static void test_false_flag(void)
{
    etl_buffer_header *header = begin(false);
    header->buffer_flag = ETL_BUFFER_FLAG_COMPRESSED;
    report_no_extent(ETL_RULE_BUF_005);
    say(all_are_due(), "an overwritten header with the flag COMPRESSED");
    report(ETL_RULE_BUF_021, AT(BufferFlag), ETL_RELATION_NONE, 0, 0);
    say(!holds(), "an overwritten header with the flag COMPRESSED, which is reported");
    put_logfile();
    say(all_are_due(), "a logfile header in a buffer with the flag COMPRESSED");
    report(ETL_RULE_BUF_021, AT(BufferFlag), ETL_RELATION_NONE, 0, 0);
    say(!holds(), "a logfile header in a buffer with the flag COMPRESSED, which is reported twice");
    header->buffer_size = SIZE + 8;
    s.findings.count = 1;
    report(ETL_RULE_BUF_001, AT(BufferSize), ETL_RELATION_EQUAL, SIZE, SIZE + 8);
    say(all_are_due(), "a logfile header in a buffer of another size with the flag COMPRESSED");
    report(ETL_RULE_BUF_021, AT(BufferFlag), ETL_RELATION_NONE, 0, 0);
    say(holds(), "a logfile header in a buffer of another size with the flag COMPRESSED, which is reported");
    s.findings.at[2].offset++;
    say(!holds(), "a logfile header in a buffer of another size with the flag COMPRESSED, reported elsewhere");
}

/* A stream of 15 bytes that states `produced` times 'a'. It stopped at the limit `expected`, which has a finding. */
static void begin_limited(uint32_t produced, uint64_t expected)
{
    static uint8_t data[HEADER + 0x20001];
    const uint8_t stream[] = {0xFF, 0xFF, 0xFF, 0x7F, 'a', 7, 0, 0x0F, 0xFF, 0, 0}; /* a literal and a match */
    begin(true);
    memcpy(s.raw + HEADER, stream, sizeof stream);
    put(s.raw + HEADER + sizeof stream, 4, produced - 4);
    memset(data, 'a', sizeof data);
    s.reader.buffer.data = (etl_span){data, HEADER + produced};
    s.reader.buffer.inflated_from = 15;
    s.reader.trace.limits = (etl_limits){.inflated = UINT32_MAX, .expansion = 0x1000, .average = UINT32_MAX};
    s.reader.trace.logfile.compression_format = ETL_COMPRESSION_FORMAT_XPRESS;
    report(ETL_RULE_LIM_001, AT(Offset), ETL_RELATION_AT_MOST, expected, produced)->lost = SIZE - HEADER - 15;
}

/* 32 bytes of input, of which 15 are used: the limit on the output of 15 bytes is the smallest, 64 KiB. */
static void test_limit(void)
{
    begin_limited(0x20001, 0x20000);
    say(holds(), "more output than all input may have");
    begin_limited(0x20000, 0x20000);
    say(!holds(), "as much output as all input may have");
    begin_limited(0x10001, 0x10000);
    say(holds(), "more output than the used input may have");
    begin_limited(0x10000, 0x10000);
    say(!holds(), "as much output as the used input may have");
    begin_limited(0x10001, 0x10001);
    say(!holds(), "output over no limit");
}

/* The same, where 1,000 bytes before it inflated to 0x20000, which are exempt: 10 times 1,032 bytes are left, or 1,015. */
static void begin_average(uint32_t produced, uint64_t expected, uint64_t input_before)
{
    begin_limited(produced, expected);
    s.reader.trace.limits = (etl_limits){.inflated = 0x20000, .expansion = 0x1000, .average = 10};
    s.before.input_before = input_before;
    s.before.output_before = 0x20000;
}

static void test_average_limit(void)
{
    begin_average(10321, 10320, 1000);
    say(holds(), "more output than all input up to here may have");
    begin_average(10320, 10320, 1000);
    say(!holds(), "as much output as all input up to here may have");
    begin_average(10151, 10150, 1000);
    say(holds(), "more output than the used input up to here may have");
    begin_average(10321, 10320, 1001);
    say(!holds(), "output over the limit of less input");
    begin_average(0x20001, 0x20000, UINT64_MAX / 10);
    say(holds(), "more output than all input may have, after input whose limit is no number of 64 bits");
    begin_average(0x20001, 0, 1000);
    s.before.output_before = UINT64_MAX;
    say(holds(), "any output after more than the limit");
}

/* A stream of two literals, which leaves 26 bytes of input unused. */
static etl_buffer_header *begin_stream(void)
{
    static uint8_t data[HEADER + 5];
    const uint8_t stream[] = {0xFF, 0xFF, 0xFF, 0x3F, 'a', 'b'};
    etl_buffer_header *header = begin(true);
    memcpy(s.raw + HEADER, stream, sizeof stream);
    memcpy(data + HEADER, "abbbb", 5);
    s.reader.buffer.data = (etl_span){data, HEADER + 2};
    s.reader.buffer.inflated_from = sizeof stream;
    s.reader.trace.logfile.compression_format = ETL_COMPRESSION_FORMAT_XPRESS;
    header->offset = header->saved_offset = HEADER + 2;
    return header;
}

/* The stream ends at another place than `expected`, one of the two members that state an extent. */
static void begin_broken(uint32_t offset, uint32_t saved_offset, uint64_t expected)
{
    etl_buffer_header *header = begin_stream();
    header->offset = offset;
    header->saved_offset = saved_offset;
    report(ETL_RULE_BUF_006, AT(SavedOffset), ETL_RELATION_EQUAL, offset, saved_offset);
    report_loss(ETL_RULE_BUF_010, SIZE - 26, ETL_RELATION_EQUAL, expected, HEADER + 2)->lost = 26;
}

/* Input is unused: what BufferSize states, and the finding about it. */
static void begin_unused(uint32_t stated, etl_rule rule, etl_relation relation)
{
    begin_stream()->buffer_size = stated;
    s.reader.buffer.rest_kind = ETL_REGION_SLACK;
    report(rule, AT(BufferSize), relation, SIZE, stated);
    report(ETL_RULE_BUF_019, SIZE - 26, ETL_RELATION_AT_MOST, 4, 26);
}

/* The input that the decoder used is not that of the stream. */
static void test_input(void)
{
    begin_stream();
    s.reader.buffer.rest_kind = ETL_REGION_SLACK;
    s.reader.buffer.raw.size = s.reader.buffer.header.buffer_size = HEADER + 10;
    say(holds(), "an unused flag word");
    s.reader.buffer.inflated_from += 4;
    say(!holds(), "a flag word used before the flags end");
    s.reader.buffer.inflated_from = 8;
    s.reader.buffer.data.size += 3;
    s.reader.buffer.header.offset = s.reader.buffer.header.saved_offset += 3;
    say(holds(), "a match at the end of a stream");
    s.reader.buffer.raw.size = s.reader.buffer.header.buffer_size = HEADER + 6;
    s.reader.buffer.rest_kind = ETL_REGION_DAMAGED; /* the unused input, of -2 bytes, is not checked */
    say(!holds(), "a match behind the end of a stream");
}

static void test_unused(void)
{
    begin_unused(SIZE + 8, ETL_RULE_BUF_004, ETL_RELATION_AT_MOST);
    say(all_are_due(), "unused input in a buffer that the file cuts off");
    begin_unused(HEADER - 1, ETL_RULE_BUF_002, ETL_RELATION_EQUAL);
    say(all_are_due(), "unused input in a buffer without a valid BufferSize");
    s.findings.count--;
    say(!holds_before(HEADER - 1), "unused input in a buffer without a valid BufferSize, before bytes that are no buffer");
    say(holds_before(HEADER), "unused input in a buffer without a valid BufferSize, before what may be a buffer");
    begin_unused(SIZE + 8, ETL_RULE_BUF_001, ETL_RELATION_EQUAL);
    say(holds(), "unused input in a buffer that ends before BufferSize says");
    s.findings.count--;
    say(holds(), "unused input in a buffer that ends before BufferSize says, without a finding");
}

static void test_break(void)
{
    begin_broken(HEADER + 1, HEADER + 9, HEADER + 1);
    say(all_are_due(), "a stream that ends behind Offset");
    begin_broken(HEADER + 1, HEADER + 9, HEADER + 9);
    say(all_are_due(), "a stream that ends before SavedOffset");
    begin_broken(HEADER + 1, ETL_BUFFER_SIZE_MAX + 1, ETL_BUFFER_SIZE_MAX + 1);
    say(!holds(), "a stream that ends before a SavedOffset that no buffer reaches");
    begin_broken(HEADER + 1, HEADER - 1, HEADER - 1);
    say(!holds(), "a stream that ends behind a SavedOffset in the header");
    begin_broken(HEADER + 2, HEADER + 9, HEADER + 2);
    say(!holds(), "a stream that ends at Offset");
}

void test_due_buffer(void)
{
    test_break();
    test_cut();
    test_input();
    test_unused();
    test_limit();
    test_average_limit();
    test_extent();
    test_false_flag();
}
