/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_session: the logfile header of a built file, and what its version decides for the rest of the file.
 */
#ifndef ETLPROOF_SESSION_H
#define ETLPROOF_SESSION_H

#include "model/structure_bytes.h"
#include "expect/session_clock.h"

typedef struct build_session {
    bool known;              /* the file has a logfile header, and all of it */
    uint8_t pointer_size;    /* of the file */
    build_structure logfile; /* TRACE_LOGFILE_HEADER32 or 64 */
    build_span names;        /* LoggerName and LogFileName, after it in its event */
    uint32_t windows;        /* enum etl_windows_version */
    bool instance_guid;      /* INSTANCE is EVENT_INSTANCE_GUID_HEADER */
    bool private_logger;     /* ProcessorTime in place of KernelTime and UserTime */
    build_session_clock clock;
    etl_structure_id buffer_header;
} build_session;

/* The session of a file without logfile header: the latest version. */
build_session build_session_none(void);
/* Reads the event at the start of `bytes`. Returns build_session_none() if it is not a logfile header. */
build_session build_session_read(build_span bytes);
/* LoggerName, or with `second` LogFileName, without its NUL. */
build_span build_session_name(const build_session *session, bool second);

#endif
