/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each edit alone, on vectors without findings: it does what its name states, and once the enclosing sizes are
 * corrected, the decoder finds the pieces of the draft, and no findings except about the edit. Without a place or
 * enough space, an edit changes nothing.
 */
#include "edit.h"

#include <stdlib.h>

#include "test.h"
#include "visit_vectors.h"

enum { SEEDS = 3, GROWTH = 1 << 20, OUT_MOST = 1 << 24, RULES_MOST = 8, RARE = 25 };

typedef enum sign { LESS, SAME, MORE, ANY } sign;

typedef struct subject {
    const char *name;
    mutator_editor *editor;
    bool crosses;
    sign size;            /* of the input */
    mutator_piece_kind kind;  /* and the number of these */
    sign count;
    bool same_pieces;     /* the decoder finds as many buffers, events and items as the draft has */
    bool damages;         /* on purpose, so that any rule may be broken */
    etl_rule rules[RULES_MOST]; /* that the edit may break; ends with ETL_RULE_COUNT */
    etl_rule rare[RULES_MOST];  /* that it breaks in unusual files only: at most once in RARE times */
} subject;

#define R(id) ETL_RULE_##id
#define END ETL_RULE_COUNT
/* Another event with the hook of the logfile header becomes the first, and is read as one. */
#define OTHER_LOGFILE R(BUF_018), R(TIM_001), R(TIM_007), R(LFH_003), R(LFH_004), R(LFH_005), R(LFH_006)

/*
 * Why each rule may be broken: TIM-004: events in another order. EXT-006, PAY-*, TYP-006, MSG-001, LFH-003: data whose
 * size must fit its content was resized. EXT-004: more items than a chain may have. LFH-002: the record was removed.
 * MSG-004, MRK-002, TYP-001, TYP-004: the new event has such a type. LFH-007: the logfile header does not announce
 * compression. In unusual files: SIZ-001: the INSTANCE header is that of another version. BUF-001, BUF-018: a State
 * that only the header buffer has. LIM-001: a buffer inflates beyond the limit. BUF-020: the logfile header states
 * fewer bytes than its buffers have, or the header buffer of an uncompressed file has State 0. MRK-*: Size has 16 bits.
 * BUF-019: an unused flag word already followed an empty stream.
 */
