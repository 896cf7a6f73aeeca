/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the members of a built structure as JSON fields, by table. Called by expected_records.c for headers of events and
 * buffers and for the logfile header.
 */
#include "expect/record_fields.h"

#include <stdio.h>

#include "model/event_layouts.h"

typedef enum form {
    NUMBER,
    QUOTED,
    WORD,
    POINTER,
    GUID,
    TIME,
    FILETIME,
    UTC,
    KERNEL_TIME,
    USER_TIME,
    THREAD,
    PROCESS,
    HOOK,
    VERSION,
    TEXT,
    TIME_ZONE,
    SYSTEMTIME
} form;

typedef struct row {
    const char *member, *key;
    form form;
} row;

#define ROW(member, key, form) {#member, key, form},
static const row event_rows[] = {
#define BUILD_EVENT_FIELD ROW
#include "expect/record_fields.def"
};
static const row buffer_rows[] = {
#define BUILD_BUFFER_FIELD ROW
#include "expect/record_fields.def"
};
static const row trace_rows[] = {
#define BUILD_TRACE_FIELD ROW
#include "expect/record_fields.def"
};
static const row logfile_rows[] = {
#define BUILD_LOGFILE_FIELD ROW
#include "expect/record_fields.def"
};
static const row time_zone_rows[] = {
#define BUILD_TIME_ZONE_FIELD ROW
#include "expect/record_fields.def"
};
static const row systemtime_rows[] = {
#define BUILD_SYSTEMTIME_FIELD ROW
#include "expect/record_fields.def"
};

/* A member of a structure, and its value. */
typedef struct member {
    uint64_t value; /* of a number */
    etl_member_kind kind;
    build_span bytes;
} member;

#define ROWS(rows)                                                                                                         \
    {                                                                                                                      \
        rows, sizeof(rows) / sizeof((rows)[0])                                                                             \
    }

static const struct {
    const row *at;
    size_t count;
} groups[] = {
    [BUILD_ROWS_EVENT] = ROWS(event_rows),         [BUILD_ROWS_BUFFER] = ROWS(buffer_rows),
    [BUILD_ROWS_TRACE] = ROWS(trace_rows),         [BUILD_ROWS_LOGFILE] = ROWS(logfile_rows),
    [BUILD_ROWS_TIME_ZONE] = ROWS(time_zone_rows), [BUILD_ROWS_SYSTEMTIME] = ROWS(systemtime_rows),
};

void build_record_time(build_json_object *object, const char *key, uint64_t ticks, const build_session *session)
{
    uint64_t filetime;
    build_json_object_i64(object, key, (int64_t)ticks);
    if (build_session_filetime(&session->clock, (int64_t)ticks, &filetime))
        build_json_object_utc(object, "utc", filetime);
}

/* A FILETIME as a number, and as UTC if it is positive. */
static void put_filetime(build_json_object *object, const char *key, uint64_t time)
{
    char utc_key[32];
    (void)snprintf(utc_key, sizeof utc_key, "%s_utc", key);
    build_json_object_i64(object, key, (int64_t)time);
    if ((int64_t)time > 0)
        build_json_object_utc(object, utc_key, time);
}

static void put_hook(build_json_object *object, uint64_t hook)
{
    build_json_object_hex(object, "hook", hook, 4);
    build_json_object_number(object, "group", (int64_t)(hook >> 8));
    build_json_object_number(object, "type", (int64_t)(hook & 0xFF));
}

static void put_text(build_json_object *object, const char *key, build_span text)
{
    size_t size = 0;
    while (size + 2 <= text.size && build_span_number(text, size, 2) != 0)
        size += 2;
    build_json_object_utf16(object, key, text.at, size);
}

