/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target of what is beside the decoder's entry points (TARGET, its name) holds on a small input, and fails by its oracle
 * as soon as what it tries is wrong: each function below spoils a result as the row under test asks for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "records/record_stream.h"
#include "etlproof/etlproof.h"
#include "expect/expected_decode.h"
#include "image/image.h"
#include "recipe/recipe.h"
#include "target_run.h"
#include "fault_injection.h"
#include "target.h"
#include "records/validation.h"
#include "image/xpress_compressor.h"

/* SPOIL(name, target, message): what goes wrong, in which target it is tried, and what has to be said of it. */
#define SPOILS(SPOIL) \
    SPOIL(INFLATE_LESS, "fuzz_inflate", "inflate broken: the room is full when") \
    SPOIL(INFLATE_BEYOND, "fuzz_inflate", "inflate broken: no more is produced") \
    SPOIL(INFLATE_CONSUMED, "fuzz_inflate", "inflate broken: no more is consumed") \
    SPOIL(INFLATE_STATUS, "fuzz_inflate", "inflate broken: the status is one") \
    SPOIL(INFLATE_BY_ROOM, "fuzz_inflate", "inflate broken: rooms of all sizes") \
    SPOIL(INFLATE_SHRINKS, "fuzz_inflate", "inflate broken: more room never") \
    SPOIL(INFLATE_STOPS, "fuzz_inflate", "inflate broken: less room gets") \
    SPOIL(INFLATE_BY_TAIL, "fuzz_inflate", "inflate broken: what follows") \
    SPOIL(INFLATE_TIME, "fuzz_inflate", "inflate broken: the time is linear") \
    SPOIL(XPRESS_BYTE, "fuzz_inflate", "inflate broken: what was compressed inflates to") \
    SPOIL(XPRESS_LONG, "fuzz_inflate", "inflate broken: a stream is no longer") \
    SPOIL(XPRESS_REST, "fuzz_inflate", "inflate broken: what was compressed inflates, and ends") \
    SPOIL(IMAGE_DATA, "fuzz_build", "build broken: user data") \
    SPOIL(IMAGE_ID, "fuzz_build", "build broken: Id") \
    SPOIL(IMAGE_TIME, "fuzz_build", "build broken: time") \
    SPOIL(IMAGE_GUID, "fuzz_build", "build broken: ProviderId") \
    SPOIL(IMAGE_TYPE, "fuzz_build", "build broken: type") \
    SPOIL(IMAGE_MESSAGE_GUID, "fuzz_build", "build broken: GUID of a message") \
    SPOIL(IMAGE_PROCESSOR, "fuzz_build", "build broken: processor of the buffer") \
    SPOIL(IMAGE_SEQUENCE, "fuzz_build", "build broken: SequenceNumber of the buffer") \
    SPOIL(IMAGE_STATE, "fuzz_build", "build broken: State of the buffer") \
    SPOIL(IMAGE_LOST, "fuzz_build", "build broken: BufferFlag of the buffer") \
    SPOIL(IMAGE_SAVED, "fuzz_build", "build broken: SavedOffset of the buffer") \
    SPOIL(IMAGE_START_TIME, "fuzz_build", "build broken: StartTime of the buffer") \
    SPOIL(IMAGE_START_CLOCK, "fuzz_build", "build broken: StartPerfClock of the buffer") \
    SPOIL(IMAGE_SIZE, "fuzz_build", "build broken: size of the file") \
    SPOIL(IMAGE_FLAG, "fuzz_build", "build broken: BUF-011") \
    SPOIL(MODEL_ITEM, "fuzz_build", "build broken: number of items") \
    SPOIL(MODEL_EVENT, "fuzz_build", "build broken: number of events") \
    SPOIL(MODEL_BUFFER, "fuzz_build", "build broken: number of buffers") \
    SPOIL(GAP_KIND, "fuzz_build", "oracle silent-loss broken") \
    SPOIL(RECIPE_LINE, "fuzz_recipe", "recipe broken: a fault is on a line") \
    SPOIL(RECIPE_COLUMN, "fuzz_recipe", "recipe broken: a fault is in a column") \
    SPOIL(RECIPE_TEXT, "fuzz_recipe", "recipe broken: a message is") \
    SPOIL(RECIPE_STOPS, "fuzz_recipe", "recipe broken: the reader goes on until") \
    SPOIL(VECTOR_TITLE, "fuzz_recipe", "recipe broken: a vector is whole") \
    SPOIL(EXPECT_JSON, "fuzz_recipe", "recipe broken: what is expected of a vector is JSON") \
    SPOIL(EXPECT_TEXT, "fuzz_recipe", "recipe broken: a message is") \
    SPOIL(EXPECT_LINE, "fuzz_recipe", "recipe broken: a fault is on a line") \
    SPOIL(EXPECT_COLUMN, "fuzz_recipe", "recipe broken: a fault is in a column") \
    SPOIL(RECIPE_DECODE, "fuzz_recipe", "oracle internal broken") \
    SPOIL(RECIPE_CHECK, "fuzz_recipe", "oracle finding-layer broken") \
    SPOIL(STREAM_FIELD, "fuzz_stream", "streaming broken") \
    SPOIL(STREAM_ENDS, "fuzz_stream", "broken") \
    SPOIL(LIMITS_SWAPPED, "fuzz_file", "limits broken") \
    SPOIL(JSON_CHAR, "fuzz_json", "json broken") \
    SPOIL(JSON_COUNT, "fuzz_json", "records broken") \
    SPOIL(JSON_EXIT, "fuzz_json", "records broken: the exit code is not") \
    SPOIL(JSON_OUTPUT, "fuzz_json", "records broken: output to memory failed") \
    SPOIL(JSON_STRICT, "fuzz_json", "oracle strict broken") \
    SPOIL(TEXT_ESCAPE, "fuzz_json", "records broken: a control character") \
    SPOIL(SUMMARY_CHAR, "fuzz_json", "oracle json broken") \
    SPOIL(SUMMARY_COUNT, "fuzz_json", "validate has other totals") \
    SPOIL(SUMMARY_STRICT, "fuzz_json", "validate --strict says something else") \
    SPOIL(SARIF_CHAR, "fuzz_json", "oracle json broken") \
    SPOIL(SARIF_COUNT, "fuzz_json", "the results in SARIF are not as many") \
    SPOIL(ORDER_REVERSED, "fuzz_json", "events are not sorted by time") \
    SPOIL(RECOVER_FAILS, "fuzz_recover", "what can be read can be recovered") \
    SPOIL(RECOVER_GROWS, "fuzz_recover", "the new file is linear in the old one") \
    SPOIL(RECOVER_LOSES, "fuzz_recover", "the new file has as many events") \
    SPOIL(RECOVER_DATA, "fuzz_recover", "events are the same") \
    SPOIL(RECOVER_PROCESSOR, "fuzz_recover", "an event is of the same processor") \
    SPOIL(RECOVER_CLOCK, "fuzz_recover", "clock and logfile header are the same") \
    SPOIL(RECOVER_TOTAL, "fuzz_recover", "the new file conforms") \
    SPOIL(RECOVER_SIZE, "fuzz_recover", "the new file conforms") \
    SPOIL(RECOVER_TWICE, "fuzz_recover", "gives the same bytes") \
    SPOIL(RECOVER_SILENT, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_PLACE, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_SIZE, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_EVENT, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_RULE, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_GAP, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_NOTE_MORE, "fuzz_recover", "a note says what is left out") \
    SPOIL(RECOVER_UNCOUNTED, "fuzz_recover", "as many events are dropped as notes say") \
    SPOIL(RECOVER_EVENTS, "fuzz_recover", "as many events and buffers as were written") \
    SPOIL(RECOVER_BUFFERS, "fuzz_recover", "as many events and buffers as were written")

