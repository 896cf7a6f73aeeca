/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of members: each member of each structure has a role, and edits reach the values of the role: the limits of sizes
 * and offsets, and every type, marker and flag of the tables.
 */
#include "edit.h"

#include <stdlib.h>

#include "image/image.h"
#include "member_roles.h"
#include "test.h"

enum { MESSAGE_SIZE = 0x20, EDITS = 60000, VALUES_MOST = 2048 };

/* The values that one member of one piece has taken. */
typedef struct watch {
    mutator_piece_kind kind;
    size_t index;
    uint32_t offset, size;
    size_t count;
    uint64_t values[VALUES_MOST];
} watch;

static bool has(const watch *w, uint64_t value)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->values[i] == value)
            return true;
    return false;
}

static void take(watch *w, const mutator_draft *draft)
{
    const uint64_t value = mutator_piece_member(mutator_draft_get(draft, w->kind, w->index), w->offset, w->size);
    if (w->count < VALUES_MOST && !has(w, value))
        w->values[w->count++] = value;
}

/* A header buffer, and a buffer with an event of 0x50 + 0x18 + 0x10 bytes with an item, a message of MESSAGE_SIZE,
   slack. */
static build_chunk make_file(void)
{
    build_model *model = build_model_new(8);
    const size_t b = build_model_add_buffer(model, "b");
    build_model_event *event = build_model_add_event(model, b, "event", ETL_HEADER_TYPE_EVENT_HEADER64);
    build_chunk_fill(&event->data, 'd', 16);
    build_model_item *item = build_model_add_item(event, "item", ETL_ITEM_TYPE_RELATED_ACTIVITYID);
    build_chunk_fill(&item->data, 'i', 16);
    build_model_event *message = build_model_add_event(model, b, "message", ETL_HEADER_TYPE_MESSAGE);
    build_structure_set(&message->header, "OptionFlags", 0);
    build_chunk_fill(&message->data, 'm', MESSAGE_SIZE - ETL_SIZE(MESSAGE_TRACE_HEADER));
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    build_model_free(model);
    return image;
}

static void edit_often(const build_chunk *file, watch *watches, size_t count)
{
    static mutator_edit_log log;
    mutator_draft *draft = mutator_draft_new();
    size_t done = 0;
    for (uint64_t seed = 0; seed < EDITS; seed++) {
        log.size = 0;
        mutator_draft_read(draft, INPUT_FILE, file->at, file->size);
        mutator_edit edit = {.draft = draft, .random = mutator_random_seed(seed), .most = 2 * file->size, .log = &log};
        if (!mutator_edit_member(&edit))
            continue;
        done++;
        CHECK_UINT(file->size, mutator_piece_extent(draft->root));
        for (size_t i = 0; i < count; i++)
            take(&watches[i], draft);
    }
    CHECK(done > EDITS / 2);
    mutator_draft_free(draft);
}

static void check_values(const char *what, const watch *w, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!has(w, values[i]))
            printf("%s never became 0x%" PRIx64 "\n", what, values[i]);
        CHECK(has(w, values[i]));
    }
}

#define COUNT(values) (sizeof values / sizeof values[0])

static void check_sizes(const watch *size, const watch *offset, const watch *total, size_t buffer_size)
{
    const uint64_t least = ETL_SIZE(EVENT_HEADER), event = least + 0x18 + 0x10, message = MESSAGE_SIZE;
    const uint64_t left = event + message, header = ETL_BUFFER_SIZE_MIN, end = header + left, whole = buffer_size - header;
    const uint64_t sizes[] = {0, 1, least - 1, least, least + 1, event - 1, event + 1, event | 1, event + 8, left, left + 1,
                              left - 1, left + 8, whole, whole + 1, 0xFFFF, UINT16_C(0x8000), 0x7FFF};
    const uint64_t offsets[] = {0, 1, header - 1, header, header + 1, header + event, header + event + 1, end - 1, end + 1,
                                end + 8, buffer_size, buffer_size + 1, UINT32_MAX, UINT32_C(0x80000000)};
    const uint64_t item = ETL_SIZE(EXTENDED_DATA_ITEM);
    const uint64_t totals[] = {0, item - 1, item, item + 1, 0x17, 0x19, 0x20, 0xFFFF};
    check_values("Size", size, sizes, COUNT(sizes));
    check_values("Offset", offset, offsets, COUNT(offsets));
    check_values("TotalSize", total, totals, COUNT(totals));
}

static void check_tables(const watch *type, const watch *marker, const watch *item, const watch *clock,
                         const watch *buffer_type)
{
    static const uint64_t types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) (value),
#include "format/header_types.def"
    };
    static const uint64_t markers[] = {
#define ETL_MARKER(value, name, meaning, source) (value),
#include "format/marker_flags.def"
    };
    static const uint64_t items[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) (value),
#include "format/item_types.def"
    };
    static const uint64_t clocks[] = {
#define ETL_CLOCK_TYPE(value, name, meaning, source) (value),
#include "format/clock_types.def"
    };
    static const uint64_t buffers[] = {
#define ETL_BUFFER_TYPE(value, name, meaning, source) (value),
#include "format/buffer_types.def"
    };
    check_values("HeaderType", type, types, COUNT(types));
    check_values("MarkerFlags", marker, markers, COUNT(markers));
    check_values("ExtType", item, items, COUNT(items));
    check_values("ReservedFlags", clock, clocks, COUNT(clocks));
    check_values("BufferType", buffer_type, buffers, COUNT(buffers));
}

