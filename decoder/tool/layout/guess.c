/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --guess: which structure of which version bytes are, and why.
 */
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "layout/sweep.h"
#include "out.h"
#include "span.h"

/* Contenders that people are shown besides those of the first rank, and reasons for and against one. */
#define SHOWN 5
#define REASONS 6
/* Up to this many bytes all places are looked at closely, and not only those that the sieve lets pass. */
#define SMALL 0x4000u

typedef struct guessing {
    const etl_layout_request *request;
    etl_ranking ranking;
    etl_out out;
    etl_json json;
    uint8_t *bytes; /* that contenders were scored on */
    size_t size;
    uint64_t offset; /* of them in the file */
} guessing;

static etl_span bytes_of(const guessing *g, const etl_contender *contender)
{
    const etl_span all = {g->bytes, g->size};
    return etl_span_from(all, (size_t)(contender->offset - g->offset));
}

/* Keeps bytes of a window, which does not last. */
static bool keep(guessing *g, etl_span bytes, uint64_t offset)
{
    uint8_t *room = realloc(g->bytes, bytes.size + 1);
    if (room == NULL) {
        etl_complain("out of memory");
        return false;
    }
    if (bytes.size > 0)
        memcpy(room, bytes.at, bytes.size);
    g->bytes = room;
    g->size = bytes.size;
    g->offset = offset;
    return true;
}

static etl_exit read_at_offset(guessing *g)
{
    etl_input input;
    etl_span window = {0};
    bool last;
    etl_exit code = ETL_EXIT_INPUT;
    if (!etl_input_open(&input, g->request->file))
        return code;
    if (etl_input_serve(&input, g->request->offset, g->ranking.most, &window, &last))
        code = window.size == 0 ? ETL_EXIT_NOT_ETL : ETL_EXIT_CONFORMING;
    if (code == ETL_EXIT_NOT_ETL)
        etl_complain("%s: %llu bytes, none of them at offset %llu", input.title, (unsigned long long)input.size,
                     (unsigned long long)g->request->offset);
    else if (code == ETL_EXIT_CONFORMING && !keep(g, etl_span_first(window, g->ranking.most), g->request->offset))
        code = ETL_EXIT_LIMIT;
    etl_input_close(&input);
    if (code == ETL_EXIT_CONFORMING)
        etl_ranking_score(&g->ranking, (etl_span){g->bytes, g->size}, g->offset);
    return code;
}

/* Other layouts may fit best some bytes before or behind. */
static void score_around(guessing *g, uint64_t from, uint64_t to)
{
    const etl_span all = {g->bytes, g->size};
    for (uint64_t at = from; at < to && at < g->offset + g->size; at += ETL_SIEVE_STEP)
        etl_ranking_score(&g->ranking, etl_span_from(all, (size_t)(at - g->offset)), at);
}

/* Keeps the surroundings of the best hit of the whole file. */
static etl_exit find_best(guessing *g, etl_sweep *sweep, etl_sieve_hit *best)
{
    etl_sieve_hit hit;
    while (etl_sweep_next(sweep, ETL_GUESS_BIT, &hit)) {
        if (hit.contender == NULL || (best->contender != NULL && hit.score <= best->score))
            continue;
        *best = hit;
        const uint64_t from = hit.offset < ETL_SWEEP_BEFORE ? 0 : hit.offset - ETL_SWEEP_BEFORE;
        const etl_span around = etl_span_first(etl_sweep_bytes(sweep, from), ETL_SWEEP_BEFORE + sweep->after);
        if (!keep(g, around, from))
            return ETL_EXIT_LIMIT;
    }
    return sweep->failed ? ETL_EXIT_INPUT : ETL_EXIT_CONFORMING;
}