enum {
    NONE,
#define SPOIL(name, target, message) name,
    SPOILS(SPOIL)
#undef SPOIL
};

static const spoil_row rows[] = {
#define SPOIL(name, target, message) {name, #name, target, message},
    SPOILS(SPOIL)
#undef SPOIL
};

/* The input's stream is of four letters; room for all of them is asked for, and then less and more. */
WRAP(etl_inflated, etl_inflate, (etl_span in, etl_scratch out))
{
    etl_inflated r = __real_etl_inflate(in, out);
    const bool larger = out.size > 4;
    r.produced -= spoil == INFLATE_LESS && r.produced > 0;
    r.produced += spoil == INFLATE_BEYOND ? out.size + 1 : 0;
    r.consumed += spoil == INFLATE_CONSUMED ? in.size + 1 : 0;
    if (spoil == INFLATE_STATUS)
        r.status = (etl_inflate_status)99;
    if (spoil == INFLATE_BY_ROOM && out.size > 0)
        out.at[0] = (uint8_t)out.size;
    if (spoil == INFLATE_SHRINKS && larger)
        r = (etl_inflated){ETL_INFLATE_CUT, 0, 0};
    if (spoil == INFLATE_STOPS && out.size < 4 && out.size > 0)
        r = (etl_inflated){ETL_INFLATE_CUT, 0, 0};
    if (spoil == INFLATE_BY_TAIL && in.size > 60)
        r.consumed++;
    return r;
}

