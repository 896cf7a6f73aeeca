/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of `etlproof validate --profile writer` that no reader needs: the rules of group WRITER. They look at what the
 * reader returns, and change nothing of the decode. records/inventory.h calls them.
 */
#ifndef ETLPROOF_RECORDS_WRITER_CHECK_H
#define ETLPROOF_RECORDS_WRITER_CHECK_H

#include "etlproof/etlproof.h"

#define TOOL_PROCESSORS_MAX 0x800u /* a processor index has 11 bits */

/* What the checks remember from buffer to buffer. All zero before the first. */
typedef struct tool_writer_check {
    bool known; /* the logfile header was checked */
    bool has_sequence[TOOL_PROCESSORS_MAX];
    int64_t sequence[TOOL_PROCESSORS_MAX]; /* SequenceNumber of the last buffer of each processor */
} tool_writer_check;

/* After ETL_BUFFER. Findings: WRT-001 to WRT-012. */
void tool_writer_check_buffer(tool_writer_check *check, const etl_reader *reader, etl_findings *findings);

/* After ETL_EVENT. Findings: WRT-013, WRT-014. */
void tool_writer_check_event(const etl_event *event, etl_findings *findings);

#endif