static void put_nested(build_json_object *object, const row *r, const member *m, const build_session *session)
{
    build_json_object inner;
    if (!build_json_object_nest(object, r->key, &inner))
        return;
    if (r->form == TIME_ZONE) {
        const build_structure zone = build_structure_read(ETL_STRUCTURE_TIME_ZONE_INFORMATION, m->bytes);
        build_record_fields(&inner, &zone, session, BUILD_ROWS_TIME_ZONE);
    } else {
        const build_structure time = build_structure_read(ETL_STRUCTURE_SYSTEMTIME, m->bytes);
        build_record_fields(&inner, &time, session, BUILD_ROWS_SYSTEMTIME);
    }
    build_json_object_close(&inner);
}

static void put_field(build_json_object *object, const row *r, const member *m, const build_session *session)
{
    switch (r->form) {
    case KERNEL_TIME:
    case USER_TIME:
    case THREAD:
    case PROCESS:
    case NUMBER: build_json_object_number(object, r->key, (int64_t)m->value); break;
    case QUOTED:
        if (m->kind == ETL_MEMBER_KIND_I64)
            build_json_object_i64(object, r->key, (int64_t)m->value);
        else
            build_json_object_u64(object, r->key, m->value);
        break;
    case WORD: build_json_object_hex(object, r->key, m->value, 2 * (unsigned)m->bytes.size); break;
    case POINTER: build_json_object_hex(object, r->key, m->value, 1); break;
    case GUID: build_json_object_guid(object, r->key, m->bytes.at); break;
    case TIME: build_record_time(object, r->key, m->value, session); break;
    case FILETIME: put_filetime(object, r->key, m->value); break;
    case UTC:
        if (m->value != 0)
            build_json_object_utc(object, r->key, m->value);
        break;
    case HOOK: put_hook(object, m->value); break;
    case VERSION: build_json_object_number(object, r->key, (int64_t)(m->value & ETL_VERSION_MASK_EVENT_VERSION)); break;
    case TEXT: put_text(object, r->key, m->bytes); break;
    case TIME_ZONE:
    case SYSTEMTIME: put_nested(object, r, m, session); break;
    }
}

static bool is_private(const build_structure *header, const build_event_layout *layout, const build_session *session)
{
    return layout->joins_times &&
           (session->private_logger || (header->id == ETL_STRUCTURE_EVENT_HEADER &&
                                        (build_structure_get(header, "Flags") & ETL_EVENT_FLAG_PRIVATE_SESSION) != 0));
}

static bool has_wide_thread(const build_structure *header, const build_event_layout *layout, const build_session *session)
{
    return layout->joins_ids && session->known && session->windows == ETL_WINDOWS_VERSION_5_0 &&
           build_structure_get(header, "HeaderType") != 0;
}

/*
 * Where one field takes the place of two members (ProcessorTime of KernelTime and UserTime, or a wide ThreadId of ThreadId
 * and ProcessId), it is written for the first member. True if the member needs no field of its own.
 */
static bool put_joined(build_json_object *object, const build_structure *header, const build_session *session, const row *r,
                       uint32_t at)
{
    const bool is_time = r->form == KERNEL_TIME || r->form == USER_TIME;
    const bool is_thread = r->form == THREAD || r->form == PROCESS;
    const build_event_layout *layout = is_time || is_thread ? build_event_layout_of_header(header->id) : NULL;
    const build_span both = {header->bytes + at, sizeof(uint64_t)};
    if (layout == NULL || !(is_time ? is_private(header, layout, session) : has_wide_thread(header, layout, session)))
        return false;
    if (r->form == KERNEL_TIME || r->form == THREAD)
        build_json_object_u64(object, is_time ? "processor_time" : r->key, build_span_number(both, 0, both.size));
    return true;
}

void build_record_fields(build_json_object *object, const build_structure *structure, const build_session *session,
                         build_record_rows group)
{
    for (size_t i = 0; i < groups[group].count; i++) {
        const row *r = &groups[group].at[i];
        uint32_t at;
        member m = {.value = build_structure_get(structure, r->member)};
        if (!build_structure_find(structure, r->member, &at, &m.kind) || put_joined(object, structure, session, r, at))
            continue;
        m.bytes = (build_span){structure->bytes + at, etl_member_kind_size(m.kind)};
        put_field(object, r, &m, session);
    }
}
