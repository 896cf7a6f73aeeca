/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the contents of extended data items.
 */
#ifndef ETLPROOF_ITEM_CONTENTS_H
#define ETLPROOF_ITEM_CONTENTS_H

#include "etlproof/event.h"
#include "etlproof/item.h"
#include "report.h"
#include "span.h"

/* Adds at most one finding: PAY-001, PAY-004 or PAY-005. The caller has set `item->offset`. */
/*@ requires \valid_read(event) && \valid_read(item) && etl_readable(item->data);
  @ requires etl_list(findings) && \separated(findings, event, item) &&
  @          \separated(findings, item->data.at + (0 .. item->data.size - 1));
  @ assigns *findings;
  @ ensures etl_list(findings); */
void etl_item_contents_check(const etl_event *event, const etl_item *item, etl_findings *findings);

#endif