static etl_exit search(guessing *g)
{
    etl_sweep sweep;
    etl_sieve_hit best = {0};
    if (!etl_sweep_open(&sweep, &g->ranking, g->request->file, 0))
        return ETL_EXIT_INPUT;
    etl_exit code = find_best(g, &sweep, &best);
    const bool is_small = code == ETL_EXIT_CONFORMING && sweep.input.size <= SMALL;
    if (is_small && !keep(g, etl_sweep_bytes(&sweep, 0), 0))
        code = ETL_EXIT_LIMIT;
    if (code == ETL_EXIT_CONFORMING && sweep.input.size == 0) {
        etl_complain("%s: empty", sweep.input.title);
        code = ETL_EXIT_NOT_ETL;
    }
    etl_sweep_close(&sweep);
    if (code == ETL_EXIT_CONFORMING && is_small)
        score_around(g, 0, g->size);
    else if (code == ETL_EXIT_CONFORMING && best.contender != NULL)
        score_around(g, g->offset, best.offset + ETL_SWEEP_BEFORE);
    return code;
}

/* Whether the contender is the best of the second rank. */
static bool is_next(const etl_ranking *ranking, size_t index)
{
    return ranking->at[index].rank == 2 && ranking->at[index - 1].rank == 1;
}

/* How far the best is ahead of the next that reads the bytes otherwise. */
static int32_t margin_of(const etl_ranking *ranking)
{
    for (size_t i = 1; i < ranking->count; i++)
        if (is_next(ranking, i))
            return ranking->at[0].score - ranking->at[i].score;
    return ranking->at[0].score;
}

static bool is_plausible(const guessing *g)
{
    return g->ranking.count > 0 && g->ranking.at[0].score >= g->request->threshold;
}

/* The margin in words: what its odds are worth to somebody who has to rely on it. */
static const char *certainty_of(const guessing *g)
{
    const int32_t bits = etl_points_bits(margin_of(&g->ranking));
    if (!is_plausible(g))
        return "implausible";
    return bits < 1 ? "undecided" : bits < 5 ? "doubtful" : bits < 10 ? "likely" : "sure";
}

/* What one clue says for or against a contender, in all members that say it. */
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

/* Strongest first. */
static void sum_up(const guessing *g, const etl_contender *c, reason reasons[ETL_CLUE_COUNT])
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

/* The next member that says it, from test `*at` on; NULL if there is none. */
static const etl_guess_test *next_member(const guessing *g, const etl_contender *c, etl_clue clue, uint32_t *at)
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
static void print_member(etl_out *out, const etl_guess_test *test)
{
    etl_out_text(out, test->member);
    if (test->element > 0)
        etl_out_format(out, "[%u]", test->element - 1u);
    if (is_padding(test))
        etl_out_format(out, " at 0x%x", (unsigned)test->offset);
}

static void print_reason(guessing *g, const etl_contender *c, const reason *r)
{
    const etl_guess_test *test;
    uint32_t at = 0;
    const char *comma = ": ";
    etl_out_text(&g->out, r->points < 0 ? "    against " : "    for     ");
    etl_points_text(&g->out, r->points);
    etl_out_format(&g->out, "  %s", etl_clue_get(r->clue)->text);
    while ((test = next_member(g, c, r->clue, &at)) != NULL) {
        etl_out_text(&g->out, comma);
        print_member(&g->out, test);
        comma = ", ";
    }
    etl_out_char(&g->out, '\n');
}

static void print_reasons(guessing *g, const etl_contender *c, bool against)
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

static void print_contender(guessing *g, const etl_contender *c)
{
    etl_out_format(&g->out, "  0x%llx  %-21s ", (unsigned long long)c->offset,
                   etl_memory_structure_get(c->plan.layout.structure)->name);
    etl_versions_text(&g->out, etl_contender_versions(c));
    etl_out_format(&g->out, " %s  ", etl_arch_text(c->plan.layout.arch));
    etl_points_text(&g->out, c->score);
    etl_out_text(&g->out, " bits");
    if (c != g->ranking.at && c->rank == 1)
        etl_out_text(&g->out, ", reads these bytes as the best does");
    etl_out_char(&g->out, '\n');
}

static bool is_explained(const etl_ranking *ranking, size_t index)
{
    return index == 0 || is_next(ranking, index);
}

