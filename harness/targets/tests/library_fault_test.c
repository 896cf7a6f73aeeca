/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target (TARGET, its name) passes on a small input, and fails by its oracle as soon as a function of builder, command or
 * recovery is wrong. Each function below changes a result as the row under test asks for.
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

/* FAULT(name, target, message): the fault, the target that it is injected into, and the message that must be printed. */
#define FAULTS(FAULT) \
    FAULT(INFLATE_LESS, "fuzz_inflate", "inflate broken: the output is full exactly if") \
    FAULT(INFLATE_BEYOND, "fuzz_inflate", "inflate broken: no more is produced") \
    FAULT(INFLATE_CONSUMED, "fuzz_inflate", "inflate broken: no more is consumed") \
    FAULT(INFLATE_STATUS, "fuzz_inflate", "inflate broken: the status is a known one") \
    FAULT(INFLATE_BY_OUTPUT, "fuzz_inflate", "inflate broken: outputs of all sizes") \
    FAULT(INFLATE_SHRINKS, "fuzz_inflate", "inflate broken: a larger output never") \
    FAULT(INFLATE_STOPS, "fuzz_inflate", "inflate broken: a smaller output gets") \
    FAULT(INFLATE_BY_TAIL, "fuzz_inflate", "inflate broken: what follows") \
    FAULT(INFLATE_TIME, "fuzz_inflate", "inflate broken: the time is linear") \
    FAULT(XPRESS_BYTE, "fuzz_inflate", "inflate broken: a compressed input inflates to the same") \
    FAULT(XPRESS_LONG, "fuzz_inflate", "inflate broken: a stream is no longer") \
    FAULT(XPRESS_REST, "fuzz_inflate", "inflate broken: a compressed input inflates to the end") \
    FAULT(IMAGE_DATA, "fuzz_build", "build broken: user data") \
    FAULT(IMAGE_ID, "fuzz_build", "build broken: Id") \
    FAULT(IMAGE_TIME, "fuzz_build", "build broken: time") \
    FAULT(IMAGE_GUID, "fuzz_build", "build broken: ProviderId") \
    FAULT(IMAGE_TYPE, "fuzz_build", "build broken: type") \
    FAULT(IMAGE_MESSAGE_GUID, "fuzz_build", "build broken: GUID of a message") \
    FAULT(IMAGE_PROCESSOR, "fuzz_build", "build broken: processor of the buffer") \
    FAULT(IMAGE_SEQUENCE, "fuzz_build", "build broken: SequenceNumber of the buffer") \
    FAULT(IMAGE_STATE, "fuzz_build", "build broken: State of the buffer") \
    FAULT(IMAGE_LOST, "fuzz_build", "build broken: BufferFlag of the buffer") \
    FAULT(IMAGE_SAVED, "fuzz_build", "build broken: SavedOffset of the buffer") \
    FAULT(IMAGE_START_TIME, "fuzz_build", "build broken: StartTime of the buffer") \
    FAULT(IMAGE_START_CLOCK, "fuzz_build", "build broken: StartPerfClock of the buffer") \
    FAULT(IMAGE_SIZE, "fuzz_build", "build broken: size of the file") \
    FAULT(IMAGE_FLAG, "fuzz_build", "build broken: BUF-011") \
    FAULT(MODEL_ITEM, "fuzz_build", "build broken: number of items") \
    FAULT(MODEL_EVENT, "fuzz_build", "build broken: number of events") \
    FAULT(MODEL_BUFFER, "fuzz_build", "build broken: number of buffers") \
    FAULT(GAP_KIND, "fuzz_build", "oracle silent-loss broken") \
    FAULT(NOTE_INVENTED, "fuzz_build", "oracle finding-due broken") \
    FAULT(RECIPE_LINE, "fuzz_recipe", "recipe broken: a fault is on a line") \
    FAULT(RECIPE_COLUMN, "fuzz_recipe", "recipe broken: a fault is in a column") \
    FAULT(RECIPE_TEXT, "fuzz_recipe", "recipe broken: a message is") \
    FAULT(RECIPE_STOPS, "fuzz_recipe", "recipe broken: the reader continues until") \
    FAULT(VECTOR_TITLE, "fuzz_recipe", "recipe broken: a vector is whole") \
    FAULT(EXPECT_JSON, "fuzz_recipe", "recipe broken: the expected decode is JSON") \
    FAULT(EXPECT_TEXT, "fuzz_recipe", "recipe broken: a message is") \
    FAULT(EXPECT_LINE, "fuzz_recipe", "recipe broken: a fault is on a line") \
    FAULT(EXPECT_COLUMN, "fuzz_recipe", "recipe broken: a fault is in a column") \
    FAULT(RECIPE_DECODE, "fuzz_recipe", "oracle internal broken") \
    FAULT(RECIPE_CHECK, "fuzz_recipe", "oracle finding-layer broken") \
    FAULT(STREAM_FIELD, "fuzz_stream", "streaming broken") \
    FAULT(STREAM_ENDS, "fuzz_stream", "broken") \
    FAULT(FILE_FAR, "fuzz_file", "tiling broken") \
    FAULT(STREAM_FAR, "fuzz_stream", "tiling broken") \
    FAULT(LIMITS_SWAPPED, "fuzz_file", "limits broken") \
    FAULT(JSON_CHAR, "fuzz_json", "json broken") \
    FAULT(JSON_COUNT, "fuzz_json", "records broken") \
    FAULT(JSON_EXIT, "fuzz_json", "records broken: the exit code is not") \
    FAULT(JSON_OUTPUT, "fuzz_json", "records broken: output to memory failed") \
    FAULT(JSON_STRICT, "fuzz_json", "oracle strict broken") \
    FAULT(TEXT_ESCAPE, "fuzz_json", "records broken: a control character") \
    FAULT(SUMMARY_CHAR, "fuzz_json", "oracle json broken") \
    FAULT(SUMMARY_COUNT, "fuzz_json", "the totals of validate differ") \
    FAULT(SUMMARY_STRICT, "fuzz_json", "validate --strict changes more") \
    FAULT(SARIF_CHAR, "fuzz_json", "oracle json broken") \
    FAULT(SARIF_COUNT, "fuzz_json", "the number of SARIF results") \
    FAULT(ORDER_REVERSED, "fuzz_json", "events are not sorted by time") \
    FAULT(RECOVER_FAILS, "fuzz_recover", "what can be read can be recovered") \
    FAULT(RECOVER_GROWS, "fuzz_recover", "the new file is linear in the old one") \
    FAULT(RECOVER_LOSES, "fuzz_recover", "the new file has as many events") \
    FAULT(RECOVER_DATA, "fuzz_recover", "events are the same") \
    FAULT(RECOVER_PROCESSOR, "fuzz_recover", "an event has the same processor") \
    FAULT(RECOVER_CLOCK, "fuzz_recover", "clock and logfile header are the same") \
    FAULT(RECOVER_TOTAL, "fuzz_recover", "the new file conforms") \
    FAULT(RECOVER_SIZE, "fuzz_recover", "the new file conforms") \
    FAULT(RECOVER_TWICE, "fuzz_recover", "gives the same bytes") \
    FAULT(RECOVER_SILENT, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_PLACE, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_SIZE, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_EVENT, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_RULE, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_GAP, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_NOTE_MORE, "fuzz_recover", "each dropped event or run of bytes") \
    FAULT(RECOVER_UNCOUNTED, "fuzz_recover", "the notes account for every dropped event") \
    FAULT(RECOVER_EVENTS, "fuzz_recover", "as many events and buffers as were written") \
    FAULT(RECOVER_BUFFERS, "fuzz_recover", "as many events and buffers as were written")