/* An hour from one call to the next. */
WRAP(clock_t, clock, (void))
{
    static clock_t hours;
    hours += spoil == INFLATE_TIME ? 3600 * CLOCKS_PER_SEC : 0;
    return __real_clock() + hours;
}

WRAP(void, build_xpress_compress, (const uint8_t *bytes, size_t size, build_model_compression mode, build_chunk *out))
{
    __real_build_xpress_compress(bytes, size, mode, out);
    if (spoil == XPRESS_BYTE)
        out->at[4] ^= 1;
    if (spoil == XPRESS_LONG)
        build_chunk_fill(out, 0, size + 64);
    if (spoil == XPRESS_REST)
        out->size--;
}

/* In ways that break no rule. */
static void spoil_buffer_header(uint8_t *header)
{
    header[ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex) + 1] ^= spoil == IMAGE_PROCESSOR;
    header[ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber)] ^= spoil == IMAGE_SEQUENCE;
    header[ETL_AT(WMI_BUFFER_HEADER_61, State)] ^= spoil == IMAGE_STATE;
    header[ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag)] ^= spoil == IMAGE_LOST ? ETL_BUFFER_FLAG_EVENTS_LOST : 0;
    header[ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset)] ^= spoil == IMAGE_SAVED ? 8 : 0;
    header[ETL_AT(WMI_BUFFER_HEADER_61, StartTime)] ^= spoil == IMAGE_START_TIME;
    header[ETL_AT(WMI_BUFFER_HEADER_61, StartPerfClock)] ^= spoil == IMAGE_START_CLOCK;
}

/* The file is a header buffer, and a buffer with an event of EVENT_HEADER and, for fuzz_build, a message with a GUID. */
WRAP(build_chunk, build_image_make, (const build_model *model))
{
    build_chunk image = __real_build_image_make(model);
    uint8_t *buffer = image.at + model->buffers[1].offset;
    uint8_t *event = buffer + model->buffers[1].events[0].at;
    event[ETL_SIZE(EVENT_HEADER)] ^= spoil == IMAGE_DATA;
    event[ETL_AT(EVENT_HEADER, Id)] ^= spoil == IMAGE_ID;
    event[ETL_AT(EVENT_HEADER, TimeStamp)] ^= spoil == IMAGE_TIME;
    event[ETL_AT(EVENT_HEADER, ProviderId)] ^= spoil == IMAGE_GUID;
    event[ETL_AT(EVENT_HEADER, HeaderType)] ^= spoil == IMAGE_TYPE;
    if (spoil == IMAGE_MESSAGE_GUID)
        buffer[model->buffers[1].events[1].at + ETL_SIZE(MESSAGE_TRACE_HEADER)] ^= 1;
    spoil_buffer_header(buffer);
    buffer[ETL_AT(WMI_BUFFER_HEADER_61, BufferType)] |= spoil == IMAGE_FLAG ? 0x80 : 0;
    image.size -= spoil == IMAGE_SIZE;
    build_model *told = (build_model *)(uintptr_t)model; /* what is written stays as it is */
    if (spoil == MODEL_ITEM)
        build_model_add_item(&told->buffers[1].events[0], "i", ETL_ITEM_TYPE_SID);
    told->buffers[1].event_count -= spoil == MODEL_EVENT;
    told->buffer_count -= spoil == MODEL_BUFFER;
    return image;
}

