/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Well-formed recipes and their vectors and traces. recipe_value_test.c tests values.
 */
#include "recipe_fixture.h"

/* Loops and blocks. */

static void look_at_range(const build_vector *vector, size_t number)
{
    static const char *const ids[] = {
        "n-0", "n-3", "n-6", "n-9", "n-10", "n-11", "n-5", "n-fffffffffffffffe", "n-ffffffffffffffff", "n-20", "n-2f"};
    CHECK_TEXT(ids[number], vector->id);
}

static void look_at_tuple(const build_vector *vector, size_t number)
{
    static const char *const ids[] = {"a1-x", "a1-y", "b2-x", "b2-y", "a-after"};
    CHECK_TEXT(ids[number], vector->id);
}

static void look_at_blocks(const build_vector *vector, size_t number)
{
    static const struct {
        etl_rule rule;
        const char *source;
        bool must;
        size_t events;
    } rows[] = {{ETL_RULE_SIZ_001, "s", true, 1},   {ETL_RULE_SIZ_002, "own", false, 1}, {ETL_RULE_SIZ_001, "s", true, 1},
                {ETL_RULE_SIZ_003, "in", false, 2}, {ETL_RULE_SIZ_003, "in", false, 2},  {ETL_RULE_SIZ_001, "s", true, 1},
                {ETL_RULE_SIZ_002, "s2", true, 3}};
    CHECK_UINT(rows[number].rule, vector->rule);
    CHECK_TEXT(rows[number].source, vector->source);
    CHECK(rows[number].must == vector->must);
    CHECK_UINT(rows[number].events, vector->model->buffers[1].event_count);
}

static void look_at_looped_place(const build_vector *vector, size_t number)
{
    CHECK_UINT(0x48 + number, vector->patch.offset);
    CHECK_TEXT("c", vector->patch.inflated != NULL ? vector->patch.inflated->name : NULL);
    CHECK_UINT(4 - number, vector->patch.size);
}

static void test_loops(void)
{
    GOOD(HEAD TRACE "repeat over n in 0 .. 9 step 3, 16, 17, 5 .. 5, 0xFFFFFFFFFFFFFFFE .. 0xFFFFFFFFFFFFFFFF,"
                    "32 .. 60 step 15 { vector n-{n:x} { title \"t\" accept }}",
         11, look_at_range);
    GOOD(HEAD TRACE "repeat over (a, n) in (\"a\", 1), (\"b\", 2) { repeat over (m) in (\"x\"), \"y\" {"
                    "vector {a}{n}-{m} { title \"t\" accept }}} vector a-after { title \"t\" accept }",
         5, look_at_tuple);
    GOOD(HEAD "trace { buffer b { event e SYSTEM64 { } } }\n"
              "vector v1 { title \"t\" accept }"
              "vector v2 { rule SIZ-002 source \"own\" level should title \"t\" accept }"
              "vector v3 { title \"t\" accept }"
              "repeat over n in 4, 5 { rule SIZ-003 source \"in\" level should\n"
              "trace { buffer b { event e SYSTEM64 { } event f SYSTEM64 { } } } vector v{n} { title \"t\" accept } }"
              "vector v6 { title \"t\" accept }"
              "rule SIZ-002 level should level must source \"s2\""
              "trace { buffer b { event e SYSTEM64 { } event f SYSTEM64 { } event g SYSTEM64 { } } }"
              "vector v7 { title \"t\" accept }",
         7, look_at_blocks);
    /* The variable's places are of another copy of the trace. */
    GOOD(HEAD TRACE "repeat over at in f .. f + 3 { vector v{at} { title \"t\" accept patch remove at .. f + 4 }}", 4,
         look_at_looped_place);
}

/* A name is a function before "("; else the innermost loop variable; else a table. */
static void look_at_names(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_CHUNK("\x05\x06\x01\x01\x02", &node_of(vector, "e").event->data);
}

/* Traces. */