enum {
    NONE,
#define FAULT(name, target, message) name,
    FAULTS(FAULT)
#undef FAULT
};

static const fault_row rows[] = {
#define FAULT(name, target, message) {name, #name, target, message},
    FAULTS(FAULT)
#undef FAULT
};

/* The input's stream has four letters. Inflates it into outputs of that size, of a smaller and of a larger one. */
WRAP(etl_inflated, etl_inflate, (etl_span in, etl_scratch out))
{
    etl_inflated r = __real_etl_inflate(in, out);
    const bool larger = out.size > 4;
    r.produced -= injected_fault == INFLATE_LESS && r.produced > 0;
    r.produced += injected_fault == INFLATE_BEYOND ? out.size + 1 : 0;
    r.consumed += injected_fault == INFLATE_CONSUMED ? in.size + 1 : 0;
    if (injected_fault == INFLATE_STATUS)
        r.status = (etl_inflate_status)99;
    if (injected_fault == INFLATE_BY_OUTPUT && out.size > 0)
        out.at[0] = (uint8_t)out.size;
    if (injected_fault == INFLATE_SHRINKS && larger)
        r = (etl_inflated){ETL_INFLATE_CUT, 0, 0};
    if (injected_fault == INFLATE_STOPS && out.size < 4 && out.size > 0)
        r = (etl_inflated){ETL_INFLATE_CUT, 0, 0};
    if (injected_fault == INFLATE_BY_TAIL && in.size > 60)
        r.consumed++;
    return r;
}

