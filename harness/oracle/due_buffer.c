/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that a buffer calls for: about its size, its header and its compression. Called by due_step.c, once the
 * members of the header are known to equal their bytes.
 */
#include "due.h"
#include "input_bytes.h"
#include "step_checks.h"
#include "stream_replay.h"

#define HEADER ETL_SIZE(WMI_BUFFER_HEADER_61)
#define AT(member) ETL_AT(WMI_BUFFER_HEADER_61, member)

/* When an XPRESS stream ends, an unused flag word of this many bytes may be left of its input. */
#define FLAG_WORD 4u

/* A buffer, and the facts that several rules go by. */
typedef struct subject {
    oracle_due *due;
    const oracle_watch *oracle;
    const etl_buffer *b;
    const etl_logfile *logfile;
    etl_limits limits; /* of the reader */
    uint64_t unused; /* bytes of compressed input that were not used */
    bool first;      /* no compressed buffer came before */
    bool cut;        /* the file ends before the buffer does (BUF-004) */
    oracle_stream_replay replay; /* of a compressed buffer */
} subject;

static etl_finding finding_at(const subject *s, etl_rule rule, uint64_t member)
{
    etl_finding finding = oracle_due_at(rule, ETL_SPACE_FILE, s->b->offset + member);
    finding.buffer = s->b->index;
    return finding;
}

static void expect(const subject *s, etl_rule rule, uint64_t member, etl_relation relation, uint64_t expected,
                   uint64_t actual)
{
    etl_finding finding = finding_at(s, rule, member);
    oracle_due_values(&finding, relation, expected, actual);
    oracle_due_expect(s->due, &finding);
}

static bool in_range(uint64_t value, uint64_t most)
{
    return value >= HEADER && value <= most;
}

/* Offset, or else SavedOffset, as the end of the events of a buffer of `most` bytes; 0 if neither can be. */
static uint32_t stated_extent(const subject *s, uint64_t most)
{
    const uint32_t offset = s->b->header.offset, saved = s->b->header.saved_offset;
    return in_range(offset, most) ? offset : in_range(saved, most) ? saved : 0;
}

static bool is_reported(const subject *s, etl_rule rule)
{
    return oracle_due_find(s->due, rule) != NULL;
}

/* One finding reports the rest of the input as lost: that of the file's end only if no other does. */
static uint64_t lost_by_cut(const subject *s)
{
    const bool damaged = s->b->compressed && s->b->rest_kind == ETL_REGION_DAMAGED;
    const bool other = is_reported(s, ETL_RULE_BUF_008) || is_reported(s, ETL_RULE_BUF_009) ||
                       is_reported(s, ETL_RULE_BUF_010) || is_reported(s, ETL_RULE_LIM_001);
    return damaged && !other ? s->unused : 0;
}

/*
 * BufferSize is the size of the buffer, or one of three rules says why not. Where the file ends before BufferSize does, the
 * bytes do not decide whether the buffer is cut or BufferSize is wrong.
 */
static bool due_stored_size(const subject *s)
{
    const uint64_t stated = s->b->header.buffer_size, size = s->b->raw.size;
    const bool at_end = s->b->offset + size == s->oracle->end && stated > size;
    if (stated == size)
        return false;
    if (!in_range(stated, ETL_BUFFER_SIZE_MAX)) {
        expect(s, ETL_RULE_BUF_002, AT(BufferSize), ETL_RELATION_EQUAL, size, stated);
    } else if (at_end && is_reported(s, ETL_RULE_BUF_004)) {
        etl_finding cut = finding_at(s, ETL_RULE_BUF_004, AT(BufferSize));
        oracle_due_values(&cut, ETL_RELATION_AT_MOST, size, stated);
        cut.lost = lost_by_cut(s);
        oracle_due_expect(s->due, &cut);
        return true;
    } else {
        expect(s, ETL_RULE_BUF_001, AT(BufferSize), ETL_RELATION_EQUAL, size, stated);
    }
    return false;
}

/* Offset is not in the buffer, which has `most` bytes. */
static etl_finding wrong_offset(const subject *s, etl_rule rule, uint64_t most)
{
    const uint32_t offset = s->b->header.offset;
    etl_finding finding = finding_at(s, rule, AT(Offset));
    if (offset < HEADER)
        oracle_due_values(&finding, ETL_RELATION_AT_LEAST, HEADER, offset);
    else
        oracle_due_values(&finding, ETL_RELATION_AT_MOST, most, offset);
    return finding;
}

/* The flag COMPRESSED of a buffer that is not compressed. A header that states neither size nor extent is overwritten. */
static void due_false_flag(const subject *s)
{
    const etl_finding finding = finding_at(s, ETL_RULE_BUF_021, AT(BufferFlag));
    const bool header = oracle_logfile_here(s->b->raw);
    if (!(s->b->header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED))
        return;
    if (stated_extent(s, ETL_BUFFER_SIZE_MAX) != 0 || (header && s->b->header.buffer_size == s->b->raw.size))
        oracle_due_expect(s->due, &finding);
    else if (header)
        oracle_due_allow(s->due, &finding);
}

