/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layouts that bytes may be, ranked by plausibility. Versions with the same layout are one contender.
 */
#ifndef ETLPROOF_LAYOUT_RANKING_H
#define ETLPROOF_LAYOUT_RANKING_H

#include "etlproof/memory.h"

#include "layout/layout_request.h"
#include "records/json_writer.h"

/* Default of --threshold: points from which bytes count as a structure. */
#define TOOL_RANK_THRESHOLD (28 * ETL_GUESS_BIT)

/* A range of versions with the same layout, and its plausibility. */
typedef struct tool_contender {
    etl_guess_plan plan; /* of the first version */
    etl_windows until;   /* the last version */
    int32_t prior;       /* points before any member is scored */
    int32_t score;       /* points */
    uint64_t offset;     /* file offset of its best place */
    uint32_t rank;       /* from 1 on; contenders that read the bytes alike share one */
} tool_contender;

/* Most contenders possible. */
#define TOOL_RANKING_MAX ((size_t)ETL_MEMORY_STRUCTURE_COUNT * ETL_WINDOWS_COUNT * ETL_ARCH_COUNT)

typedef struct tool_ranking {
    tool_contender *at;
    size_t count;
    size_t most; /* bytes of the largest structure */
} tool_ranking;

/* Adds all contenders that the request allows. On lack of memory returns false and prints an error. */
bool tool_ranking_open(tool_ranking *ranking, const tool_layout_request *request);
void tool_ranking_close(tool_ranking *ranking);

/* Scores all contenders at the start of the span, which lies at `offset` of the file. Each keeps its best place. */
void tool_ranking_score(tool_ranking *ranking, etl_span bytes, uint64_t offset);
/* Sorts contenders by score, the newest first among equals, and moves those that read the bytes alike behind the first of
   them. The span has the bytes that were scored; it lies at `offset` of the file. */
void tool_ranking_sort(tool_ranking *ranking, etl_span bytes, uint64_t offset);

/* The versions of all contenders that read the start of the span like this one, one bit each. */
uint32_t tool_ranking_alike(const tool_ranking *ranking, const tool_contender *contender, etl_span bytes);

/* Prints "6.3, 1607 to 1903" for versions, one bit each. */
void tool_versions_text(tool_output *out, uint32_t versions);
/* The versions of a contender, one bit each. */
uint32_t tool_contender_versions(const tool_contender *contender);
/* "structure", "windows", "until" and "arch"; the versions are the first and the last. */
void tool_contender_json(tool_json *json, const tool_contender *contender);
/* Prints points as bits: "-12.5". */
void tool_points_text(tool_output *out, int32_t points);
/* Points as whole bits, rounded down. */
int32_t tool_points_bits(int32_t points);

#endif