static const subject subjects[] = {
    {"remove",
     mutator_edit_remove,
     false,
     LESS,
     MUTATOR_PIECE_COUNT,
     ANY,
     false,
     false,
     {R(TIM_004), R(EXT_006), R(PAY_001), R(TYP_006), R(MSG_001), R(LFH_002), R(LFH_003), END},
     {R(SIZ_001), R(BUF_020), END}},
    {"duplicate",
     mutator_edit_duplicate,
     false,
     MORE,
     MUTATOR_PIECE_COUNT,
     ANY,
     false,
     false,
     {R(EXT_004), END},
     {R(BUF_001), R(BUF_018), R(LIM_001), END}},
    {"swap",
     mutator_edit_swap,
     false,
     SAME,
     MUTATOR_PIECE_EVENT,
     SAME,
     true,
     false,
     {R(TIM_004), END},
     {OTHER_LOGFILE, END}},
    {"move",
     mutator_edit_move,
     false,
     SAME,
     MUTATOR_PIECE_EVENT,
     SAME,
     true,
     false,
     {R(TIM_004), END},
     {OTHER_LOGFILE, END}},
    {"grow",
     mutator_edit_grow,
     false,
     MORE,
     MUTATOR_PIECE_EVENT,
     SAME,
     false,
     false,
     {R(EXT_006), R(PAY_004), END},
     {R(MRK_002), R(MRK_003), R(LIM_001), END}},
    {"shrink",
     mutator_edit_shrink,
     false,
     LESS,
     MUTATOR_PIECE_EVENT,
     SAME,
     false,
     false,
     {R(TIM_004), R(EXT_006), R(PAY_001), R(PAY_004), R(TYP_006), R(MSG_001), R(LFH_003), END},
     {END}},
    {"splice",
     mutator_edit_splice,
     false,
     ANY,
     MUTATOR_PIECE_EVENT,
     SAME,
     false,
     false,
     {R(EXT_006), R(PAY_001), R(PAY_004), R(LFH_003), END},
     {R(LIM_001), END}},
    {"new event",
     mutator_edit_new_event,
     false,
     MORE,
     MUTATOR_PIECE_EVENT,
     MORE,
     true,
     false,
     {R(TIM_004), R(EXT_006), R(PAY_001), R(MSG_004), R(MRK_002), R(TYP_001), R(TYP_004), END},
     {R(BUF_019), END}},
    {"new item",
     mutator_edit_new_item,
     false,
     MORE,
     MUTATOR_PIECE_ITEM,
     MORE,
     false,
     false,
     {R(EXT_004), R(EXT_006), R(PAY_001), END},
     {R(MRK_002), R(MRK_003), END}},
    {"new buffer",
     mutator_edit_new_buffer,
     false,
     MORE,
     MUTATOR_PIECE_BUFFER,
     MORE,
     false,
     false,
     {END},
     {R(BUF_001), R(BUF_018), END}},
    {"new gap", mutator_edit_new_gap, false, MORE, MUTATOR_PIECE_RAW, MORE, false, true, {END}, {END}},
    {"new parts",
     mutator_edit_new_parts,
     false,
     ANY,
     MUTATOR_PIECE_EVENT,
     SAME,
     true,
     false,
     {R(TIM_004), R(MSG_004), END},
     {END}},
    {"pack", mutator_edit_pack, false, ANY, MUTATOR_PIECE_STREAM, MORE, true, false, {R(LFH_007), END}, {R(BUF_020), END}},
    {"unpack", mutator_edit_unpack, false, ANY, MUTATOR_PIECE_STREAM, LESS, true, false, {END}, {END}},
    {"repack", mutator_edit_repack, false, ANY, MUTATOR_PIECE_STREAM, SAME, true, false, {END}, {END}},
    {"cross insert",
     mutator_edit_cross_insert,
     true,
     MORE,
     MUTATOR_PIECE_COUNT,
     ANY,
     false,
     false,
     {R(TIM_004), R(EXT_004), R(LFH_007), END},
     {R(SIZ_001), R(BUF_001), R(BUF_018), R(BUF_020), END}},
    {"cross replace",
     mutator_edit_cross_replace,
     true,
     ANY,
     MUTATOR_PIECE_COUNT,
     ANY,
     false,
     false,
     {R(TIM_004), R(EXT_006), R(PAY_001), R(PAY_004), R(LFH_003), R(LFH_007), END},
     {R(SIZ_001), R(BUF_001), R(BUF_018), R(BUF_020), END}},
    {"cross tail",
     mutator_edit_cross_tail,
     true,
     ANY,
     MUTATOR_PIECE_COUNT,
     ANY,
     false,
     false,
     {R(TIM_004), R(LFH_007), END},
     {R(SIZ_001), R(BUF_001), R(BUF_018), R(BUF_020), END}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* The results of decoding a file. */
typedef struct seen {
    size_t buffers, events, items;
    size_t rules[ETL_RULE_COUNT];
    size_t findings;
    size_t unusual_states; /* of buffers */
    uint32_t format;       /* of compressed buffers, if there were any */
    uint32_t buffer_size;  /* that the logfile header states */
} seen;

static void count_items(const etl_event *event, seen *s)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item))
        s->items++;
}