/* Each bit of the table was set, alone or among others. */
static void check_flags(const char *what, const watch *w, const uint32_t *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool set = false, clear = false;
        for (size_t n = 0; n < w->count; n++) {
            set = set || (w->values[n] & flags[i]) == flags[i];
            clear = clear || (w->values[n] & flags[i]) == 0;
        }
        if (!set || !clear)
            printf("%s: bit 0x%" PRIx32 " never %s\n", what, flags[i], set ? "clear" : "set");
        CHECK(set && clear);
    }
}

static void check_flag_words(const watch *buffer, const watch *event, const watch *mode, const watch *options)
{
    static const uint32_t buffer_flags[] = {
#define ETL_BUFFER_FLAG(value, name, meaning, source) (value),
#include "format/buffer_flags.def"
    };
    static const uint32_t event_flags[] = {
#define ETL_EVENT_FLAG(value, name, meaning, source) (value),
#include "format/event_flags.def"
    };
    static const uint32_t modes[] = {
#define ETL_LOGGER_MODE(value, name, source) (uint32_t)(value),
#include "format/logger_modes.def"
    };
    static const uint32_t message_options[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) (value),
#include "format/message_options.def"
    };
    check_flags("BufferFlag", buffer, buffer_flags, COUNT(buffer_flags));
    check_flags("Flags", event, event_flags, COUNT(event_flags));
    check_flags("LogFileMode", mode, modes, COUNT(modes));
    check_flags("OptionFlags", options, message_options, COUNT(message_options));
}

static void check_edits(void)
{
    enum { SIZE, OFFSET, TOTAL, TYPE, MARKER, ITEM, CLOCK, BUFFER_TYPE, BUFFER_FLAG, FLAGS, MODE, OPTIONS, WATCHES };
    /* Event 0 is the logfile header, in buffer 0. */
    static watch w[WATCHES] = {
        [SIZE] = {MUTATOR_PIECE_EVENT, 1, ETL_AT(EVENT_HEADER, Size), 2, 0, {0}},
        [OFFSET] = {MUTATOR_PIECE_BUFFER, 1, ETL_AT(WMI_BUFFER_HEADER_61, Offset), 4, 0, {0}},
        [TOTAL] = {MUTATOR_PIECE_ITEM, 0, ETL_AT(EXTENDED_DATA_ITEM, TotalSize), 2, 0, {0}},
        [TYPE] = {MUTATOR_PIECE_EVENT, 1, ETL_AT(EVENT_HEADER, HeaderType), 1, 0, {0}},
        [MARKER] = {MUTATOR_PIECE_EVENT, 1, ETL_AT(EVENT_HEADER, MarkerFlags), 1, 0, {0}},
        [ITEM] = {MUTATOR_PIECE_ITEM, 0, ETL_AT(EXTENDED_DATA_ITEM, ExtType), 2, 0, {0}},
        [CLOCK] = {MUTATOR_PIECE_RECORD, 0, ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags), 4, 0, {0}},
        [BUFFER_TYPE] = {MUTATOR_PIECE_BUFFER, 1, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), 2, 0, {0}},
        [BUFFER_FLAG] = {MUTATOR_PIECE_BUFFER, 1, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), 2, 0, {0}},
        [FLAGS] = {MUTATOR_PIECE_EVENT, 1, ETL_AT(EVENT_HEADER, Flags), 2, 0, {0}},
        [MODE] = {MUTATOR_PIECE_RECORD, 0, ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 4, 0, {0}},
        [OPTIONS] = {MUTATOR_PIECE_EVENT, 2, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags), 2, 0, {0}},
    };
    build_chunk file = make_file();
    mutator_draft *draft = mutator_draft_new();
    mutator_draft_read(draft, INPUT_FILE, file.at, file.size);
    const size_t buffer_size = mutator_draft_get(draft, MUTATOR_PIECE_BUFFER, 1)->kept_size;
    mutator_draft_free(draft);
    edit_often(&file, w, WATCHES);
    check_sizes(&w[SIZE], &w[OFFSET], &w[TOTAL], buffer_size);
    check_tables(&w[TYPE], &w[MARKER], &w[ITEM], &w[CLOCK], &w[BUFFER_TYPE]);
    check_flag_words(&w[BUFFER_FLAG], &w[FLAGS], &w[MODE], &w[OPTIONS]);
    build_chunk_free(&file);
}

static void check_roles(void)
{
    for (int id = 0; id < ETL_STRUCTURE_COUNT; id++) {
        size_t count;
        const etl_member_info *members = etl_structure_members((etl_structure_id)id, &count);
        for (size_t i = 0; i < count; i++) {
            mutator_table table;
            const mutator_role role = mutator_role_of((etl_structure_id)id, i, &table);
            const etl_member_kind kind = members[i].kind;
            const bool nested = kind == ETL_MEMBER_KIND_TIME_ZONE || kind == ETL_MEMBER_KIND_SYSTEMTIME;
            if (role == MUTATOR_ROLES)
                printf("%s.%s has no role\n", etl_structure_name((etl_structure_id)id), members[i].name);
            CHECK(role != MUTATOR_ROLES);
            CHECK((role == MUTATOR_ROLE_NESTED) == nested);
        }
    }
}

int main(void)
{
    check_roles();
    check_edits();
    return test_result();
}
