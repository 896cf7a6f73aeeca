/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads that print the records of one file, in the same order as one thread and byte-identical.
 */
#ifndef ETLPROOF_RECORDS_RECORD_THREADS_H
#define ETLPROOF_RECORDS_RECORD_THREADS_H

#include "records/record_step.h"

/*
 * Reads the opened `d->pull` to its end and prints all records but the last, with `d->threads` threads beside the caller's.
 * False if nothing was read, since the input cannot be mapped, or the system has no threads to give: the caller then reads
 * it alone.
 */
bool tool_record_threads_write(tool_record_stream *d);

#endif
