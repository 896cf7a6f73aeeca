/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery: of a damaged file, a new one that conforms to the format and holds every event that could be read, byte for
 * byte.
 *
 * A sink over the decode, in two passes. The first is a survey of the whole file. In the second, the recovery is shown what
 * a reader gives from the file's start, and says after each outcome what to write:
 *
 *     etl_recover_init(&recovery, &survey, room);
 *     do {
 *         ... at the start of the file, with a new reader:
 *         do {
 *             take(etl_recover_next(&recovery)) ... until WANTS
 *             outcome = etl_reader_next(&reader);         (ETL_MORE and ETL_SCRATCH are the caller's own business)
 *             etl_recover_take(&recovery, outcome, &reader);
 *         } while (outcome != ETL_END);
 *         take(etl_recover_next(&recovery)) ... until AGAIN or DONE
 *     } while (AGAIN);
 *
 * What is written. Buffers in which nothing is wrong stay as they are. The others are rebuilt: their events follow one
 * another, aligned, behind their own header, of which only what has to change does; a compressed one becomes a plain one.
 * An event that breaks a rule by itself (its items reach beyond it, its type is none) cannot be part of a conforming file:
 * it is left out, and so are buffers that are left with no event at all. Events keep their order, but for those of the
 * buffer with the logfile header, which comes first. Where no logfile header is left, one is made up that claims nothing:
 * its clock type is RAW. A buffer that ends too early is filled up to the BufferSize that it claims, if the logfile header
 * claims it too, as long as that makes the new file no larger than 32 MiB and 16 times what was read.
 */
#ifndef ETLPROOF_RECOVER_H
#define ETLPROOF_RECOVER_H

#include "etlproof/linkage.h"
#include "etlproof/reader.h"

ETL_C_BEGIN

/* What of the whole file has to be known before its first byte can be written. */
typedef struct etl_survey {
    etl_logfile logfile;    /* the one that holds for the file; its spans must not be used */
    etl_context context;
    etl_buffer_shape shape;
    uint64_t header_buffer; /* index of the buffer with it */
    uint64_t compressed;    /* buffers */
    uint32_t plain_size;    /* BufferSize of the others, if it is the same for all; else 0 */
    bool plain_seen;
    uint64_t narrow, wide;  /* events of types with pointers of 32 and 64 bits */
    uint32_t processors;    /* one more than the highest processor of a buffer */
} etl_survey;

void etl_survey_init(etl_survey *survey);
/* Each outcome of a reader from the start of the file to ETL_END. */
void etl_survey_take(etl_survey *survey, etl_outcome outcome, const etl_reader *reader);

/* What was done to a part of the file. ETL_RECOVERED(name, text, meaning) */
#define ETL_RECOVERED_KINDS(ETL_RECOVERED) \
    ETL_RECOVERED(DROPPED, "dropped", "bytes that could not be read, or an event that no conforming file can hold") \
    ETL_RECOVERED(REBUILT, "rebuilt", "a buffer written anew, with the events that could be read of it") \
    ETL_RECOVERED(MOVED, "moved", "the buffer with the logfile header, put first") \
    ETL_RECOVERED(MADE, "made", "a buffer that the file did not have") \
    ETL_RECOVERED(CHANGED, "changed", "a member of a header")

typedef enum etl_recovered {
#define ETL_RECOVERED(name, text, meaning) ETL_RECOVERED_##name,
    ETL_RECOVERED_KINDS(ETL_RECOVERED)
#undef ETL_RECOVERED
    ETL_RECOVERED_COUNT
} etl_recovered;

typedef struct etl_recover_note {
    etl_recovered kind;
    etl_rule rule;          /* the finding that it follows from; ETL_RULE_COUNT if there is none */
    /* DROPPED, REBUILT, MOVED: of the damaged file. MADE, CHANGED: of the new one. */
    etl_space space;
    uint64_t offset, size;
    uint64_t buffer, event; /* indices in the damaged file, or ETL_NO_INDEX */
    /* CHANGED */
    etl_structure_id structure;
    uint32_t member;        /* its offset in the structure */
    uint64_t from, to;
} etl_recover_note;

typedef enum etl_recover_step {
    ETL_RECOVER_WANTS, /* the reader's next outcome */
    ETL_RECOVER_WRITE, /* `piece` is what the new file goes on with */
    ETL_RECOVER_PATCH, /* `piece` takes the place of what was written at `at` */
    ETL_RECOVER_NOTE,  /* `note` is what was done */
    ETL_RECOVER_AGAIN, /* wants the file once more, from its start, with a new reader */
    ETL_RECOVER_DONE
} etl_recover_step;

/* Bytes of room that a recovery takes. */
#define ETL_RECOVER_SCRATCH_SIZE 0x400u

/* Steps that one outcome can lead to. */
#define ETL_RECOVER_STEPS 32

/* A step to come: bytes, which go to `at` of the new file if they are a patch; `fill` bytes that are alike; or a note. */
typedef struct etl_recover_pending {
    etl_recover_step step;
    etl_span bytes;
    uint64_t at;
    uint32_t fill;
    bool ones; /* 0xFF; else 0 */
    etl_recover_note note;
} etl_recover_pending;

/* Events as they are packed into a rebuilt buffer. */
typedef struct etl_pack {
    uint32_t at;     /* where the next one goes */
    uint32_t limit;  /* at most this far, unless a single event takes more */
    bool empty;
    bool first_plausible; /* the first event is one that a search would know */
    bool opaque;     /* the last event has no published layout: it stands only if what follows is known */
} etl_pack;

typedef struct etl_recovery {
    /* With a step. */
    etl_span piece;
    uint64_t at;
    etl_recover_note note;

    /* Totals so far. */
    uint64_t written;  /* bytes of the new file */
    uint64_t buffers;  /* of the new file: */
    uint64_t buffers_kept, buffers_rebuilt, buffers_made;
    uint64_t events;   /* of the new file */
    uint64_t events_dropped;

    /* The rest is etl_recover_take's. */
    etl_survey survey;
    etl_scratch scratch;
    bool header_only;  /* this time only the buffer with the logfile header is written */
    bool header_moved; /* it has been written before the others */
    etl_recover_step end;
    uint8_t mode;      /* what becomes of the current buffer */
    bool open;         /* a rebuilt buffer has been begun */
    uint32_t last_size; /* of the last buffer written */
    bool input_left;   /* in it, behind its stream */
    bool size_misleads;       /* before one that cannot be found by itself, the logfile header's BufferSize could be believed */
    etl_buffer ahead;  /* the current buffer, walked ahead to measure what a rebuilt one will hold */
    etl_event next;    /* of that walk: did not go into the last one */
    bool has_next;      /* `next` is there */
    uint32_t extent;   /* of the one that is open, */
    uint32_t size;     /* and all its bytes */
    etl_pack pack;
    etl_rule rule;     /* why the current buffer is rebuilt */
    etl_span header_event; /* of the current buffer, if it is the one with the logfile header */
    bool header_read;      /* the decode gave it as an event */
    uint64_t header_at;    /* of TRACE_LOGFILE_HEADER in the new file */
    uint16_t header_stated, header_left; /* Size of its event, and bytes that are there */
    bool has_time;
    int64_t last_time; /* the highest time stamp */
    etl_findings walk_findings;
    uint32_t pending_count, pending_at;
    etl_recover_pending pending[ETL_RECOVER_STEPS];
} etl_recovery;

/* `room` has ETL_RECOVER_SCRATCH_SIZE bytes; it stays the recovery's to its end. */
void etl_recover_init(etl_recovery *recovery, const etl_survey *survey, etl_scratch scratch);

/*
 * Shows an outcome other than ETL_MORE and ETL_SCRATCH, all steps due to the one before having been taken. What the reader
 * gave has to stay until the steps due to this one have been taken.
 */
void etl_recover_take(etl_recovery *recovery, etl_outcome outcome, const etl_reader *reader);

/* The next step. */
etl_recover_step etl_recover_next(etl_recovery *recovery);

ETL_C_END

#endif
