/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_model: what a trace holds before it is written. Buffers in file order, events in buffers, items in events. Every
 * header is kept as the bytes that will be written, so that a recipe can set each member by its name. The layout
 * (image/file_layout.h) fills in the members that the recipe leaves open.
 *
 *     build_model *model = build_model_new(8);
 *     size_t b = build_model_add_buffer(model, "b");
 *     build_model_event *event = build_model_add_event(model, b, "victim", ETL_HEADER_TYPE_EVENT_HEADER64);
 *     build_structure_set(&event->header, "Id", 7);
 *     build_model_lay_out(model);
 *     build_chunk image = build_image_make(model);
 */
#ifndef ETLPROOF_MODEL_H
#define ETLPROOF_MODEL_H

#include "model/chunk.h"
#include "model/structure_bytes.h"

#define BUILD_MODEL_NAME_MAX 64u

/* An extended data item. */
typedef struct build_model_item {
    char name[BUILD_MODEL_NAME_MAX];
    build_structure header; /* EXTENDED_DATA_ITEM */
    build_chunk data;
    build_chunk padding; /* first bytes of the padding to a multiple of 8; zeros follow */
    /* Set by the layout: */
    uint32_t at;   /* in the buffer, buffer header included */
    uint32_t size; /* header, data and padding as stored, whatever TotalSize states */
} build_model_item;

/* The members of a message that OptionFlags announces. */
typedef struct build_message_fields {
    uint32_t sequence, component_id, thread_id, process_id;
    uint8_t guid[16];
    uint64_t time;
    uint64_t filled_time; /* the default that the layout last put into `time`; while they are equal, it is refreshed */
} build_message_fields;

typedef struct build_model_event {
    char name[BUILD_MODEL_NAME_MAX];
    uint8_t type;      /* HeaderType as the recipe names it; ETL_HEADER_TYPE_MESSAGE for a message */
    etl_layout layout; /* INSTANCE becomes INSTANCE_GUID in files of a version that has GUIDs there */
    build_structure header;
    build_message_fields message_fields; /* MESSAGE only */
    bool has_pebs;                       /* has_pebs to pmc: layouts with counters, see event_layouts.def */
    uint64_t pebs;
    uint32_t pmc_count; /* 0 to 7 */
    uint64_t pmc[7];
    build_model_item *items;
    size_t item_count;
    bool is_logfile;         /* the payload is `logfile`, then `names` */
    build_structure logfile; /* TRACE_LOGFILE_HEADER32 or 64 */
    build_chunk names;       /* LoggerName and LogFileName as stored */
    build_chunk data;        /* payload; all bytes if `is_raw` */
    bool is_raw;             /* not an event but bytes between events, of region `raw_kind` */
    etl_region_kind raw_kind;
    build_chunk padding; /* first bytes of the padding to a multiple of 8; zeros follow */
    /* Set by the layout: */
    uint32_t at;          /* in the buffer, buffer header included */
    uint32_t header_size; /* with PEBS index, counters, message fields */
    uint32_t items_size;
    uint32_t data_size;
    uint32_t size;         /* header, items and data */
    uint32_t padding_size; /* 0 to 7 */
} build_model_event;

typedef enum build_model_compression {
    BUILD_MODEL_PLAIN,
    BUILD_MODEL_LITERAL, /* XPRESS without matches */
    BUILD_MODEL_GREEDY,  /* the longest match at each place */
    BUILD_MODEL_LAZY,    /* matches of every form of length and distance */
    BUILD_MODEL_GIVEN    /* the stream is `given`; the recipe states what it inflates to, if anything */
} build_model_compression;

typedef struct build_model_buffer {
    char name[BUILD_MODEL_NAME_MAX];
    bool is_raw; /* not a buffer but the bytes `raw`, of region `raw_kind` */
    etl_region_kind raw_kind;
    build_chunk raw;
    build_structure header; /* WMI_BUFFER_HEADER_50, _52, _60 or _61, by the file's version */
    build_model_event *events;
    size_t event_count;
    build_model_compression compression;
    build_chunk given; /* the stream of BUILD_MODEL_GIVEN */
    build_chunk spare; /* bytes after the compressed stream */
    build_chunk slack; /* first bytes of the slack after the extent; 0xFF follow */
    /* Set by the layout: */
    uint64_t offset;      /* in the file */
    uint32_t size;        /* stored size, whatever BufferSize states */
    uint32_t extent;      /* where the events end, counted from the start of the (inflated) buffer */
    uint32_t stream_size; /* of the compressed stream; 0 for a plain buffer */
    build_chunk stream;
    build_chunk inflated; /* of a compressed buffer: header and events as they inflate */
} build_model_buffer;

typedef struct build_model {
    uint8_t pointer_size;
    bool no_logfile;
    build_model_buffer *buffers;
    size_t buffer_count;
    size_t event_count; /* of all buffers */
    uint64_t size;      /* of the file; set by the layout */
} build_model;

/*
 * Returns a trace of one buffer, "header", with the logfile header event, "logfile". `pointer_size` is 4 or 8. The caller
 * frees the model.
 */
build_model *build_model_new(uint8_t pointer_size);
/* Removes the header buffer. */
void build_model_drop_logfile(build_model *model);
build_model *build_model_copy(const build_model *model);
void build_model_free(build_model *model);

/* Each appends and returns the index or the new element. A pointer is valid until the next addition to the same list. */
size_t build_model_add_buffer(build_model *model, const char *name);
size_t build_model_add_raw_buffer(build_model *model, const char *name, etl_region_kind kind);
build_model_event *build_model_add_event(build_model *model, size_t buffer, const char *name, uint8_t type);
build_model_event *build_model_add_raw_event(build_model *model, size_t buffer, const char *name, etl_region_kind kind);
/* Adds a further logfile header event. */
build_model_event *build_model_add_logfile(build_model *model, size_t buffer, const char *name);
build_model_item *build_model_add_item(build_model_event *event, const char *name, uint16_t type);

/* What a name of the trace stands for: a buffer, an event in it, or an item in the event. `event` and `item` may be
   NULL. */
typedef struct build_model_node {
    build_model_buffer *buffer;
    build_model_event *event;
    build_model_item *item;
} build_model_node;

/* False, with an empty node, if the trace has no such name. */
bool build_model_find(build_model *model, const char *name, build_model_node *node);
/* The index of the buffer with the name of `buffer`, which may belong to another copy; buffer_count if there is none. */
size_t build_model_buffer_index(const build_model *model, const build_model_buffer *buffer);

/*
 * The structure of a node that has the member: the header of an item, event or buffer, or the TRACE_LOGFILE_HEADER of a
 * logfile header event whose own header has no such member. NULL if none has it.
 */
build_structure *build_model_structure(const build_model_node *node, const char *member);

/* The first TRACE_LOGFILE_HEADER of the file, which holds its version; NULL if there is none. */
const build_structure *build_model_first_logfile(const build_model *model);
bool build_model_buffer_is_compressed(const build_model_buffer *buffer);
/* Whether any buffer is compressed. */
bool build_model_has_compressed(const build_model *model);

#endif
