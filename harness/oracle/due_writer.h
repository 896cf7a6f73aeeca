/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of group WRITER that are due, which `etlproof validate --profile writer` reports beside the library's.
 */
#ifndef ETLPROOF_ORACLE_DUE_WRITER_H
#define ETLPROOF_ORACLE_DUE_WRITER_H

#include "due.h"

#define ORACLE_WRITER_PROCESSORS 2048u /* that a ProcessorIndex of 11 bits can name */

/* What the oracle remembers from buffer to buffer. All zero before the first. */
typedef struct oracle_writer {
    bool known; /* the logfile header was read, which states these */
    bool since_6_0;
    uint32_t mode, buffer_size;
    bool has_last[ORACLE_WRITER_PROCESSORS];
    int64_t last[ORACLE_WRITER_PROCESSORS]; /* SequenceNumber of the last buffer of each processor */
} oracle_writer;

/* `buffer`: of a trace whose logfile header is known. The members of its header are known to equal their bytes. */
void oracle_due_writer_buffer(oracle_due *due, oracle_writer *writer, const etl_buffer *buffer);
void oracle_due_writer_event(oracle_due *due, const etl_event *event);

#endif