/* The target's sink, shown a vector that something is missing of. */
static build_recipe_sink sound_sink;

static bool show_vector(void *context, const build_vector *vector)
{
    build_vector shown = *vector;
    if (spoil == VECTOR_TITLE)
        shown.title = NULL;
    return sound_sink(context, &shown);
}

WRAP(bool, build_recipe_read,
     (const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink, void *context,
      build_recipe_error *error))
{
    sound_sink = sink;
    const bool read = __real_build_recipe_read(text, size, name, work, show_vector, context, error);
    error->line += spoil == RECIPE_LINE ? 10 : 0;
    error->column += spoil == RECIPE_COLUMN ? 1000 : 0;
    if (spoil == RECIPE_TEXT)
        error->text[0] = '\n';
    return read && spoil != RECIPE_STOPS;
}

/* Refused without a cause, or JSON with a brace too many. */
WRAP(bool, build_expected_decode,
     (const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]), build_chunk *image,
      build_chunk *json, const char **why, build_position *where))
{
    const bool refused = spoil == EXPECT_TEXT || spoil == EXPECT_LINE || spoil == EXPECT_COLUMN;
    const bool made = __real_build_expected_decode(vector, sha256, image, json, why, where);
    if (spoil == EXPECT_JSON)
        build_chunk_number(json, '}', 1);
    if (!refused)
        return made;
    *why = spoil == EXPECT_TEXT ? "" : "no cause";
    *where = (build_position){spoil == EXPECT_LINE ? 1000 : 1, spoil == EXPECT_COLUMN ? 1000 : 1};
    return false;
}

WRAP(void, etl_memory_check, (etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings))
{
    __real_etl_memory_check(layout, structure, offset, findings);
    if (spoil == RECIPE_CHECK)
        findings->at[findings->count++] = (etl_finding){.rule = ETL_RULE_LFH_001, .offset = offset};
}

/* Of a stream, only where the window is not the whole file. */
WRAP(etl_outcome, etl_reader_next, (etl_reader *reader))
{
    etl_outcome outcome = __real_etl_reader_next(reader);
    const bool small = !reader->last;
    if (spoil == STREAM_FIELD && small && outcome == ETL_EVENT)
        reader->event.time++;
    if (spoil == STREAM_ENDS && small && outcome == ETL_BUFFER)
        outcome = ETL_END;
    if (spoil == GAP_KIND && outcome == ETL_GAP)
        reader->gap.kind = ETL_REGION_TAIL;
    if (spoil == RECIPE_DECODE)
        outcome = ETL_INTERNAL;
    return outcome;
}

/* A reader was given more than a target may ask for; fuzz_build, which makes what is read, may. */
static bool beyond;

/* Of two decodes, the one that should have tighter limits has the usual ones, and the other has none to spare. */
WRAP(void, etl_reader_init, (etl_reader * reader, etl_limits limits))
{
    const etl_limits usual = TARGET_LIMITS, none = {0, 0};
    static bool tight;
    tight |= limits.inflated != usual.inflated || limits.expansion != usual.expansion;
    beyond |= limits.inflated > usual.inflated && strcmp(TARGET, "fuzz_build") != 0;
    const bool swap = spoil == LIMITS_SWAPPED && tight;
    __real_etl_reader_init(reader, !swap ? limits : limits.inflated == usual.inflated ? none : usual);
}