static void look_at_trace(const build_vector *vector, size_t number)
{
    const build_model_node e = node_of(vector, "e"), i = node_of(vector, "i");
    const build_model_node p = node_of(vector, "p"), m = node_of(vector, "m");
    (void)number;
    CHECK_UINT(4, vector->model->buffer_count);
    CHECK_UINT(7, member_of(vector, "header", "LoggerId"));
    CHECK_UINT((uint64_t)-60, member_of(vector, "logfile", "TimeZone.DaylightBias"));
    CHECK_UINT(0x7FFFFFFF, member_of(vector, "logfile", "TimeZone.Bias"));
    CHECK_UINT(3, member_of(vector, "logfile", "ThreadId"));
    CHECK_CHUNK("L\0\0\0F\0N\0\0\0", &node_of(vector, "logfile").event->names);
    CHECK(node_of(vector, "more").buffer == &vector->model->buffers[0]);
    CHECK_UINT(0x345, member_of(vector, "b", "State"));
    CHECK_CHUNK("\xAA\xBB", &node_of(vector, "b").buffer->slack);
    CHECK_UINT(ETL_HEADER_TYPE_EVENT_HEADER32, e.event->type);
    CHECK_CHUNK("\x01\x02", &e.event->data);
    CHECK_CHUNK("\xEE", &e.event->padding);
    CHECK_BYTES("\x00\xD9\xFD\x68\x3E\x4A\xD1\x11\x84\xF4\x00\x00\xF8\x04\x64\xE3", e.event->header.bytes + 0x18, 16);
    CHECK_UINT(1, e.event->item_count);
    CHECK_UINT(0x99, build_structure_get(&i.item->header, "ExtType"));
    CHECK_UINT(5, build_structure_get(&i.item->header, "DataSize"));
    CHECK_CHUNK("\x01\x02\x03", &i.item->data);
    CHECK_CHUNK("\x44", &i.item->padding);
    CHECK(p.event->has_pebs);
    CHECK_UINT(9, p.event->pebs);
    CHECK_UINT(2, p.event->pmc_count);
    CHECK_UINT(5, p.event->pmc[0]);
    CHECK_UINT(UINT64_MAX, p.event->pmc[1]);
    CHECK_UINT(1, m.event->message_fields.sequence);
    CHECK_UINT(2, m.event->message_fields.component_id);
    CHECK_UINT(3, m.event->message_fields.thread_id);
    CHECK_UINT(UINT32_MAX, m.event->message_fields.process_id);
    CHECK_UINT(5, m.event->message_fields.time);
    CHECK_BYTES("\x01\0\0\0\x02\0\x03\0\x04\x05\x06\x07\x08\x09\x0A\x0B", m.event->message_fields.guid, 16);
    CHECK(node_of(vector, "x").event->is_raw);
    CHECK_UINT(ETL_REGION_DAMAGED, node_of(vector, "x").event->raw_kind);
    CHECK_UINT(ETL_REGION_SLACK, node_of(vector, "y").event->raw_kind);
    CHECK_CHUNK("\x07\x08", &node_of(vector, "x").event->data);
}

static void look_at_buffers(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_UINT(4, vector->model->pointer_size);
    CHECK_UINT(ETL_HEADER_TYPE_SYSTEM32, node_of(vector, "c_logfile").event->type);
    CHECK(node_of(vector, "c_logfile").event->is_logfile);
    CHECK_UINT(BUILD_MODEL_LITERAL, node_of(vector, "a").buffer->compression);
    CHECK_UINT(BUILD_MODEL_GREEDY, node_of(vector, "b").buffer->compression);
    CHECK_UINT(BUILD_MODEL_LAZY, node_of(vector, "c").buffer->compression);
    CHECK_CHUNK("\x01", &node_of(vector, "a").buffer->spare);
    CHECK_UINT(ETL_REGION_TAIL, node_of(vector, "t").buffer->raw_kind);
    CHECK_UINT(ETL_REGION_DAMAGED, node_of(vector, "u").buffer->raw_kind);
    CHECK_CHUNK("\x05", &node_of(vector, "t").buffer->raw);
    CHECK_CHUNK("\x01", &node_of(vector, "c_logfile").event->names);
    CHECK_UINT(0xF7, node_of(vector, "o").event->type);
}

