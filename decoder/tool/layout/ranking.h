/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which structure bytes are: all layouts that can be told apart, each with how plausible it is.
 */
#ifndef ETLPROOF_LAYOUT_RANKING_H
#define ETLPROOF_LAYOUT_RANKING_H

#include "etlproof/memory.h"

#include "layout/layout_request.h"
#include "records/json_writer.h"

/* Points at which bytes are taken for a structure, unless the command line says otherwise. */
#define TOOL_RANK_THRESHOLD (28 * ETL_GUESS_BIT)

/* Versions that have a structure just so, and how plausible they are. */
typedef struct tool_contender {
    etl_guess_plan plan; /* of the first version */
    etl_windows until;   /* the last version */
    int32_t prior;       /* points it has before its members say anything */
    int32_t score;       /* points */
    uint64_t offset;     /* of the structure in the file, at its best */
    uint32_t rank;       /* from 1 on; one for all that read the bytes alike */
} tool_contender;

/* As many contenders as there can be. */
#define TOOL_RANKING_MAX ((size_t)ETL_MEMORY_STRUCTURE_COUNT * ETL_WINDOWS_COUNT * ETL_ARCH_COUNT)

typedef struct tool_ranking {
    tool_contender *at;
    size_t count;
    size_t most; /* bytes of the largest structure */
} tool_ranking;

/* All contenders that the request allows. False if there is no memory for them; standard error says so. */
bool tool_ranking_open(tool_ranking *ranking, const tool_layout_request *request);
void tool_ranking_close(tool_ranking *ranking);

/* Scores all contenders at the start of the span, which lies at `offset` of the file; keeps for each the best place. */
void tool_ranking_score(tool_ranking *ranking, etl_span bytes, uint64_t offset);
/* Best first, and behind each those that read the bytes alike; of contenders with one score the newest. The span has the
   bytes from `offset` of the file on that contenders were scored on. */
void tool_ranking_sort(tool_ranking *ranking, etl_span bytes, uint64_t offset);

/* Versions, a bit each: those of the contender, and of all that read the bytes that start with the span as it does. */
uint32_t tool_ranking_alike(const tool_ranking *ranking, const tool_contender *contender, etl_span bytes);

/* "6.3, 1607 to 1903": versions, a bit each */
void tool_versions_text(tool_output *out, uint32_t versions);
/* Those of a contender */
uint32_t tool_contender_versions(const tool_contender *contender);
/* "windows" and "until", the first and the last version */
void tool_contender_json(tool_json *json, const tool_contender *contender);
/* Points as bits: "-12.5" */
void tool_points_text(tool_output *out, int32_t points);
/* Whole bits, rounded down */
int32_t tool_points_bits(int32_t points);

#endif
