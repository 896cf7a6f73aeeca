/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events -> the buffers that contain them, so that a decode of the new file returns the same events. Called by recovery.c.
 */
#ifndef ETLPROOF_PACK_H
#define ETLPROOF_PACK_H

#include "etlproof/recover.h"

/* An empty pack; its events end at `limit` at most, unless a single event is longer. */
etl_pack etl_pack_open(uint32_t limit);

/* Adds an event of `bytes` to the pack. False, and no change, if the event needs another buffer. */
bool etl_pack_put(etl_pack *pack, etl_span bytes, bool opaque);

/*
 * The rule that the event breaks wherever it stands; ETL_RULE_COUNT if there is none. The result is the same for an event
 * that was read before the logfile header was found.
 */
etl_rule etl_pack_event_fault(const etl_event *event, etl_findings *findings);

/* The rule of the first finding that a conforming file must not have; ETL_RULE_COUNT if there is none. */
etl_rule etl_pack_fault(const etl_findings *findings);

#endif