static void look_at_stream(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_UINT(BUILD_MODEL_GIVEN, node_of(vector, "a").buffer->compression);
    CHECK_CHUNK("\x07\x08\x09", &node_of(vector, "a").buffer->given);
    CHECK_CHUNK("\x07\x08\x09", &node_of(vector, "a").buffer->stream);
    CHECK_UINT(BUILD_MODEL_GREEDY, node_of(vector, "b").buffer->compression);
}

/* The header buffer exists before the version is set. */
static void look_at_old_header(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_UINT(ETL_STRUCTURE_WMI_BUFFER_HEADER_50, vector->model->buffers[0].header.id);
    CHECK_UINT(7, member_of(vector, "header", "UsePerfClock"));
}

static void look_at_no_logfile(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_UINT(1, vector->model->buffer_count);
    CHECK_TEXT("header", vector->model->buffers[0].name);
}

/* The longest possible name. */
#define NAME63 "abcdefgabcdefgabcdefgabcdefgabcdefgabcdefgabcdefgabcdefgabcdefg"

static void look_at_long_name(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_TEXT(NAME63, vector->model->buffers[1].name);
}

static void test_traces(void)
{
    GOOD(OF_TRACE("header { LoggerId = 7 event more SYSTEM64 { } }"
                  "logfile { TimeZone.Bias = 0x7FFFFFFF ThreadId = 3 log_file_name = \"FN\" logger_name = \"L\" }"
                  "buffer b { State = 0x345 slack = hex(\"aa bb\")"
                  "  event e EVENT_HEADER32 { data = count(2) padding = u8(0xEE)"
                  "    ProviderId = \"68fdd900-4a3e-11d1-84f4-0000f80464e3\""
                  "    item i (0x99) { DataSize = 5 data = count(3) padding = u8(0x44) } }"
                  "  bytes x damaged { data = u8(7, 8) }"
                  "  event p PERFINFO64 { pmc = (1, 2, 3) pmc = (5, -1) pebs = 9 }"
                  "  bytes y slack { } }"
                  "buffer n { event m MESSAGE { sequence = 1 component_id = 2 thread_id = 3 process_id = -1 time = 5"
                  "  guid = \"00000001-0002-0003-0405-060708090a0b\" } }"
                  "buffer k { event s SYSTEM32 { pebs = 1 } event z COMPACT64 { pmc = (1) } }"),
         1, look_at_trace);
    GOOD(OF_TRACE("pointer_size 4 buffer a { compress = \"literal\" spare = u8(1) }"
                  "buffer b { compress = \"greedy\" event o (0xF7) { } }"
                  "buffer c { compress = \"lazy\" logfile { names = u8(1) } }"
                  "bytes t tail { data = u8(5) } bytes u damaged { }"),
         1, look_at_buffers);
    GOOD(OF_TRACE("buffer a { compress = \"lazy\" compress = hex(\"07 08 09\") } "
                  "buffer b { compress = u8(1) compress = \"greedy\" }"),
         1, look_at_stream);
    GOOD(OF_TRACE("logfile { MajorVersion = 5 } header { UsePerfClock = 7 }"), 1, look_at_old_header);
    GOOD(OF_TRACE("pointer_size 8 no logfile buffer header { event e SYSTEM64 { } }"), 1, look_at_no_logfile);
    GOOD(OF_TRACE("buffer " NAME63 " { }"), 1, look_at_long_name);
    GOOD(HEAD TRACE "repeat over (Flags, hex) in (5, 6) { vector v { title \"t\" accept "
                    "set e.data = u8(Flags, hex, BufferFlag.FLUSH_MARKER * 0 + 1) ++ hex(\"01 02\") }}",
         1, look_at_names);
}

/* Vectors. */

static void look_at_fields(const build_vector *vector, size_t number)
{
    static const build_vector_verdict verdicts[] = {BUILD_VECTOR_ACCEPT, BUILD_VECTOR_REJECT, BUILD_VECTOR_EITHER};
    static const char *const places[] = {NULL, "e.Size", NULL};
    CHECK_UINT(verdicts[number], vector->verdict);
    CHECK_TEXT(number == 2 ? "opaque-size" : NULL, vector->flag);
    CHECK(vector->tells == (number == 2));
    CHECK_TEXT(places[number], vector->place);
    CHECK_TEXT(number == 0 ? "size/x.recipe:7" : number == 1 ? "size/x.recipe:8" : "size/x.recipe:9", vector->recipe);
    CHECK_UINT(number == 1 ? BUILD_PATCH_BYTES : BUILD_PATCH_NONE, vector->patch.kind);
}

