/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes buffer headers: of rebuilt buffers, and of buffers that the damaged file did not have. Called by recovery.c.
 */
#ifndef ETLPROOF_REBUILD_H
#define ETLPROOF_REBUILD_H

#include "etlproof/recover.h"

/*
 * The header of a buffer of `size` bytes with events up to `extent`: that of `buffer`, with the members changed that must
 * change.
 */
etl_span etl_rebuild_header(etl_recovery *recovery, const etl_buffer *buffer, uint32_t extent, uint32_t size);

/* Writes that header, and notes which members differ from `buffer`. */
void etl_rebuild_write(etl_recovery *recovery, const etl_buffer *buffer, etl_span header);

/* Writes a buffer without events, by which readers find the end of the buffer before it. */
void etl_rebuild_empty(etl_recovery *recovery);

/* Writes a header buffer, for a file without one. Its clock type is RAW: time stamps stay raw. */
void etl_rebuild_logfile(etl_recovery *recovery);

#endif