/* A quarter of an hour passes from one call to the next: more than an hour does not fit into 32 bits. */
WRAP(clock_t, clock, (void))
{
    static clock_t time;
    time += injected_fault == INFLATE_TIME ? 900 * CLOCKS_PER_SEC : 0;
    return __real_clock() + time;
}

WRAP(void, build_xpress_compress, (const uint8_t *bytes, size_t size, build_model_compression mode, build_chunk *out))
{
    __real_build_xpress_compress(bytes, size, mode, out);
    if (injected_fault == XPRESS_BYTE)
        out->at[4] ^= 1;
    if (injected_fault == XPRESS_LONG)
        build_chunk_fill(out, 0, size + 64);
    if (injected_fault == XPRESS_REST)
        out->size--;
}

/* Faults that break no rule. */
static void inject_into_buffer_header(uint8_t *header)
{
    header[ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex) + 1] ^= injected_fault == IMAGE_PROCESSOR;
    header[ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber)] ^= injected_fault == IMAGE_SEQUENCE;
    header[ETL_AT(WMI_BUFFER_HEADER_61, State)] ^= injected_fault == IMAGE_STATE;
    header[ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag)] ^= injected_fault == IMAGE_LOST ? ETL_BUFFER_FLAG_EVENTS_LOST : 0;
    header[ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset)] ^= injected_fault == IMAGE_SAVED ? 8 : 0;
    header[ETL_AT(WMI_BUFFER_HEADER_61, StartTime)] ^= injected_fault == IMAGE_START_TIME;
    header[ETL_AT(WMI_BUFFER_HEADER_61, StartPerfClock)] ^= injected_fault == IMAGE_START_CLOCK;
}

/* The file is a header buffer, and a buffer with an event of EVENT_HEADER and, for fuzz_build, a message with a GUID. */
WRAP(build_chunk, build_image_make, (const build_model *model))
{
    build_chunk image = __real_build_image_make(model);
    uint8_t *buffer = image.at + model->buffers[1].offset;
    uint8_t *event = buffer + model->buffers[1].events[0].at;
    event[ETL_SIZE(EVENT_HEADER)] ^= injected_fault == IMAGE_DATA;
    event[ETL_AT(EVENT_HEADER, Id)] ^= injected_fault == IMAGE_ID;
    event[ETL_AT(EVENT_HEADER, TimeStamp)] ^= injected_fault == IMAGE_TIME;
    event[ETL_AT(EVENT_HEADER, ProviderId)] ^= injected_fault == IMAGE_GUID;
    event[ETL_AT(EVENT_HEADER, HeaderType)] ^= injected_fault == IMAGE_TYPE;
    if (injected_fault == IMAGE_MESSAGE_GUID)
        buffer[model->buffers[1].events[1].at + ETL_SIZE(MESSAGE_TRACE_HEADER)] ^= 1;
    inject_into_buffer_header(buffer);
    buffer[ETL_AT(WMI_BUFFER_HEADER_61, BufferType)] |= injected_fault == IMAGE_FLAG ? 0x80 : 0;
    image.size -= injected_fault == IMAGE_SIZE;
    build_model *told = (build_model *)(uintptr_t)model; /* the written bytes stay as they are */
    if (injected_fault == MODEL_ITEM)
        build_model_add_item(&told->buffers[1].events[0], "i", ETL_ITEM_TYPE_SID);
    told->buffers[1].event_count -= injected_fault == MODEL_EVENT;
    told->buffer_count -= injected_fault == MODEL_BUFFER;
    return image;
}