static void look_at_sets(const build_vector *vector, size_t number)
{
    (void)number;
    CHECK_UINT(77, member_of(vector, "e", "Id"));
    CHECK_UINT(8, member_of(vector, "logfile", "TimeZone.StandardDate.Month"));
    CHECK_CHUNK("\x01\x02\x03", &node_of(vector, "e").event->data);
    CHECK_UINT(2, build_structure_get(&node_of(vector, "i").item->header, "Linkage"));
    CHECK_UINT(BUILD_MODEL_GREEDY, node_of(vector, "b").buffer->compression);
    /* After the sets: the stream of b is known, and the finding is at the new place of e. */
    CHECK_UINT(0x448, vector->patch.offset);
    CHECK_TEXT("b", vector->findings[0].place.inflated != NULL ? vector->findings[0].place.inflated->name : NULL);
    CHECK_UINT(0x48, vector->findings[0].place.offset);
}

static void check_patch(const build_vector *v, build_patch_kind kind, uint64_t offset, uint64_t size, const char *place)
{
    CHECK_UINT(kind, v->patch.kind);
    CHECK_UINT(offset, v->patch.offset);
    CHECK_UINT(size, v->patch.size);
    CHECK_TEXT(place, v->place);
}

static void look_at_patches(const build_vector *v, size_t number)
{
    const char *space = v->patch.inflated != NULL ? v->patch.inflated->name : NULL;
    CHECK_TEXT(number == 1 || number == 7 ? "c" : NULL, space);
    switch (number) {
    case 0:
        check_patch(v, BUILD_PATCH_BYTES, 0x448, 2, "e.Size");
        CHECK_CHUNK("\xFE\xFF", &v->patch.bytes);
        break;
    case 1:
        check_patch(v, BUILD_PATCH_BYTES, 0x4A, 3, "bytes at f + 2");
        CHECK_CHUNK("\x01\x02\x03", &v->patch.bytes);
        break;
    case 2: check_patch(v, BUILD_PATCH_CUT, 0x44A, 0, "cut at e + 2"); break;
    case 3:
        check_patch(v, BUILD_PATCH_INSERT, 0x8AF, 1, "append");
        CHECK_CHUNK("\x09", &v->patch.bytes);
        break;
    case 4: check_patch(v, BUILD_PATCH_REMOVE, 0x448, 3, "remove e .. e + 3"); break;
    case 5:
        check_patch(v, BUILD_PATCH_INSERT, 0x4B0, 2, "insert at end(i)");
        CHECK_CHUNK("\x05\x05", &v->patch.bytes);
        break;
    case 6:
        check_patch(v, BUILD_PATCH_MOVE, 0x448, 0x50 + 24 + 11, "move e by -1");
        CHECK_INT(-1, v->patch.by);
        break;
    case 7:
        check_patch(v, BUILD_PATCH_MOVE, 0x48, 40, "move f by 2");
        CHECK_INT(2, v->patch.by);
        break;
    case 8:
        check_patch(v, BUILD_PATCH_BYTES, 0x448 + 0x18, 16, "e.ProviderId");
        CHECK_CHUNK("\x01\0\0\0\x02\0\x03\0\x04\x05\x06\x07\x08\x09\x0A\x0B", &v->patch.bytes);
        break;
    default: check_patch(v, BUILD_PATCH_BYTES, 0x42C, 4, "b.State"); break;
    }
}

#define PATCHED(id, patch) "vector " id " { title \"t\" reject patch " patch " }\n"

