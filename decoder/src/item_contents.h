/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the contents of extended data items.
 */
#ifndef ETLPROOF_ITEM_CONTENTS_H
#define ETLPROOF_ITEM_CONTENTS_H

#include "etlproof/event.h"
#include "etlproof/item.h"

/* Adds at most one finding: PAY-001, PAY-004 or PAY-005. The caller has set `item->offset`. */
void etl_item_contents_check(const etl_event *event, const etl_item *item, etl_findings *findings);

#endif
