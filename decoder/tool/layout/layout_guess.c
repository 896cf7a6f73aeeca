/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --guess: ranks the structures and versions that bytes may be (ranking.h), and prints the reasons.
 */
#include "layout/layout_request.h"

#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "layout/sweep.h"
#include "span.h"

/* Ranks printed as text besides the first, and reasons printed for and against a contender. */
#define SHOWN 5
#define REASONS 6
/* In files up to this size every place is scored, not only those that pass the sieve. */
#define SMALL 0x4000u

typedef struct guess_job {
    const tool_layout_request *request;
    tool_ranking ranking;
    tool_output out;
    tool_json json;
    uint8_t *bytes; /* the bytes that contenders were scored on */
    size_t size;
    uint64_t offset; /* file offset of the bytes */
} guess_job;

static etl_span bytes_of(const guess_job *g, const tool_contender *contender)
{
    const etl_span all = {g->bytes, g->size};
    return etl_span_from(all, (size_t)(contender->offset - g->offset));
}

/* Copies bytes of a window, because the window is replaced. */
static bool keep(guess_job *g, etl_span bytes, uint64_t offset)
{
    uint8_t *room = realloc(g->bytes, bytes.size + 1);
    if (room == NULL) {
        tool_print_error("out of memory");
        return false;
    }
    if (bytes.size > 0)
        memcpy(room, bytes.at, bytes.size);
    g->bytes = room;
    g->size = bytes.size;
    g->offset = offset;
    return true;
}

static tool_exit read_at_offset(guess_job *g)
{
    tool_input input;
    etl_span window = {0};
    bool last;
    tool_exit code = TOOL_EXIT_INPUT;
    if (!tool_input_open(&input, g->request->file))
        return code;
    if (tool_input_serve(&input, g->request->offset, g->ranking.most, &window, &last))
        code = window.size == 0 ? TOOL_EXIT_NOT_ETL : TOOL_EXIT_CONFORMING;
    if (code == TOOL_EXIT_NOT_ETL)
        tool_print_error("%s: offset %llu is past the end of the file, which has %llu bytes", input.title,
                         (unsigned long long)g->request->offset, (unsigned long long)input.size);
    else if (code == TOOL_EXIT_CONFORMING && !keep(g, etl_span_first(window, g->ranking.most), g->request->offset))
        code = TOOL_EXIT_LIMIT;
    tool_input_close(&input);
    if (code == TOOL_EXIT_CONFORMING)
        tool_ranking_score(&g->ranking, (etl_span){g->bytes, g->size}, g->offset);
    return code;
}

/* Another layout may fit best some bytes before or behind. */
static void score_around(guess_job *g, uint64_t from, uint64_t to)
{
    const etl_span all = {g->bytes, g->size};
    for (uint64_t at = from; at < to && at < g->offset + g->size; at += TOOL_SIEVE_STEP)
        tool_ranking_score(&g->ranking, etl_span_from(all, (size_t)(at - g->offset)), at);
}

/* Copies the surroundings of the best hit in the file. */
static tool_exit find_best(guess_job *g, tool_sweep *sweep, tool_sieve_hit *best)
{
    tool_sieve_hit hit;
    while (tool_sweep_next(sweep, ETL_GUESS_BIT, &hit)) {
        if (hit.contender == NULL || (best->contender != NULL && hit.score <= best->score))
            continue;
        *best = hit;
        const uint64_t from = hit.offset < TOOL_SWEEP_BEFORE ? 0 : hit.offset - TOOL_SWEEP_BEFORE;
        const etl_span around = etl_span_first(tool_sweep_bytes(sweep, from), TOOL_SWEEP_BEFORE + sweep->after);
        if (!keep(g, around, from))
            return TOOL_EXIT_LIMIT;
    }
    return sweep->failed ? TOOL_EXIT_INPUT : TOOL_EXIT_CONFORMING;
}

static tool_exit search(guess_job *g)
{
    tool_sweep sweep;
    tool_sieve_hit best = {0};
    if (!tool_sweep_open(&sweep, &g->ranking, g->request->file, 0))
        return TOOL_EXIT_INPUT;
    tool_exit code = find_best(g, &sweep, &best);
    const bool is_small = code == TOOL_EXIT_CONFORMING && sweep.input.size <= SMALL;
    if (is_small && !keep(g, tool_sweep_bytes(&sweep, 0), 0))
        code = TOOL_EXIT_LIMIT;
    if (code == TOOL_EXIT_CONFORMING && sweep.input.size == 0) {
        tool_print_error("%s: the file is empty", sweep.input.title);
        code = TOOL_EXIT_NOT_ETL;
    }
    tool_sweep_close(&sweep);
    if (code == TOOL_EXIT_CONFORMING && is_small)
        score_around(g, 0, g->size);
    else if (code == TOOL_EXIT_CONFORMING && best.contender != NULL)
        score_around(g, g->offset, best.offset + TOOL_SWEEP_BEFORE);
    return code;
}

