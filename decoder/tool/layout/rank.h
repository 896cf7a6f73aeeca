/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which structure bytes are: all layouts that can be told apart, each with how plausible it is.
 */
#ifndef ETLPROOF_LAYOUT_RANK_H
#define ETLPROOF_LAYOUT_RANK_H

#include "etlproof/memory.h"

#include "json.h"
#include "layout/layout.h"

/* Points at which bytes are taken for a structure, unless the command line says otherwise. */
#define ETL_RANK_THRESHOLD (28 * ETL_GUESS_BIT)

/* Versions that have a structure just so, and how plausible they are. */
typedef struct etl_contender {
    etl_guess_plan plan; /* of the first version */
    etl_windows until;   /* the last version */
    int32_t prior;       /* points it has before its members say anything */
    int32_t score;       /* points */
    uint64_t offset;     /* of the structure in the file, at its best */
    uint32_t rank;       /* from 1 on; one for all that read the bytes alike */
} etl_contender;

/* As many contenders as there can be. */
#define ETL_RANKING_MAX ((size_t)ETL_MEMORY_STRUCTURE_COUNT * ETL_WINDOWS_COUNT * ETL_ARCH_COUNT)

typedef struct etl_ranking {
    etl_contender *at;
    size_t count;
    size_t most; /* bytes of the largest structure */
} etl_ranking;

/* All contenders that the request allows. False if there is no memory for them; standard error says so. */
bool etl_ranking_open(etl_ranking *ranking, const etl_layout_request *request);
void etl_ranking_close(etl_ranking *ranking);

/* Scores all contenders at the start of the span, which lies at `offset` of the file; keeps for each the best place. */
void etl_ranking_score(etl_ranking *ranking, etl_span bytes, uint64_t offset);
/* Best first, and behind each those that read the bytes alike; of contenders with one score the newest. The span has the
   bytes from `offset` of the file on that contenders were scored on. */
void etl_ranking_sort(etl_ranking *ranking, etl_span bytes, uint64_t offset);

/* Versions, a bit each: those of the contender, and of all that read the bytes that start with the span as it does. */
uint32_t etl_ranking_alike(const etl_ranking *ranking, const etl_contender *contender, etl_span bytes);

/* "6.3, 1607 to 1903": versions, a bit each */
void etl_versions_text(etl_out *out, uint32_t versions);
/* Those of a contender */
uint32_t etl_contender_versions(const etl_contender *contender);
/* "windows" and "until", the first and the last version */
void etl_contender_json(etl_json *json, const etl_contender *contender);
/* Points as bits: "-12.5" */
void etl_points_text(etl_out *out, int32_t points);
/* Whole bits, rounded down */
int32_t etl_points_bits(int32_t points);

#endif