static void due_plain(const subject *s)
{
    const uint64_t most = s->cut ? s->b->header.buffer_size : s->b->raw.size;
    const uint32_t extent = stated_extent(s, most);
    due_false_flag(s);
    if (extent == 0) {
        const etl_finding finding = wrong_offset(s, ETL_RULE_BUF_005, most);
        oracle_due_expect(s->due, &finding);
    } else if (s->b->header.saved_offset != s->b->header.offset) {
        expect(s, ETL_RULE_BUF_006, AT(SavedOffset), ETL_RELATION_EQUAL, s->b->header.offset, s->b->header.saved_offset);
    }
}

static uint64_t output_limit(const subject *s, uint64_t input)
{
    return oracle_output_limit(s->oracle, s->limits, input);
}

/* Nothing was inflated, since the header announces no extent that may be. */
static void due_not_inflated(const subject *s)
{
    const uint64_t input = s->b->raw.size - HEADER;
    const uint32_t announced = stated_extent(s, ETL_BUFFER_SIZE_MAX);
    etl_finding finding = wrong_offset(s, ETL_RULE_BUF_008, ETL_BUFFER_SIZE_MAX);
    if (announced != 0) {
        finding.rule = ETL_RULE_LIM_001;
        oracle_due_values(&finding, ETL_RELATION_AT_MOST, output_limit(s, input), announced - HEADER);
    }
    finding.action = ETL_ACTION_SKIP_BUFFER;
    finding.lost = input;
    oracle_due_expect(s->due, &finding);
}

/* Inflating stopped at a limit: that on all input, or on the input that was used. The output may not be known. */
static void due_limit(const subject *s, const etl_finding *reported)
{
    const uint64_t produced = s->b->data.size - HEADER;
    const uint64_t all = output_limit(s, s->b->raw.size - HEADER);
    const uint64_t used = output_limit(s, s->b->inflated_from);
    etl_finding finding = finding_at(s, ETL_RULE_LIM_001, AT(Offset));
    if (reported->relation != ETL_RELATION_NONE)
        oracle_due_values(&finding, ETL_RELATION_AT_MOST, reported->expected == used ? used : all, produced);
    if (reported->relation == ETL_RELATION_NONE || produced > finding.expected) {
        finding.lost = s->unused;
        oracle_due_expect(s->due, &finding);
    }
}

/*
 * The rest of the stream is damaged: the stream ends at another place than the extent, or a match crosses it. The extent
 * may be that of the larger of two members.
 */
static void due_break(const subject *s)
{
    const etl_finding *reported = oracle_due_find(s->due, ETL_RULE_BUF_010);
    const uint64_t saved = s->b->header.saved_offset, size = s->b->data.size;
    uint64_t announced = stated_extent(s, ETL_BUFFER_SIZE_MAX);
    if (reported && reported->expected == saved && in_range(saved, ETL_BUFFER_SIZE_MAX))
        announced = saved;
    etl_finding finding = finding_at(s, ETL_RULE_BUF_010, HEADER + s->b->inflated_from);
    if (s->replay.end != ORACLE_STREAM_OVERRUN)
        oracle_due_values(&finding, ETL_RELATION_EQUAL, announced, size);
    finding.action = ETL_ACTION_SKIP_BUFFER;
    finding.lost = s->unused;
    if (s->replay.end == ORACLE_STREAM_OVERRUN || announced != size)
        oracle_due_expect(s->due, &finding);
}

/* Whether the next buffer may have shown where this one ends: then input may be left there, and BufferSize is reported. */
static bool may_end_at_next(const subject *s)
{
    const uint64_t end = s->b->offset + s->b->raw.size;
    const uint32_t size = s->b->header.buffer_size;
    if (size == s->b->raw.size || s->cut)
        return false;
    return in_range(size, ETL_BUFFER_SIZE_MAX) || s->oracle->end - end >= HEADER;
}

static void due_unused(const subject *s)
{
    etl_finding finding = finding_at(s, ETL_RULE_BUF_019, HEADER + s->b->inflated_from);
    oracle_due_values(&finding, ETL_RELATION_AT_MOST, FLAG_WORD, s->unused);
    if (s->unused <= FLAG_WORD)
        return;
    if (may_end_at_next(s))
        oracle_due_allow(s->due, &finding);
    else
        oracle_due_expect(s->due, &finding);
}

static void due_inflated(const subject *s)
{
    const etl_finding *limit = oracle_due_find(s->due, ETL_RULE_LIM_001);
    if (s->first && s->logfile->compression_format != ETL_COMPRESSION_FORMAT_XPRESS)
        expect(s, ETL_RULE_BUF_020, AT(BufferFlag), ETL_RELATION_NONE, 0, 0);
    if (limit)
        due_limit(s, limit);
    else if (s->b->rest_kind == ETL_REGION_SLACK && s->b->data.size >= stated_extent(s, ETL_BUFFER_SIZE_MAX))
        due_unused(s);
    else if (!s->cut)
        due_break(s);
}