/* True for the best contender of the second rank. */
static bool is_next(const tool_ranking *ranking, size_t index)
{
    return ranking->at[index].rank == 2 && ranking->at[index - 1].rank == 1;
}

/* Points of the best contender above the next one that reads the bytes differently. */
static int32_t margin_of(const tool_ranking *ranking)
{
    for (size_t i = 1; i < ranking->count; i++)
        if (is_next(ranking, i))
            return ranking->at[0].score - ranking->at[i].score;
    return ranking->at[0].score;
}

static bool is_plausible(const guess_job *g)
{
    return g->ranking.count > 0 && g->ranking.at[0].score >= g->request->threshold;
}

/* The margin in words. */
static const char *certainty_of(const guess_job *g)
{
    const int32_t bits = tool_points_bits(margin_of(&g->ranking));
    if (!is_plausible(g))
        return "implausible";
    return bits < 1 ? "undecided" : bits < 5 ? "doubtful" : bits < 10 ? "likely" : "sure";
}

/* A clue for or against a contender, summed over the members that give it. */
typedef struct reason {
    etl_clue clue;
    uint32_t count;
    int32_t points;
} reason;

static int compare_reasons(const void *a, const void *b)
{
    const reason *left = a, *right = b;
    const int32_t x = abs(left->points), y = abs(right->points);
    return x != y ? (x > y ? -1 : 1) : (int)left->clue - (int)right->clue;
}

/* Sums up the reasons, strongest first. */
static void sum_up(const guess_job *g, const tool_contender *c, reason reasons[ETL_CLUE_COUNT])
{
    for (etl_clue clue = 0; clue < ETL_CLUE_COUNT; clue++)
        reasons[clue] = (reason){.clue = clue};
    for (uint32_t i = 0; i < c->plan.count; i++) {
        reason *r = &reasons[etl_guess_clue(&c->plan, i, bytes_of(g, c))];
        r->count++;
        r->points += etl_clue_get(r->clue)->points[c->plan.layout.arch];
    }
    qsort(reasons, ETL_CLUE_COUNT, sizeof reasons[0], compare_reasons);
}

/* The next member that gives the clue, from test `*at` on; NULL after the last. */
static const etl_guess_test *next_member(const guess_job *g, const tool_contender *c, etl_clue clue, uint32_t *at)
{
    for (; *at < c->plan.count; (*at)++)
        if (etl_guess_clue(&c->plan, *at, bytes_of(g, c)) == clue)
            return &c->plan.tests[(*at)++];
    return NULL;
}

static bool is_padding(const etl_guess_test *test)
{
    return strcmp(test->member, ETL_GUESS_PADDING) == 0;
}

/* "EnableInfo[2]", "padding at 0x24" */
static void print_member(tool_output *out, const etl_guess_test *test)
{
    tool_put_text(out, test->member);
    if (test->element > 0)
        tool_put_format(out, "[%u]", test->element - 1u);
    if (is_padding(test))
        tool_put_format(out, " at 0x%x", (unsigned)test->offset);
}

static void print_reason(guess_job *g, const tool_contender *c, const reason *r)
{
    const etl_guess_test *test;
    uint32_t at = 0;
    const char *comma = ": ";
    tool_put_text(&g->out, r->points < 0 ? "    against " : "    for     ");
    tool_points_text(&g->out, r->points);
    tool_put_format(&g->out, "  %s", etl_clue_get(r->clue)->text);
    while ((test = next_member(g, c, r->clue, &at)) != NULL) {
        tool_put_text(&g->out, comma);
        print_member(&g->out, test);
        comma = ", ";
    }
    tool_put_char(&g->out, '\n');
}

static void print_reasons(guess_job *g, const tool_contender *c, bool against)
{
    reason reasons[ETL_CLUE_COUNT];
    int shown = 0;
    sum_up(g, c, reasons);
    for (int i = 0; i < ETL_CLUE_COUNT && shown < REASONS; i++)
        if (reasons[i].points != 0 && (reasons[i].points < 0) == against) {
            print_reason(g, c, &reasons[i]);
            shown++;
        }
}

