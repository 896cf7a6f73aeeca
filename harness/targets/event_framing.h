/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event by itself under every oracle that there is for it.
 */
#ifndef ETLPROOF_FRAMING_H
#define ETLPROOF_FRAMING_H

#include "context_input.h"
#include "entry_points.h"

/*
 * Frames and reads the event at `at` of `data`, which is its extent too and lies at offset 0 of a file. False if there is
 * no event. A broken promise ends the process.
 */
bool target_frame_one(oracle_watch *oracle, oracle_framing *framing, etl_span data, uint32_t at, etl_context context);

/*
 * The same for each of the events that follow one another from the start of `part`, whose regions tile it as far as they
 * go; each is framed a second time, elsewhere and with other bytes behind the extent, which has to give the same.
 */
void target_frame_all(const target_context_input *part);

#endif