static seen look(const uint8_t *bytes, size_t size)
{
    static etl_reader reader;
    seen s = {0};
    uint8_t *scratch = NULL;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (;;) {
        reader.findings.count = 0;
        const etl_outcome outcome = etl_reader_next(&reader);
        s.findings += reader.findings.count;
        for (uint32_t i = 0; i < reader.findings.count; i++)
            s.rules[reader.findings.at[i].rule]++;
        switch (outcome) {
        case ETL_MORE:
            etl_reader_feed(&reader, (etl_span){bytes + reader.trace.offset, size - (size_t)reader.trace.offset}, true);
            break;
        case ETL_SCRATCH:
            free(scratch);
            scratch = malloc(reader.trace.want);
            etl_reader_lend(&reader, (etl_scratch){scratch, reader.trace.want});
            break;
        case ETL_BUFFER:
            s.buffers++;
            s.unusual_states += etl_buffer_state_name(reader.buffer.header.state) == NULL;
            break;
        case ETL_EVENT:
            s.events++;
            count_items(&reader.event, &s);
            break;
        case ETL_GAP: break;
        default:
            s.format = reader.trace.logfile.compression_format;
            s.buffer_size = reader.trace.logfile.buffer_size;
            free(scratch);
            return s;
        }
    }
}

typedef struct tally {
    mutator_draft *draft, *other;
    uint8_t *out;
    uint8_t *kept; /* the last vector of the suite, for crossing */
    size_t kept_size;
    size_t done[SUBJECTS];
    size_t broken[SUBJECTS][ETL_RULE_COUNT];
    uint64_t seed;
    size_t files; /* without a finding */
} tally;

static bool agrees(sign expected, size_t before, size_t after)
{
    switch (expected) {
    case LESS: return after < before;
    case SAME: return after == before;
    case MORE: return after > before;
    default: return true;
    }
}

static bool lists(const etl_rule *rules, etl_rule rule)
{
    while (*rules != ETL_RULE_COUNT && *rules != rule)
        rules++;
    return *rules == rule;
}

static void tell_mismatch(const subject *s, const vector *v, const tally *t, const seen *now, const char *description)
{
    printf("%s of %s: %s\n    decoded: buffers %zu, events %zu, items %zu; draft: %zu, %zu, %zu; broken:", s->name, v->path,
           description, now->buffers, now->events, now->items, mutator_draft_count(t->draft, MUTATOR_PIECE_BUFFER),
           mutator_draft_count(t->draft, MUTATOR_PIECE_EVENT), mutator_draft_count(t->draft, MUTATOR_PIECE_ITEM));
    for (int rule = 0; rule < ETL_RULE_COUNT; rule++)
        if (now->rules[rule] > 0)
            printf(" %s", etl_rule_get((etl_rule)rule)->id);
    printf("\n");
}

/* Plain buffers keep their size while their slack can absorb the change. */
static void check_rooms(const mutator_draft *draft)
{
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_BUFFER); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_BUFFER)) {
        if (mutator_piece_contents(p) != p)
            continue;
        const size_t size = mutator_piece_extent(p), slack = p->last && mutator_piece_is_slack(p->last) ? p->last->size : 0;
        CHECK(size == p->kept_size || (size > p->kept_size && slack == 0));
    }
}

/* How many buffers have the same SavedOffset and Offset. */
static size_t count_agreeing(const mutator_draft *draft)
{
    size_t count = 0;
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_BUFFER); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_BUFFER))
        count += mutator_piece_member(p, ETL_AT(WMI_BUFFER_HEADER_61, Offset), sizeof(uint32_t)) ==
                 mutator_piece_member(p, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), sizeof(uint32_t));
    return count;
}

/* False if an event has grown beyond the maximum of its Size. */
static bool sizes_are_right(const mutator_draft *draft)
{
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_EVENT); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_EVENT))
        if (mutator_piece_extent(p) > UINT16_MAX)
            return false;
    return true;
}

/* Settling must not undo what the edit removed or inserted. */
static void check_change(const subject *s, const vector *v, const tally *t, size_t size, const char *description)
{
    const bool changed = size != v->size || memcmp(t->out, v->bytes, size) != 0;
    const bool may_stay = s->size == SAME || s->size == ANY;
    CHECK(changed || may_stay);
    if (!changed && !may_stay)
        printf("%s of %s changed nothing: %s\n", s->name, v->path, description);
}