/* Copies differ by their defaults alone; only the first has the names of the recipe. */
static void check_copies(const build_vector *vector, size_t number)
{
    (void)number;
    const build_model *m = vector->model;
    uint64_t last = 0;
    CHECK_UINT(5, m->buffer_count);
    CHECK_UINT(3, m->buffers[1].event_count);
    CHECK_UINT(4, m->buffers[4].event_count);
    CHECK(node_of(vector, "e").event == &m->buffers[1].events[0]);
    CHECK(node_of(vector, "i").item == &m->buffers[1].events[0].items[0]);
    CHECK(node_of(vector, "f").event == &m->buffers[4].events[3]);
    for (size_t b = 1; b <= 3; b++)
        for (size_t e = 0; e < 3; e++) {
            const build_model_event *event = &m->buffers[b].events[e];
            CHECK_CHUNK("\1\2", &event->data);
            CHECK_UINT(1, event->item_count);
            CHECK(build_structure_get(&event->header, "TimeStamp") > last);
            last = build_structure_get(&event->header, "TimeStamp");
        }
    build_model_node node;
    CHECK(build_model_find(vector->model, m->buffers[3].events[2].name, &node));
    CHECK(node.event == &m->buffers[3].events[2]);
}

static void test_copies(void)
{
    GOOD(OF_TRACE("buffer b copies 3 {\n"
                  "  event e EVENT_HEADER64 copies 3 { data = count(2) item i SID { data = sid(1, 5, 18) } }\n"
                  "}"
                  "buffer c { event g PERFINFO64 copies 1 + 2 { } event f SYSTEM64 { } }"),
         1, check_copies);
}

static void test_vectors(void)
{
    GOOD(HEAD TRACE "vector a { title \"t\" accept }\n"
                    "vector b { patch e.Size = 1 title \"t\" reject }\n"
                    "vector c { either opaque-size tells title \"t\" }\n",
         3, look_at_fields);
    GOOD(ACCEPTED("finding SIZ-001 at e patch bytes at stream(b) - 0 = u8(0) set b.compress = \"greedy\" set e.Id = 77 "
                  "set e.data = count(3) set i.Linkage = 2 set logfile.TimeZone.StandardDate.Month = 8"),
         1, look_at_sets);
    GOOD(HEAD TRACE PATCHED("p0", "e.Size = -2") PATCHED("p1", "bytes at f   # here\n + 2 = count(3)")
             PATCHED("p2", "cut at e + 2") PATCHED("p3", "append = u8(9)") PATCHED("p4", "remove e .. e + 3")
                 PATCHED("p5", "insert at end(i) = fill(2, 5)") PATCHED("p6", "move e by -1") PATCHED("p7", "move f by 2")
                     PATCHED("p8", "e.ProviderId = \"00000001-0002-0003-0405-060708090a0b\"")
                         PATCHED("p9", "b.State = u32(1)"),
         10, look_at_patches);
}

/* Claims. */

static void look_at_findings(const build_vector *v, size_t number)
{
    const build_claimed_finding *f = v->findings;
    (void)number;
    CHECK_UINT(4, v->finding_count);
    CHECK_UINT(ETL_RULE_SIZ_002, f[0].rule);
    CHECK_UINT(0x448, f[0].place.offset);
    CHECK_TEXT("e", f[0].node);
    CHECK_TEXT("x", f[0].expected);
    CHECK_TEXT("y", f[0].actual);
    CHECK(f[0].has_lost);
    CHECK_UINT(120, f[0].lost);
    CHECK_INT(ETL_ACTION_SKIP_BUFFER, f[0].action);
    CHECK_UINT(ETL_RULE_SIZ_001, f[1].rule);
    CHECK(f[1].node == NULL && f[1].expected == NULL && f[1].actual == NULL && !f[1].has_lost);
    CHECK_INT(-1, f[1].action);
    CHECK(f[2].has_lost);
    CHECK_UINT(0, f[2].lost);
    CHECK_TEXT("z", f[2].actual);
    CHECK(!f[2].has_no_values);
    CHECK(f[3].has_no_values && f[3].has_lost);
}

