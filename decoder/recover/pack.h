/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing events into a rebuilt buffer, so that a decode of it gives them again.
 */
#ifndef ETLPROOF_PACK_H
#define ETLPROOF_PACK_H

#include "etlproof/recover.h"

/* An empty buffer that should not grow beyond `limit` bytes. */
etl_pack etl_pack_open(uint32_t limit);

/* Puts an event of `bytes` at the pack's place, unless it has to go into a buffer of its own: false. */
bool etl_pack_put(etl_pack *pack, etl_span bytes, bool opaque);

/*
 * The rule that the event breaks by itself, wherever it stands; ETL_RULE_COUNT if it breaks none. An event that was read
 * before the logfile header was found breaks no more by the light of that.
 */
etl_rule etl_pack_event_fault(const etl_event *event, etl_findings *scratch);

/* The first finding that keeps what it is about from being part of a conforming file; ETL_RULE_COUNT if there is none. */
etl_rule etl_pack_fault(const etl_findings *findings);

#endif
