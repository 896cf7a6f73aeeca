/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single events under every oracle that applies to them.
 */
#ifndef ETLPROOF_TARGETS_EVENT_FRAMING_H
#define ETLPROOF_TARGETS_EVENT_FRAMING_H

#include "context_input.h"
#include "entry_points.h"

/*
 * Frames and reads the event at `at` of `data`, which is also its extent and lies at offset 0 of a file. False if there is
 * no event. A broken promise ends the process.
 */
bool target_frame_one(oracle_watch *oracle, oracle_framing *framing, etl_span data, uint32_t at, etl_context context);

/*
 * The same for all events from the start of `part`; their regions must tile it. Each event is framed a second time at
 * another place, with other bytes after the extent, which must give the same event.
 */
void target_frame_all(const target_context_input *part);

#endif