WRAP(void, tool_put_u64, (tool_output *out, uint64_t value))
{
    if (spoil == JSON_CHAR)
        tool_put_char(out, '"');
    __real_tool_put_u64(out, spoil == JSON_COUNT ? value + 1 : value);
}

WRAP(tool_exit, tool_record_stream_write, (tool_record_stream *d, tool_input *input, tool_output *out))
{
    const tool_exit code = __real_tool_record_stream_write(d, input, out);
    if (spoil == TEXT_ESCAPE && d->text)
        tool_put_char(out, '\x1B');
    out->error += spoil == JSON_OUTPUT;
    return spoil == JSON_EXIT ? TOOL_EXIT_DAMAGED : code;
}

WRAP(tool_verdict, tool_tally_verdict, (const tool_tally *tally, const etl_reader *reader, bool strict))
{
    return spoil == JSON_STRICT && strict ? TOOL_VERDICT_NOT_ETL : __real_tool_tally_verdict(tally, reader, strict);
}

WRAP(void, tool_validation_json, (tool_json * json, const tool_validation *report))
{
    tool_inventory *told = (tool_inventory *)(uintptr_t)report->inventory;
    told->tally.events += spoil == SUMMARY_COUNT;
    told->providers.none += spoil == SUMMARY_STRICT && report->strict;
    if (spoil == SUMMARY_CHAR)
        tool_put_char(json->out, '"');
    __real_tool_validation_json(json, report);
}

WRAP(void, tool_sarif_file, (tool_json * json, const tool_validation *report))
{
    tool_inventory *told = (tool_inventory *)(uintptr_t)report->inventory;
    told->findings_of_rule[ETL_RULE_BUF_001] += spoil == SARIF_COUNT;
    if (spoil == SARIF_CHAR)
        tool_put_char(json->out, '"');
    __real_tool_sarif_file(json, report);
}

WRAP(void, tool_time_order_write, (tool_time_order *order, tool_output *out))
{
    if (spoil != ORDER_REVERSED) {
        __real_tool_time_order_write(order, out);
        return;
    }
    for (size_t i = order->count; i > 0; i--)
        tool_put_bytes(out, order->text.at + order->rows[i - 1].at, order->rows[i - 1].size);
}

/* The header of a buffer without events. */
static void end_behind_header(uint8_t *header)
{
    static const size_t members[] = {ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), ETL_AT(WMI_BUFFER_HEADER_61, Offset)};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        memset(header + members[i], 0, 4);
        header[members[i]] = ETL_BUFFER_SIZE_MIN;
    }
}

/* What a step of the recovery writes, with something wrong in it. The input is a header buffer, and one that is rebuilt. */
static void spoil_piece(uint8_t *piece, size_t size, bool patch, bool again)
{
    const bool header = !patch && !again && size == ETL_BUFFER_SIZE_MIN;
    const bool event = !patch && !again && size == ETL_SIZE(EVENT_HEADER) + 8; /* with its padding */
    const bool logfile = !patch && !again && size > ETL_BUFFER_SIZE_MIN + ETL_SIZE(TRACE_LOGFILE_HEADER64);
    const size_t start_time =
        ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime);
    if (event && spoil == RECOVER_LOSES)
        memset(piece, 0xFF, size);
    if (header && spoil == RECOVER_LOSES)
        end_behind_header(piece);
    if (event)
        piece[ETL_SIZE(EVENT_HEADER)] ^= spoil == RECOVER_DATA;
    if (header)
        piece[ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex)] ^= spoil == RECOVER_PROCESSOR;
    if (header)
        piece[ETL_AT(WMI_BUFFER_HEADER_61, BufferSize)] ^= spoil == RECOVER_SIZE ? 8 : 0;
    if (logfile)
        piece[start_time] ^= spoil == RECOVER_CLOCK;
    piece[0] ^= spoil == RECOVER_TOTAL && patch ? 0x10 : 0;
    piece[size - 1] ^= spoil == RECOVER_TWICE && again;
}