static void check_decode(const subject *s, const vector *v, tally *t, const char *description)
{
    const size_t size = mutator_draft_write(t->draft, t->out, OUT_MOST);
    CHECK(size < OUT_MOST);
    check_change(s, v, t, size, description);
    if (!sizes_are_right(t->draft))
        return;
    const seen now = look(t->out, size);
    bool right = true;
    if (s->same_pieces)
        right = now.buffers == mutator_draft_count(t->draft, MUTATOR_PIECE_BUFFER) &&
                now.events == mutator_draft_count(t->draft, MUTATOR_PIECE_EVENT) &&
                now.items == mutator_draft_count(t->draft, MUTATOR_PIECE_ITEM);
    /*
     * Without its logfile header, or with two, a file is read by other rules than it was written by; and a limit of the
     * reader is no fault of the file.
     */
    bool expected = true;
    const bool excused = now.rules[ETL_RULE_LFH_001] + now.rules[ETL_RULE_LFH_011] + now.rules[ETL_RULE_LFH_012] +
                             now.rules[ETL_RULE_LIM_001] >
                         0;
    for (int rule = 0; rule < ETL_RULE_COUNT; rule++) {
        const bool bad = now.rules[rule] > 0 && etl_rule_get((etl_rule)rule)->severity > ETL_SEVERITY_NOTE && !excused;
        t->broken[s - subjects][rule] += bad;
        expected = expected && (!bad || s->damages || lists(s->rules, (etl_rule)rule) || lists(s->rare, (etl_rule)rule));
    }
    CHECK(right || excused);
    CHECK(expected);
    if ((!right && !excused) || !expected)
        tell_mismatch(s, v, t, &now, description);
}

/* The bytes of a draft, where a stream counts as the pieces in it. */
static size_t inflated_size(const mutator_draft *draft)
{
    size_t size = 0;
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        size += p->kind == MUTATOR_PIECE_STREAM ? 0 : p->size;
    return size;
}

/* The kind of the piece that the description begins with. */
static mutator_piece_kind named_kind(const char *description)
{
    int kind = 0;
    while (kind < MUTATOR_PIECE_COUNT && strncmp(description, mutator_piece_text((mutator_piece_kind)kind),
                                                 strlen(mutator_piece_text((mutator_piece_kind)kind))) != 0)
        kind++;
    return (mutator_piece_kind)kind;
}

/* Of the pieces of a kind, by their numbers in the input: how many are displaced, and how many follow a higher number.
   */
static void measure_order(const mutator_draft *draft, mutator_piece_kind kind, size_t *displaced, size_t *falls)
{
    uint32_t at = 0, last = 0;
    *displaced = *falls = 0;
    for (const mutator_piece *p = mutator_draft_next(draft, NULL, kind); p != NULL;
         p = mutator_draft_next(draft, p, kind)) {
        *displaced += p->number != at++;
        *falls += p->number < last;
        last = p->number;
    }
}

/* After a swap, two pieces are displaced. After a move, at most one follows a higher number; none does if the piece
   moved to another buffer without passing a piece. */
static void check_order(const subject *s, const mutator_draft *draft, const char *description)
{
    size_t displaced, falls;
    measure_order(draft, named_kind(description), &displaced, &falls);
    if (s->editor == mutator_edit_swap)
        CHECK_UINT(2, displaced);
    else if (s->editor == mutator_edit_move)
        CHECK(falls <= 1);
}

/* Whether the settled draft writes the bytes that it was read from. */
static bool is_unchanged(const vector *v, tally *t)
{
    mutator_draft_settle(t->draft, MUTATOR_SETTLE_ALL);
    const size_t size = mutator_draft_write(t->draft, t->out, OUT_MOST);
    return size == v->size && memcmp(t->out, v->bytes, size) == 0;
}