/* The target's sink, given a vector with something missing. */
static build_recipe_sink sound_sink;

static bool show_vector(void *context, const build_vector *vector)
{
    build_vector shown = *vector;
    if (injected_fault == VECTOR_TITLE)
        shown.title = NULL;
    return sound_sink(context, &shown);
}

WRAP(bool, build_recipe_read,
     (const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink, void *context,
      build_recipe_error *error))
{
    sound_sink = sink;
    const bool read = __real_build_recipe_read(text, size, name, work, show_vector, context, error);
    error->line += injected_fault == RECIPE_LINE ? 10 : 0;
    error->column += injected_fault == RECIPE_COLUMN ? 1000 : 0;
    if (injected_fault == RECIPE_TEXT)
        error->text[0] = '\n';
    return read && injected_fault != RECIPE_STOPS;
}

/* Rejected without a reason, or JSON with an extra brace. */
WRAP(bool, build_expected_decode,
     (const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]), build_chunk *image,
      build_chunk *json, const char **why, build_position *where))
{
    const bool refused = injected_fault == EXPECT_TEXT || injected_fault == EXPECT_LINE || injected_fault == EXPECT_COLUMN;
    const bool made = __real_build_expected_decode(vector, sha256, image, json, why, where);
    if (injected_fault == EXPECT_JSON)
        build_chunk_number(json, '}', 1);
    if (!refused)
        return made;
    *why = injected_fault == EXPECT_TEXT ? "" : "no cause";
    *where = (build_position){injected_fault == EXPECT_LINE ? 1000 : 1, injected_fault == EXPECT_COLUMN ? 1000 : 1};
    return false;
}

WRAP(void, etl_memory_check, (etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings))
{
    __real_etl_memory_check(layout, structure, offset, findings);
    if (injected_fault == RECIPE_CHECK)
        findings->at[findings->count++] = (etl_finding){.rule = ETL_RULE_LFH_001, .offset = offset};
}

/* For fuzz_stream, only where the window is not the whole file. */
WRAP(etl_outcome, etl_reader_next, (etl_reader *reader))
{
    etl_outcome outcome = __real_etl_reader_next(reader);
    const bool small = !reader->last;
    if (injected_fault == STREAM_FIELD && small && outcome == ETL_EVENT)
        reader->event.time++;
    if (injected_fault == STREAM_ENDS && small && outcome == ETL_BUFFER)
        outcome = ETL_END;
    if (injected_fault == GAP_KIND && outcome == ETL_GAP)
        reader->gap.kind = ETL_REGION_TAIL;
    if ((injected_fault == FILE_FAR || injected_fault == STREAM_FAR) && outcome == ETL_BUFFER)
        reader->buffer.offset &= UINT32_MAX;
    if (injected_fault == NOTE_INVENTED && outcome == ETL_BUFFER)
        reader->findings.at[reader->findings.count++] =
            (etl_finding){.rule = ETL_RULE_BUF_013, .buffer = reader->buffer.index, .event = ETL_NO_INDEX};
    if (injected_fault == RECIPE_DECODE)
        outcome = ETL_INTERNAL;
    return outcome;
}

/* A reader got a higher limit than targets may set; only fuzz_build may, as it wrote the file that is read. */
static bool beyond;

/* Of two decodes, the one with tighter limits gets the usual ones, and the other gets limits that are too small. */
WRAP(void, etl_reader_init, (etl_reader * reader, etl_limits limits))
{
    const etl_limits usual = TARGET_LIMITS, none = {0, 0, 0};
    static bool tight;
    tight |= limits.inflated != usual.inflated || limits.expansion != usual.expansion;
    beyond |= limits.inflated > usual.inflated && strcmp(TARGET, "fuzz_build") != 0;
    const bool swap = injected_fault == LIMITS_SWAPPED && tight;
    __real_etl_reader_init(reader, !swap ? limits : limits.inflated == usual.inflated ? none : usual);
}

