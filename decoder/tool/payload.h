/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks inside extended items: rules PAY-*. The reader frames items and leaves what they hold to those who read it.
 */
#ifndef ETLPROOF_PAYLOAD_H
#define ETLPROOF_PAYLOAD_H

#include "etlproof/etlproof.h"

/* Adds at most one finding for each item of the event. */
void etl_payload_check(const etl_event *event, etl_findings *findings);

#endif