static void print_contender(guess_job *g, const tool_contender *c)
{
    tool_put_format(&g->out, "  0x%llx  %-21s ", (unsigned long long)c->offset,
                    etl_memory_structure_get(c->plan.layout.structure)->name);
    tool_versions_text(&g->out, tool_contender_versions(c));
    tool_put_format(&g->out, " %s  ", etl_arch_text(c->plan.layout.arch));
    tool_points_text(&g->out, c->score);
    tool_put_text(&g->out, " bits");
    if (c != g->ranking.at && c->rank == 1)
        tool_put_text(&g->out, ", reads these bytes like the best");
    tool_put_char(&g->out, '\n');
}

static bool is_explained(const tool_ranking *ranking, size_t index)
{
    return index == 0 || is_next(ranking, index);
}

static void print_text(guess_job *g)
{
    const tool_ranking *ranking = &g->ranking;
    tool_put_text(&g->out, certainty_of(g));
    tool_put_text(&g->out, ": the best layout leads by ");
    tool_points_text(&g->out, margin_of(ranking));
    tool_put_text(&g->out, " bits\n");
    for (size_t i = 0; i < ranking->count && ranking->at[i].rank <= 1 + SHOWN; i++)
        print_contender(g, &ranking->at[i]);
    for (size_t i = 0; i < ranking->count; i++) {
        if (!is_explained(ranking, i))
            continue;
        tool_put_text(&g->out, i == 0 ? "the best layout:\n" : "the next best layout:\n");
        print_reasons(g, &ranking->at[i], false);
        print_reasons(g, &ranking->at[i], true);
    }
}

static void print_json_reason(guess_job *g, const tool_contender *c, const reason *r)
{
    const etl_guess_test *test;
    uint32_t at = 0;
    tool_json_object(&g->json, NULL);
    tool_json_text(&g->json, "clue", etl_clue_get(r->clue)->text);
    tool_json_i32(&g->json, "points", r->points);
    tool_json_array(&g->json, "members");
    while ((test = next_member(g, c, r->clue, &at)) != NULL) {
        tool_json_string(&g->json, NULL);
        print_member(&g->out, test);
        tool_json_string_end(&g->json);
    }
    tool_json_array_end(&g->json);
    tool_json_object_end(&g->json);
}

static void print_json_contender(guess_job *g, const tool_contender *c, bool explained)
{
    reason reasons[ETL_CLUE_COUNT];
    tool_json_object(&g->json, NULL);
    tool_json_u64(&g->json, "offset", c->offset);
    tool_contender_json(&g->json, c);
    tool_json_i32(&g->json, "points", c->score);
    tool_json_u32(&g->json, "rank", c->rank);
    if (explained) {
        sum_up(g, c, reasons);
        tool_json_array(&g->json, "evidence");
        for (int i = 0; i < ETL_CLUE_COUNT && reasons[i].points != 0; i++)
            print_json_reason(g, c, &reasons[i]);
        tool_json_array_end(&g->json);
    }
    tool_json_object_end(&g->json);
}

static void print_json(guess_job *g)
{
    const tool_ranking *ranking = &g->ranking;
    tool_json_object(&g->json, NULL);
    tool_json_text(&g->json, "rec", "guess");
    tool_json_text(&g->json, "file", g->request->file);
    tool_json_text(&g->json, "certainty", certainty_of(g));
    tool_json_i32(&g->json, "margin", margin_of(ranking));
    tool_json_u32(&g->json, "points_per_bit", ETL_GUESS_BIT);
    tool_json_array(&g->json, "contenders");
    for (size_t i = 0; i < ranking->count; i++)
        print_json_contender(g, &ranking->at[i], is_explained(ranking, i));
    tool_json_array_end(&g->json);
    tool_json_object_end(&g->json);
    tool_json_line(&g->json);
}

static tool_exit print(guess_job *g)
{
    if (g->bytes == NULL) {
        tool_print_error("%s: no plausible structure found", g->request->file);
        return TOOL_EXIT_NOT_ETL;
    }
    tool_ranking_sort(&g->ranking, (etl_span){g->bytes, g->size}, g->offset);
    tool_output_open(&g->out);
    tool_json_open(&g->json, &g->out);
    if (g->request->json)
        print_json(g);
    else
        print_text(g);
    const tool_exit closed = tool_output_close(&g->out);
    if (closed != TOOL_EXIT_CONFORMING)
        return closed;
    return is_plausible(g) ? TOOL_EXIT_CONFORMING : TOOL_EXIT_NOT_ETL;
}

tool_exit tool_layout_guess(const tool_layout_request *request)
{
    guess_job g = {.request = request};
    if (!tool_ranking_open(&g.ranking, request))
        return TOOL_EXIT_LIMIT;
    tool_exit code = request->has_offset ? read_at_offset(&g) : search(&g);
    if (code == TOOL_EXIT_CONFORMING)
        code = print(&g);
    free(g.bytes);
    tool_ranking_close(&g.ranking);
    return code;
}