WRAP(void, tool_record_end, (tool_json * json, const tool_tally *tally, const etl_trace *trace, tool_verdict verdict))
{
    tool_tally told = *tally;
    told.events += injected_fault == JSON_COUNT;
    if (injected_fault == JSON_CHAR)
        tool_put_char(json->out, '"');
    __real_tool_record_end(json, &told, trace, verdict);
}

WRAP(tool_exit, tool_record_stream_write, (tool_record_stream *d, tool_input *input, tool_output *out))
{
    const tool_exit code = __real_tool_record_stream_write(d, input, out);
    if (injected_fault == TEXT_ESCAPE && d->text)
        tool_put_char(out, '\x1B');
    out->error += injected_fault == JSON_OUTPUT;
    return injected_fault == JSON_EXIT ? TOOL_EXIT_DAMAGED : code;
}

WRAP(tool_verdict, tool_tally_verdict, (const tool_tally *tally, const etl_reader *reader, bool strict))
{
    return injected_fault == JSON_STRICT && strict ? TOOL_VERDICT_NOT_ETL
                                                   : __real_tool_tally_verdict(tally, reader, strict);
}

WRAP(void, tool_validation_json, (tool_json * json, const tool_validation *report))
{
    tool_inventory *told = (tool_inventory *)(uintptr_t)report->inventory;
    told->tally.events += injected_fault == SUMMARY_COUNT;
    told->providers.none += injected_fault == SUMMARY_STRICT && report->strict;
    if (injected_fault == SUMMARY_CHAR)
        tool_put_char(json->out, '"');
    __real_tool_validation_json(json, report);
}

WRAP(void, tool_sarif_file, (tool_json * json, const tool_validation *report))
{
    tool_inventory *told = (tool_inventory *)(uintptr_t)report->inventory;
    told->findings_of_rule[ETL_RULE_BUF_001] += injected_fault == SARIF_COUNT;
    if (injected_fault == SARIF_CHAR)
        tool_put_char(json->out, '"');
    __real_tool_sarif_file(json, report);
}

WRAP(void, tool_time_order_write, (tool_time_order *order, tool_output *out))
{
    if (injected_fault != ORDER_REVERSED) {
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

/* What a step of the recovery writes, with a fault in it. The input is a header buffer, and a buffer that is rebuilt. */
static void inject_into_piece(uint8_t *piece, size_t size, bool patch, bool again)
{
    const bool header = !patch && !again && size == ETL_BUFFER_SIZE_MIN;
    const bool event = !patch && !again && size == ETL_SIZE(EVENT_HEADER) + 8; /* with its padding */
    const bool logfile = !patch && !again && size > ETL_BUFFER_SIZE_MIN + ETL_SIZE(TRACE_LOGFILE_HEADER64);
    const size_t start_time =
        ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime);
    if (event && injected_fault == RECOVER_LOSES)
        memset(piece, 0xFF, size);
    if (header && injected_fault == RECOVER_LOSES)
        end_behind_header(piece);
    if (event)
        piece[ETL_SIZE(EVENT_HEADER)] ^= injected_fault == RECOVER_DATA;
    if (header)
        piece[ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex)] ^= injected_fault == RECOVER_PROCESSOR;
    if (header)
        piece[ETL_AT(WMI_BUFFER_HEADER_61, BufferSize)] ^= injected_fault == RECOVER_SIZE ? 8 : 0;
    if (logfile)
        piece[start_time] ^= injected_fault == RECOVER_CLOCK;
    piece[0] ^= injected_fault == RECOVER_TOTAL && patch ? 0x10 : 0;
    piece[size - 1] ^= injected_fault == RECOVER_TWICE && again;
}

