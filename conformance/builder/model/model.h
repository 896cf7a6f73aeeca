/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as it is to be written: buffers in file order, events in buffers, extended items in events. Every structure is
 * held as the bytes that will be written, so that each member can be set by its name in structures.def; what is not set is
 * filled in by build_model_lay_out. Shares the tables of the format with the decoder, and nothing else.
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etlproof/format.h"

/* Bytes that grow; all zero is empty. */
typedef struct build_chunk {
    uint8_t *at;
    size_t size, room;
} build_chunk;

void build_chunk_add(build_chunk *chunk, const void *bytes, size_t size);
void build_chunk_fill(build_chunk *chunk, uint8_t byte, size_t size);
/* The low `size` bytes of `value`, little-endian. */
void build_chunk_number(build_chunk *chunk, uint64_t value, size_t size);
void build_chunk_free(build_chunk *chunk);

#define BUILD_MODEL_NAME_MAX 64u
/* TRACE_LOGFILE_HEADER64 is the largest structure. */
#define BUILD_STRUCTURE_MAX ETL_SIZE_TRACE_LOGFILE_HEADER64

/* A structure and the bytes it will be written as. Bit n of `given`: the caller has set member n, so layout leaves it. */
typedef struct build_structure {
    etl_structure_id structure;
    uint64_t given;
    uint8_t bytes[BUILD_STRUCTURE_MAX];
} build_structure;

/* The structure that a member of this kind is; ETL_STRUCTURE_COUNT if it is none. */
etl_structure_id build_structure_nested(etl_member_kind kind);
/* A place in a structure: "Size", or "TimeZone.Bias". False if it has no such member. */
bool build_structure_find(const build_structure *part, const char *member, uint32_t *offset, etl_member_kind *kind);
/* Sets a member that is a number, and marks it given; false if there is none of that name, or it is no number. */
bool build_structure_set(build_structure *part, const char *member, uint64_t value);
/* Sets a member's bytes, which have to be as many as it has. */
bool build_structure_set_bytes(build_structure *part, const char *member, const uint8_t *bytes, size_t size);
/* A member that is a number; signed ones are sign-extended. 0 if there is none of that name. */
uint64_t build_structure_get(const build_structure *part, const char *member);
/* Whether the caller has set the member, or any of the members nested in it. */
bool build_structure_is_given(const build_structure *part, const char *member);
/* The processor that a buffer header names, in any of its shapes. */
uint32_t build_structure_processor(const build_structure *header);

typedef struct build_model_item {
    char name[BUILD_MODEL_NAME_MAX];
    build_structure header; /* EXTENDED_DATA_ITEM */
    build_chunk data;
    build_chunk padding; /* the first bytes of what pads the item to a multiple of 8; zeros follow */
    uint32_t at;         /* laid out: in the buffer, header included */
    uint32_t size;       /* laid out: header, data and padding as they are, whatever TotalSize says */
} build_model_item;

/* The optional parts of a message, written if OptionFlags has them. */
typedef struct build_message_fields {
    uint32_t sequence, component_id, thread_id, process_id;
    uint8_t guid[16];
    uint64_t time;
    uint64_t filled_time; /* what layout put in `time` last; as long as the two are equal, it is filled in anew */
} build_message_fields;

typedef struct build_model_event {
    char name[BUILD_MODEL_NAME_MAX];
    uint8_t type;      /* HeaderType as it was asked for; ETL_HEADER_TYPE_MESSAGE for a message */
    etl_layout layout; /* laid out: INSTANCE becomes INSTANCE_GUID where the logfile's version says so */
    build_structure header;
    build_message_fields parts; /* MESSAGE */
    bool has_pebs;              /* PERFINFO, SYSTEM, COMPACT: sets the bit of the Version word */
    uint64_t pebs;
    uint32_t pmc_count; /* the same; 0 to 7 */
    uint64_t pmc[7];
    build_model_item *items;
    size_t item_count;
    bool is_logfile;         /* data is `logfile`, then `names` */
    build_structure logfile; /* TRACE_LOGFILE_HEADER32 or 64 */
    build_chunk names;       /* LoggerName and LogFileName as they are stored */
    build_chunk data;        /* user data; of a region of raw bytes, all of it */
    bool is_raw;             /* not an event: bytes between events, of region `raw_kind` */
    etl_region_kind raw_kind;
    build_chunk padding; /* the first bytes of what lies up to the next multiple of 8; zeros follow */
    /* laid out, in the buffer, its header included */
    uint32_t at;
    uint32_t header_size; /* with PEBS index, counters, message parts */
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
    BUILD_MODEL_GIVEN    /* no compressor: the stream is `given`, and inflates to what the recipe says, or does not */
} build_model_compression;

