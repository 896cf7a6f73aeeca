/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a structure as fields of a decode record, by the rows of record_fields.def.
 */
#ifndef ETLPROOF_RECORD_FIELDS_H
#define ETLPROOF_RECORD_FIELDS_H

#include "expect/session.h"
#include "json/json_object.h"

/* The groups of rows, each for one kind of record or nested object. */
typedef enum build_record_rows {
    BUILD_ROWS_EVENT,
    BUILD_ROWS_BUFFER,
    BUILD_ROWS_TRACE,
    BUILD_ROWS_LOGFILE,
    BUILD_ROWS_TIME_ZONE,
    BUILD_ROWS_SYSTEMTIME
} build_record_rows;

/* Adds a field for each row of the group whose member the structure has. */
void build_record_fields(build_json_object *object, const build_structure *structure, const build_session *session,
                         build_record_rows group);
/* A time stamp: the ticks, and UTC as `utc` where the clock states it. */
void build_record_time(build_json_object *object, const char *key, uint64_t ticks, const build_session *session);

#endif
