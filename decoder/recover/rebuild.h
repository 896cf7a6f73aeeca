/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of buffers that are written anew.
 */
#ifndef ETLPROOF_REBUILD_H
#define ETLPROOF_REBUILD_H

#include "etlproof/recover.h"

/*
 * The header of a buffer of `size` bytes with events up to `extent`, made of that of `buffer`: only what has to change
 * does.
 */
etl_span etl_rebuild_header(etl_recovery *recovery, const etl_buffer *buffer, uint32_t extent, uint32_t size);

/* Writes it, and notes what is not as it was in `buffer`. */
void etl_rebuild_write(etl_recovery *recovery, const etl_buffer *buffer, etl_span header);

/* A buffer without events, where readers could not tell that the one before it ends. */
void etl_rebuild_empty(etl_recovery *recovery);

/* A header buffer for a file that has none. It claims nothing of the clock: time stamps stay raw. */
void etl_rebuild_logfile(etl_recovery *recovery);

#endif