/* A note of the event that is left out, or else of the bytes that are none, with something wrong in it. */
static void spoil_note(etl_recover_note *note)
{
    const bool event = note->kind == ETL_RECOVERED_DROPPED && note->event != ETL_NO_INDEX;
    const bool gap = note->kind == ETL_RECOVERED_DROPPED && note->event == ETL_NO_INDEX;
    if (event && spoil == RECOVER_SILENT)
        *note = (etl_recover_note){.kind = ETL_RECOVERED_CHANGED};
    note->offset += event && spoil == RECOVER_NOTE_PLACE;
    note->size -= event && spoil == RECOVER_NOTE_SIZE;
    note->event += event && spoil == RECOVER_NOTE_EVENT;
    if (event && spoil == RECOVER_NOTE_RULE)
        note->rule = ETL_RULE_COUNT;
    note->size += gap && spoil == RECOVER_NOTE_GAP;
    if (note->kind == ETL_RECOVERED_CHANGED && spoil == RECOVER_NOTE_MORE)
        note->kind = ETL_RECOVERED_DROPPED;
}

static void spoil_totals(etl_recovery *r)
{
    r->events_dropped -= spoil == RECOVER_UNCOUNTED;
    r->events += spoil == RECOVER_EVENTS;
    r->buffers += spoil == RECOVER_BUFFERS;
}

/* The file is recovered, and what comes of it is recovered again. */
WRAP(etl_recover_step, etl_recover_next, (etl_recovery *r))
{
    static uint8_t other[1 << 16];
    static bool again;
    static unsigned grown;
    if (spoil == RECOVER_GROWS && grown++ < 1000) { /* 64 MB */
        r->piece = (etl_span){other, sizeof other};
        return ETL_RECOVER_WRITE;
    }
    const etl_recover_step step = __real_etl_recover_next(r);
    again ^= step == ETL_RECOVER_DONE;
    if (step == ETL_RECOVER_NOTE)
        spoil_note(&r->note);
    if (step == ETL_RECOVER_DONE)
        spoil_totals(r);
    if (step != ETL_RECOVER_WRITE && step != ETL_RECOVER_PATCH)
        return step;
    memcpy(other, r->piece.at, r->piece.size);
    spoil_piece(other, r->piece.size, step == ETL_RECOVER_PATCH, again);
    r->piece.at = other;
    if (spoil == RECOVER_FAILS && step == ETL_RECOVER_PATCH)
        r->at = UINT64_MAX;
    return step;
}

/* The input, in which nothing is wrong that the target should fail for. */
static uint8_t file[1 << 16];
static size_t file_size;

/* A trace with a buffer, "b", of one EVENT_HEADER event. */
static build_model *make_model(void)
{
    build_model *model = build_model_new(8);
    build_model_event *event =
        build_model_add_event(model, build_model_add_buffer(model, "b"), "e", ETL_HEADER_TYPE_EVENT_HEADER64);
    build_chunk_fill(&event->data, 7, 3);
    return model;
}

/* As the builder writes it. */
static void write_model(build_model *model)
{
    build_model_lay_out(model);
    build_chunk image = __real_build_image_make(model);
    file_size = image.size;
    memcpy(file, image.at, file_size);
    build_chunk_free(&image);
    build_model_free(model);
}

static void make_file(bool compressed)
{
    build_model *model = make_model();
    model->buffers[1].compression = compressed ? BUILD_MODEL_GREEDY : BUILD_MODEL_PLAIN;
    write_model(model);
}

