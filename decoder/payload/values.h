/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes values off a payload, and ends its walk where that fails.
 */
#ifndef ETLPROOF_PAYLOAD_VALUES_H
#define ETLPROOF_PAYLOAD_VALUES_H

#include "etlproof/payload.h"
#include "report.h"
#include "span.h"

/* Bytes of the count in front of a value or an array. */
enum { COUNT_SIZE = 2 };

/*@ predicate walk{L}(etl_payload *p, etl_event *event, etl_findings *findings) =
  @   etl_payload_open(p) && \valid_read(event) && etl_readable(event->bytes) && etl_list(findings) &&
  @   \separated(p, event, findings);
  @
  @ predicate taken{L}(etl_payload *p) = p->whole ==> p->size <= p->end - p->at && etl_readable(p->value); */

/* Ends the walk with a finding about the payload or its metadata. Bytes are not lost: they have no field. */
/*@ requires walk(p, event, findings);
  @ assigns p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings) && findings->count >= 1 && !p->whole; */
void etl_walk_fail(etl_payload *p, const etl_event *event, etl_findings *findings, etl_rule rule, uint32_t at);

/* Says what the last finding expected and found. */
/*@ requires etl_list(findings) && findings->count >= 1;
  @ assigns *findings;
  @ ensures etl_list(findings); */
void etl_walk_expect(etl_findings *findings, etl_relation relation, uint64_t expected, uint64_t actual);

/* True if `size` bytes are left; PAY-007 otherwise. */
/*@ requires walk(p, event, findings);
  @ assigns p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures \result ? size <= p->end - p->at && p->whole == \old(p->whole) : !p->whole; */
bool etl_walk_fits(etl_payload *p, const etl_event *event, uint32_t size, etl_findings *findings);

/* Sets the value at p->at, as p->field describes it, and its size, or ends the walk. */
/*@ requires walk(p, event, findings);
  @ assigns p->at, p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->at == \old(p->at);
  @ ensures taken(p); */
void etl_walk_take_value(etl_payload *p, const etl_event *event, etl_findings *findings);

#endif