static void print_text(guessing *g)
{
    const etl_ranking *ranking = &g->ranking;
    etl_out_text(&g->out, certainty_of(g));
    etl_out_text(&g->out, ": the best is ahead by ");
    etl_points_text(&g->out, margin_of(ranking));
    etl_out_text(&g->out, " bits\n");
    for (size_t i = 0; i < ranking->count && ranking->at[i].rank <= 1 + SHOWN; i++)
        print_contender(g, &ranking->at[i]);
    for (size_t i = 0; i < ranking->count; i++) {
        if (!is_explained(ranking, i))
            continue;
        etl_out_text(&g->out, i == 0 ? "the best:\n" : "the next:\n");
        print_reasons(g, &ranking->at[i], false);
        print_reasons(g, &ranking->at[i], true);
    }
}

static void print_json_reason(guessing *g, const etl_contender *c, const reason *r)
{
    const etl_guess_test *test;
    uint32_t at = 0;
    etl_json_object(&g->json, NULL);
    etl_json_text(&g->json, "clue", etl_clue_get(r->clue)->text);
    etl_json_i32(&g->json, "points", r->points);
    etl_json_array(&g->json, "members");
    while ((test = next_member(g, c, r->clue, &at)) != NULL) {
        etl_json_string(&g->json, NULL);
        print_member(&g->out, test);
        etl_json_string_end(&g->json);
    }
    etl_json_array_end(&g->json);
    etl_json_object_end(&g->json);
}

static void print_json_contender(guessing *g, const etl_contender *c, bool explained)
{
    reason reasons[ETL_CLUE_COUNT];
    etl_json_object(&g->json, NULL);
    etl_json_u64(&g->json, "offset", c->offset);
    etl_contender_json(&g->json, c);
    etl_json_i32(&g->json, "points", c->score);
    etl_json_u32(&g->json, "rank", c->rank);
    if (explained) {
        sum_up(g, c, reasons);
        etl_json_array(&g->json, "evidence");
        for (int i = 0; i < ETL_CLUE_COUNT && reasons[i].points != 0; i++)
            print_json_reason(g, c, &reasons[i]);
        etl_json_array_end(&g->json);
    }
    etl_json_object_end(&g->json);
}

static void print_json(guessing *g)
{
    const etl_ranking *ranking = &g->ranking;
    etl_json_object(&g->json, NULL);
    etl_json_text(&g->json, "rec", "guess");
    etl_json_text(&g->json, "file", g->request->file);
    etl_json_text(&g->json, "certainty", certainty_of(g));
    etl_json_i32(&g->json, "margin", margin_of(ranking));
    etl_json_u32(&g->json, "points_per_bit", ETL_GUESS_BIT);
    etl_json_array(&g->json, "contenders");
    for (size_t i = 0; i < ranking->count; i++)
        print_json_contender(g, &ranking->at[i], is_explained(ranking, i));
    etl_json_array_end(&g->json);
    etl_json_object_end(&g->json);
    etl_json_line(&g->json);
}

static etl_exit print(guessing *g)
{
    if (g->bytes == NULL) {
        etl_complain("%s: nothing that looks like any of these structures", g->request->file);
        return ETL_EXIT_NOT_ETL;
    }
    etl_ranking_sort(&g->ranking, (etl_span){g->bytes, g->size}, g->offset);
    etl_out_open(&g->out);
    etl_json_open(&g->json, &g->out);
    if (g->request->json)
        print_json(g);
    else
        print_text(g);
    const etl_exit closed = etl_out_close(&g->out);
    if (closed != ETL_EXIT_CONFORMING)
        return closed;
    return is_plausible(g) ? ETL_EXIT_CONFORMING : ETL_EXIT_NOT_ETL;
}

etl_exit etl_layout_guess(const etl_layout_request *request)
{
    guessing g = {.request = request};
    if (!etl_ranking_open(&g.ranking, request))
        return ETL_EXIT_LIMIT;
    etl_exit code = request->has_offset ? read_at_offset(&g) : search(&g);
    if (code == ETL_EXIT_CONFORMING)
        code = print(&g);
    free(g.bytes);
    etl_ranking_close(&g.ranking);
    return code;
}