/* Never finalised, and cut in its last buffer, in which an item reaches beyond its event, and bytes are of no event. */
static void make_damaged(void)
{
    const size_t logfile = ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER);
    build_model *model = make_model();
    build_model_event *flawed = build_model_add_event(model, 1, "flawed", ETL_HEADER_TYPE_EVENT_HEADER64);
    build_structure_set(&build_model_add_item(flawed, "item", ETL_ITEM_TYPE_SID)->header, "DataSize", UINT16_MAX);
    build_chunk_fill(&build_model_add_raw_event(model, 1, "bytes", ETL_REGION_DAMAGED)->data, 0x55, 16);
    write_model(model);
    memset(file + logfile + ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), 0, 8);
    file[logfile + ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten)] = 9;
    file_size -= 8;
}

/* Four letters, and room for four bytes. */
static void make_stream(void)
{
    static const uint8_t context[8] = {0, 0, 0, 0, 4};
    build_chunk stream = {0};
    __real_build_xpress_compress((const uint8_t *)"abcd", 4, BUILD_MODEL_LITERAL, &stream);
    memcpy(file, context, sizeof context);
    memcpy(file + sizeof context, stream.at, stream.size);
    file_size = sizeof context + stream.size;
    build_chunk_free(&stream);
}

static void make_text(const char *text, size_t size)
{
    memcpy(file, text, size);
    file_size = size;
}

/*
 * The choices of a trace: 64-bit, 10.0, one buffer, plain, with a time of both clocks; two events, of the rows of
 * EVENT_HEADER64, with data of 5, and of MESSAGE, with a GUID; all else 0.
 */
static void make_choices(void)
{
    enum { EVENT_ROW = 13, MESSAGE_ROW = 9, BEFORE_DATA = 4 * 8 + 7 * 8 + 2 * 16 + 2, DATA = 5, BEFORE_BYTES = 2 };
    uint8_t *at = file;
    memset(file, 0, 1024);
    at[2] = 1; /* buffers, after pointers and version */
    at += 5 + 6 * 8 + 2; /* compression, whether there is a processor, six members, State and BufferFlag */
    *at++ = ETL_BUFFER_TYPE_REFTIME;
    *at++ = 2; /* events */
    *at++ = EVENT_ROW;
    at[BEFORE_DATA + 1] = DATA; /* after whether there is much of it */
    at += BEFORE_DATA + 2 + BEFORE_BYTES + DATA + 1 + BEFORE_BYTES; /* padding has a size too */
    *at++ = MESSAGE_ROW;
    at[4 * 8] = ETL_MESSAGE_OPTION_GUID;
    file_size = 1024;
}

/* A recipe that is refused, and two that are accepted. */
static const char broken[] = "trace {\n  song\n}\n";
static const char sound[] = "recipe \"r\"\nsource \"s\"\ntrace { buffer b { event e EVENT_HEADER64 { } } }\n"
                            "vector v { title \"t\" rule SIZ-001 accept }\n";
static const char sound_memory[] = "recipe \"r\"\nsource \"s\"\nmemory \"ETW_GUID_ENTRY\" \"2004\" \"x64\" { }\n"
                                   "vector m { title \"t\" rule LAY-001 accept }\n";

static void make_input(const char *target)
{
    if (strcmp(target, "fuzz_inflate") == 0)
        make_stream();
    else if (strcmp(target, "fuzz_build") == 0)
        make_choices();
    else if (strcmp(target, "fuzz_recipe") == 0)
        make_text(broken, sizeof broken - 1);
    else if (strcmp(target, "fuzz_recover") == 0)
        make_damaged();
    else
        make_file(strcmp(target, "fuzz_file") == 0);
}

static void run(void)
{
    LLVMFuzzerTestOneInput(file, file_size);
    if (strcmp(TARGET, "fuzz_recipe") != 0)
        return;
    LLVMFuzzerTestOneInput((const uint8_t *)sound, sizeof sound - 1);
    LLVMFuzzerTestOneInput((const uint8_t *)sound_memory, sizeof sound_memory - 1);
}

int main(void)
{
    make_input(TARGET);
    run();
    printf("%s 1 - nothing is spoiled, and files are read within the limits of targets\n", beyond ? "not ok" : "ok");
    return spoil_all(rows, sizeof rows / sizeof rows[0], TARGET, run) | (int)beyond;
}