static void check_edit(const subject *s, const vector *v, size_t growth, tally *t)
{
    static mutator_edit_log log;
    log = (mutator_edit_log){.size = 0};
    mutator_draft_read(t->draft, INPUT_FILE, v->bytes, v->size);
    if (s->crosses && t->kept != NULL)
        mutator_draft_read(t->other, INPUT_FILE, t->kept, t->kept_size);
    else if (s->crosses)
        return;
    const size_t size = inflated_size(t->draft), count = mutator_draft_count(t->draft, s->kind);
    mutator_edit edit = {t->draft, t->other, mutator_random_seed(t->seed++), v->size + growth, &log};
    if (!s->editor(&edit)) {
        const bool unchanged = is_unchanged(v, t);
        CHECK(unchanged);
        if (!unchanged)
            printf("%s of %s failed but changed the draft\n", s->name, v->path);
        return;
    }
    t->done[s - subjects]++;
    const bool right = agrees(s->size, size, inflated_size(t->draft)) &&
                       agrees(s->count, count, mutator_draft_count(t->draft, s->kind));
    CHECK(right);
    if (!right)
        printf("%s of %s: %s\n", s->name, v->path, log.at);
    CHECK(log.size > 0);
    check_order(s, t->draft, log.at);
    const size_t agreeing = count_agreeing(t->draft);
    mutator_draft_settle(t->draft, MUTATOR_SETTLE_ALL);
    CHECK_UINT(agreeing, count_agreeing(t->draft));
    check_rooms(t->draft);
    check_decode(s, v, t, log.at);
}

/*
 * Without findings; without buffers of an unusual State, which a reader accepts only while the sizes of neighbours
 * agree; without a header of 5.2 whose Flags, read as the State of later versions, name an unknown compression format;
 * and without a BufferSize that a settled draft has no room for.
 */
static bool is_sound(const vector *v)
{
    const seen s = look(v->bytes, v->size);
    return s.findings == 0 && s.unusual_states == 0 && s.buffer_size < OUT_MOST &&
           (s.format == ETL_COMPRESSION_FORMAT_NONE || s.format == ETL_COMPRESSION_FORMAT_XPRESS);
}

static void check_file(const vector *v, void *state)
{
    tally *t = state;
    if (!is_sound(v))
        return;
    t->files++;
    for (size_t i = 0; i < SUBJECTS; i++) {
        for (int n = 0; n < SEEDS; n++)
            check_edit(&subjects[i], v, GROWTH, t);
        check_edit(&subjects[i], v, 0, t);
    }
    free(t->kept);
    t->kept = malloc(v->size);
    memcpy(t->kept, v->bytes, v->size);
    t->kept_size = v->size;
}

static void tell(const tally *t)
{
    for (size_t i = 0; i < SUBJECTS; i++) {
        printf("%-14s %6zu times;", subjects[i].name, t->done[i]);
        for (int rule = 0; rule < ETL_RULE_COUNT; rule++)
            if (t->broken[i][rule] > 0)
                printf(" %s %zu", etl_rule_get((etl_rule)rule)->id, t->broken[i][rule]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    tally t = {.draft = mutator_draft_new(), .other = mutator_draft_new(), .seed = 1, .out = malloc(OUT_MOST)};
    CHECK(t.out != NULL);
    CHECK(visit_files(argc - 1, argv + 1, check_file, &t) > 3000);
    tell(&t);
    printf("%zu files without a finding\n", t.files);
    for (size_t i = 0; i < SUBJECTS; i++) {
        CHECK(t.done[i] > 100);
        for (const etl_rule *rule = subjects[i].rare; *rule != ETL_RULE_COUNT; rule++)
            CHECK(t.broken[i][*rule] <= t.done[i] / RARE);
    }
    free(t.kept);
    free(t.out);
    mutator_draft_free(t.draft);
    mutator_draft_free(t.other);
    return test_result();
}