/* The note of the dropped event, or of dropped bytes, with a fault in it. */
static void inject_into_note(etl_recover_note *note)
{
    const bool event = note->kind == ETL_RECOVERED_DROPPED && note->event != ETL_NO_INDEX;
    const bool gap = note->kind == ETL_RECOVERED_DROPPED && note->event == ETL_NO_INDEX;
    if (event && injected_fault == RECOVER_SILENT)
        *note = (etl_recover_note){.kind = ETL_RECOVERED_CHANGED};
    note->offset += event && injected_fault == RECOVER_NOTE_PLACE;
    note->size -= event && injected_fault == RECOVER_NOTE_SIZE;
    note->event += event && injected_fault == RECOVER_NOTE_EVENT;
    if (event && injected_fault == RECOVER_NOTE_RULE)
        note->rule = ETL_RULE_COUNT;
    note->size += gap && injected_fault == RECOVER_NOTE_GAP;
    if (note->kind == ETL_RECOVERED_CHANGED && injected_fault == RECOVER_NOTE_MORE)
        note->kind = ETL_RECOVERED_DROPPED;
}

static void inject_into_totals(etl_recovery *r)
{
    r->events_dropped -= injected_fault == RECOVER_UNCOUNTED;
    r->events += injected_fault == RECOVER_EVENTS;
    r->buffers += injected_fault == RECOVER_BUFFERS;
}

/* The file is recovered, and the new file is recovered again. */
WRAP(etl_recover_step, etl_recover_next, (etl_recovery *r))
{
    static uint8_t other[1 << 16];
    static bool again;
    static unsigned grown;
    if (injected_fault == RECOVER_GROWS && grown++ < 1000) { /* 64 MB */
        r->piece = (etl_span){other, sizeof other};
        return ETL_RECOVER_WRITE;
    }
    const etl_recover_step step = __real_etl_recover_next(r);
    again ^= step == ETL_RECOVER_DONE;
    if (step == ETL_RECOVER_NOTE)
        inject_into_note(&r->note);
    if (step == ETL_RECOVER_DONE)
        inject_into_totals(r);
    if (step != ETL_RECOVER_WRITE && step != ETL_RECOVER_PATCH)
        return step;
    memcpy(other, r->piece.at, r->piece.size);
    inject_into_piece(other, r->piece.size, step == ETL_RECOVER_PATCH, again);
    r->piece.at = other;
    if (injected_fault == RECOVER_FAILS && step == ETL_RECOVER_PATCH)
        r->at = UINT64_MAX;
    return step;
}

/* The input, on which the target must pass. */
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

/* Unchanged, as the builder writes it. */
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

/* Never finalised, and cut off in its last buffer, where an item reaches past its event and some bytes belong to no
   event. */
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

/* Four letters, and an output of four bytes. */
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
 * The choices for a trace: 64-bit, 10.0, one plain buffer with the time of both clocks; two events, an EVENT_HEADER64
 * with 5 bytes of data and a MESSAGE with a GUID; all else 0.
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
    at[BEFORE_DATA + 1] = DATA; /* after the flag for much payload */
    at += BEFORE_DATA + 2 + BEFORE_BYTES + DATA + 1 + BEFORE_BYTES; /* padding has a size too */
    *at++ = MESSAGE_ROW;
    at[4 * 8] = ETL_MESSAGE_OPTION_GUID;
    file_size = 1024;
}

/* A recipe that is rejected, and two that are accepted. */
static const char broken[] = "trace {\n  song\n}\n";
static const char sound[] = "recipe \"r\"\nsource \"s\"\ntrace { buffer b { event e EVENT_HEADER64 { } } }\n"
                            "vector v { title \"t\" rule SIZ-001 accept }\n";
static const char sound_memory[] = "recipe \"r\"\nsource \"s\"\nmemory \"ETW_GUID_ENTRY\" \"2004\" \"x64\" { }\n"
                                   "vector m { title \"t\" rule LAY-001 accept }\n";

static void make_sound_input(const char *target)
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
    make_sound_input(TARGET);
    run();
    printf("%s 1 - without a fault, files are read within the limits of targets\n", beyond ? "not ok" : "ok");
    return fault_test_all(rows, sizeof rows / sizeof rows[0], TARGET, run) | (int)beyond;
}