static const struct {
    build_claim_kind kind;
    const char *node, *field, *value;
    uint64_t from, to;
    etl_region_kind region;
} claims[] = {
    {BUILD_CLAIM_LOST, "e", NULL, NULL, 0, 0, ETL_REGION_DAMAGED},
    {BUILD_CLAIM_LOST, "f", NULL, NULL, 0, 0, ETL_REGION_DAMAGED},
    {BUILD_CLAIM_LOST, "e", NULL, NULL, 0, 0, ETL_REGION_BUFFER_HEADER},
    {BUILD_CLAIM_LOST, "c", NULL, NULL, 0, 0, ETL_REGION_BUFFER_HEADER},
    {BUILD_CLAIM_LOST_FROM, "e", NULL, NULL, 0x498, 0, ETL_REGION_DAMAGED},
    {BUILD_CLAIM_OPAQUE, "e", NULL, NULL, 0, 0, 0},
    {BUILD_CLAIM_MUST, "e", NULL, NULL, 0, 0, 0},
    {BUILD_CLAIM_MUST, "f", NULL, NULL, 0, 0, 0},
    {BUILD_CLAIM_SHOULD, "g", NULL, NULL, 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "e", "id", "12", 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "e", "bias", "-60", 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "e", "a.b.c", NULL, 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "trace", "x", "\"a\\\"b\\\\\\u000a\"", 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "end", "y", "\"01ff\"", 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "header", "z", "true", 0, 0, 0},
    {BUILD_CLAIM_EXPECT, "i", "z", "false", 0, 0, 0},
    {BUILD_CLAIM_REGION, NULL, NULL, NULL, 0x448, 0x44A, ETL_REGION_SLACK},
    {BUILD_CLAIM_REGION, NULL, NULL, NULL, 0x448, 0x448, ETL_REGION_PADDING},
    {BUILD_CLAIM_ORDER, "f", NULL, NULL, 0, 0, 0},
    {BUILD_CLAIM_ORDER, "e", NULL, NULL, 0, 0, 0},
};

static void look_at_claims(const build_vector *v, size_t number)
{
    const size_t count = sizeof claims / sizeof claims[0];
    (void)number;
    CHECK_UINT(count, v->claim_count);
    for (size_t i = 0; i < count && i < v->claim_count; i++) {
        CHECK_UINT(claims[i].kind, v->claims[i].kind);
        CHECK_TEXT(claims[i].node, v->claims[i].node);
        CHECK_TEXT(claims[i].field, v->claims[i].field);
        CHECK_TEXT(claims[i].value, v->claims[i].value);
        CHECK_UINT(claims[i].from, v->claims[i].from.offset);
        CHECK_UINT(claims[i].to, v->claims[i].to.offset);
        CHECK_UINT(claims[i].region, v->claims[i].region);
    }
}

static void look_at_rules(const build_vector *v, size_t number)
{
    const etl_rule rule = number == 0 ? ETL_RULE_SIZ_002 : ETL_RULE_SIZ_001;
    CHECK_UINT(rule, v->rule);
    CHECK_UINT(rule, v->findings[0].rule);
    CHECK_UINT(ETL_RULE_SIZ_001, v->findings[1].rule);
}

static void test_claims(void)
{
    GOOD(ACCEPTED("finding SIZ-002 at e in e expected \"x\" actual \"y\" loses size(e) does skip-buffer\n"
                  "finding SIZ-001 at f finding SIZ-001 at f actual \"z\" loses 0\n"
                  "finding SIZ-001 at f without values loses 1"),
         1, look_at_findings);
    GOOD("recipe \"r\" source \"s\"\n" TRACE "repeat over n in 2, 1 { repeat over rule in \"SIZ-00{n}\" { vector v-{n} {\n"
         "rule \"{rule}\" title \"t\" accept finding \"{rule}\" at e finding \"SIZ-001\" at e } } }",
         2, look_at_rules);
    GOOD(ACCEPTED("lost e f lost e c as buffer-header lost e from i opaque e must e f should g "
                  "expect e.id = 12 expect e.bias = -60 expect e.a.b.c = absent expect trace.x = \"a\\\"b\\\\\\n\" "
                  "expect end.y = hex(\"01ff\") expect header.z = true expect i.z = false "
                  "region e .. e + 2 slack region e .. e padding events f e level should"),
         1, look_at_claims);
}

int main(void)
{
    test_loops();
    test_traces();
    test_copies();
    test_vectors();
    test_claims();
    return test_result();
}