static void due_compressed(const subject *s)
{
    const uint32_t format = s->logfile->compression_format;
    if (s->logfile->known && !(s->logfile->log_file_mode & ETL_LOGGER_MODE_COMPRESSED_MODE) && s->first)
        expect(s, ETL_RULE_LFH_007, AT(BufferFlag), ETL_RELATION_NONE, 0, 0);
    if (s->logfile->known && format != ETL_COMPRESSION_FORMAT_XPRESS && format != ETL_COMPRESSION_FORMAT_NONE) {
        etl_finding finding = finding_at(s, ETL_RULE_BUF_009, AT(BufferFlag));
        oracle_due_values(&finding, ETL_RELATION_EQUAL, ETL_COMPRESSION_FORMAT_XPRESS, format);
        finding.action = ETL_ACTION_SKIP_BUFFER;
        finding.lost = s->b->raw.size - HEADER;
        oracle_due_expect(s->due, &finding);
    } else if (s->b->data.at == s->b->raw.at) {
        due_not_inflated(s);
    } else {
        due_inflated(s);
    }
    if (s->b->header.saved_offset != s->b->header.offset)
        expect(s, ETL_RULE_BUF_006, AT(SavedOffset), ETL_RELATION_EQUAL, s->b->header.offset, s->b->header.saved_offset);
}

/* In 5.0 and 5.1 a count of lost events takes the place of flag and type. */
static void due_flag_and_type(const subject *s)
{
    const etl_buffer_header *h = &s->b->header;
    const uint32_t lost = ETL_BUFFER_FLAG_EVENTS_LOST | ETL_BUFFER_FLAG_BUFFER_LOST | ETL_BUFFER_FLAG_RTBACKUP_CORRUPT;
    if (h->shape == ETL_BUFFER_SHAPE_50) {
        if (h->events_lost != 0)
            expect(s, ETL_RULE_BUF_017, ETL_AT(WMI_BUFFER_HEADER_50, EventsLost), ETL_RELATION_EQUAL, 0, h->events_lost);
        return;
    }
    if (h->buffer_type > ETL_BUFFER_TYPE_DBG_INFO)
        expect(s, ETL_RULE_BUF_011, AT(BufferType), ETL_RELATION_AT_MOST, ETL_BUFFER_TYPE_DBG_INFO, h->buffer_type);
    if (h->buffer_flag > 0x7F)
        expect(s, ETL_RULE_BUF_012, AT(BufferFlag), ETL_RELATION_BITS_WITHIN, 0x7F, h->buffer_flag);
    if (s->b->index == 0 && h->buffer_type != ETL_BUFFER_TYPE_HEADER)
        expect(s, ETL_RULE_BUF_013, AT(BufferType), ETL_RELATION_EQUAL, ETL_BUFFER_TYPE_HEADER, h->buffer_type);
    if (s->b->index != 0 && h->buffer_type == ETL_BUFFER_TYPE_HEADER)
        expect(s, ETL_RULE_BUF_013, AT(BufferType), ETL_RELATION_NOT, ETL_BUFFER_TYPE_HEADER, ETL_BUFFER_TYPE_HEADER);
    if (h->buffer_flag & lost)
        expect(s, ETL_RULE_BUF_017, AT(BufferFlag), ETL_RELATION_BITS_WITHIN, 0x7F - lost, h->buffer_flag);
}

/*
 * The stream of a compressed buffer states the bytes that were delivered, and uses as much input. The decoder may have read
 * the next flag word too, to learn that no byte follows.
 */
static bool stream_holds(const subject *s)
{
    const size_t more = s->b->inflated_from - s->replay.consumed;
    return ORACLE_HOLDS(s->replay.end != ORACLE_STREAM_DIFFERS) &&
           ORACLE_HOLDS(s->replay.produced == s->b->data.size - HEADER) &&
           ORACLE_HOLDS(more == 0 || (more == FLAG_WORD && s->replay.flags_end));
}

bool oracle_due_buffer(oracle_due *due, oracle_watch *oracle, const etl_reader *reader)
{
    const etl_buffer *b = &reader->buffer;
    subject s = {.due = due,
                 .oracle = oracle,
                 .b = b,
                 .logfile = &reader->trace.logfile,
                 .limits = reader->trace.limits,
                 .unused = b->raw.size - HEADER - b->inflated_from,
                 .first = !oracle->has_compressed};
    const uint32_t processors = s.logfile->number_of_processors;
    if (b->compressed) {
        s.replay = oracle_replay_stream((etl_span){b->raw.at + HEADER, b->raw.size - HEADER},
                                        (etl_span){b->data.at + HEADER, b->data.size - HEADER});
        if (!stream_holds(&s))
            return oracle_break(oracle, ORACLE_PROMISE_INFLATED_BYTES, b->offset);
    }
    s.cut = due_stored_size(&s);
    if (b->compressed)
        due_compressed(&s);
    else
        due_plain(&s);
    due_flag_and_type(&s);
    if (processors != 0 && b->header.processor >= processors)
        expect(&s, ETL_RULE_BUF_016, AT(ProcessorIndex), ETL_RELATION_AT_MOST, processors - 1, b->header.processor);
    return true;
}