typedef struct build_model_buffer {
    char name[BUILD_MODEL_NAME_MAX];
    bool is_raw; /* no buffer: `raw`, of region `raw_kind` */
    etl_region_kind raw_kind;
    build_chunk raw;
    build_structure header; /* WMI_BUFFER_HEADER_50, _52, _60 or _61, as the logfile's version says */
    build_model_event *events;
    size_t event_count;
    build_model_compression compression;
    build_chunk given; /* of BUILD_MODEL_GIVEN: the stream */
    build_chunk spare; /* after the compressed stream */
    build_chunk slack; /* the first bytes of the room after the extent; 0xFF follow */
    /* laid out */
    uint64_t offset;      /* in the file */
    uint32_t size;        /* bytes in the file, whatever BufferSize says */
    uint32_t extent;      /* end of its events: in the buffer, header included; inflated if compressed */
    uint32_t stream_size; /* of the compressed stream; 0 if it is not compressed */
    build_chunk stream;
    build_chunk inflated; /* compressed: header and events as they inflate, before and after a patch */
} build_model_buffer;

typedef struct build_model {
    uint8_t pointer_size;
    bool no_logfile;
    build_model_buffer *buffers;
    size_t buffer_count;
    uint64_t size; /* laid out: of the file */
} build_model;

/* A trace of a header buffer, "header", with the logfile header event, "logfile". pointer_size is 4 or 8. Never NULL. */
build_model *build_model_new(uint8_t pointer_size);
/* Takes the header buffer away again. */
void build_model_drop_logfile(build_model *model);
build_model *build_model_copy(const build_model *model);
void build_model_free(build_model *model);

/* Each appends, and returns the index or the new thing; pointers hold until the next addition to the same list. */
size_t build_model_add_buffer(build_model *model, const char *name);
size_t build_model_add_raw_buffer(build_model *model, const char *name, etl_region_kind kind);
build_model_event *build_model_add_event(build_model *model, size_t buffer, const char *name, uint8_t type);
build_model_event *build_model_add_raw_event(build_model *model, size_t buffer, const char *name, etl_region_kind kind);
/* A further logfile header event. */
build_model_event *build_model_add_logfile(build_model *model, size_t buffer, const char *name);
build_model_item *build_model_add_item(build_model_event *event, const char *name, uint16_t type);

/* What a name stands for; `event` and `item` are NULL where it names something larger. */
typedef struct build_model_node {
    build_model_buffer *buffer;
    build_model_event *event;
    build_model_item *item;
} build_model_node;

/* False if the trace has no such name. What is found gets the shape that the logfile's version asks for by now. */
bool build_model_find(build_model *model, const char *name, build_model_node *node);

/*
 * The part of a node that has the member: an item's or buffer's header; an event's header, or its TRACE_LOGFILE_HEADER
 * where the header has no such member. NULL if none has.
 */
build_structure *build_model_structure(const build_model_node *node, const char *member);

/*
 * Fills in what was not given, in this order: versions and shapes, sizes of items and events, places, buffer headers,
 * logfile header. Defaults are those of a well-formed file of Windows 10.0.19041, clock PERFCOUNTER, buffers of 0x400
 * bytes, or more where the events need it. Can be called again after changes.
 *
 * BufferSize that was given is followed where the buffer fits: that of a plain buffer by the buffer, that of the logfile
 * header by the plain buffers of a file without compressed ones. All else that was given is written, and moves nothing.
 * Bits that the contents ask for, EXTENDED_INFO, PEBS_INDEX and PMC_COUNT, are set even in a word that was given.
 */
void build_model_lay_out(build_model *model);

#endif
