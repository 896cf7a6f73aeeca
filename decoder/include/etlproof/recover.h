/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery: a damaged file -> a new, conforming file with every event that could be read, byte for byte.
 *
 * Recovery is a sink of the decode, in two passes. The first pass surveys the whole file. In the second pass, the caller
 * decodes the file from its start and gives each outcome of the reader to the recovery, which returns what to write:
 *
 *     etl_recover_init(&recovery, &survey, scratch);
 *     do {
 *         ... at the start of the file, with a new reader:
 *         do {
 *             execute(etl_recover_next(&recovery)) ... until WANTS
 *             outcome = etl_reader_next(&reader);         (the caller handles ETL_MORE and ETL_SCRATCH)
 *             etl_recover_take(&recovery, outcome, &reader);
 *         } while (outcome != ETL_END);
 *         execute(etl_recover_next(&recovery)) ... until AGAIN or DONE
 *     } while (AGAIN);
 *
 * The new file:
 * - A buffer without a fault is copied.
 * - Any other buffer is rebuilt: its events follow its header, aligned and without gaps. The header changes only where it
 *   must, and a compressed buffer becomes an uncompressed one.
 * - An event that breaks a rule wherever it stands (its items overrun it, its type is unknown) is dropped, since no
 *   conforming file can contain it. A buffer without any event left is dropped.
 * - In a rebuilt buffer, a logfile header event with another clock (LFH-011) is dropped if no other event precedes it: at
 *   the start of a buffer, readers would take it for the start of another trace.
 * - The buffer with the logfile header comes first; all other events keep their order. If no logfile header could be read,
 *   the new file gets one with clock type RAW, which claims nothing about the clock.
 * - A truncated buffer is filled up to its BufferSize if the logfile header states the same BufferSize, as long as the new
 *   file has at most 32 MiB and 16 times the bytes read.
 */
#ifndef ETLPROOF_RECOVER_H
#define ETLPROOF_RECOVER_H

#include "etlproof/linkage.h"
#include "etlproof/reader.h"

ETL_C_BEGIN

/* What a recovery needs to know about the whole file before it writes the first byte. */
typedef struct etl_survey {
    etl_logfile logfile;    /* the logfile header of the file; its spans must not be used */
    etl_context context;
    etl_buffer_shape shape;
    uint64_t header_buffer; /* index of the buffer with the logfile header */
    uint64_t compressed;    /* compressed buffers */
    uint32_t plain_size;    /* BufferSize of the uncompressed buffers, if they all have the same; else 0 */
    bool plain_seen;        /* there is an uncompressed buffer */
    uint64_t narrow, wide;  /* events of types with 32-bit and with 64-bit pointers */
    uint32_t processors;    /* the highest processor of a buffer, plus 1 */
    uint64_t next_trace;    /* offset of the first buffer with the logfile header of another trace (LFH-011); 0 if none */
} etl_survey;

void etl_survey_init(etl_survey *survey);
/*
 * Takes each outcome of a reader with its findings, from the start of the file to ETL_END, or until next_trace is set. Only
 * one trace can be recovered into one file: survey and recover the bytes before next_trace as if they were a file, and then
 * those from there on.
 */
void etl_survey_take(etl_survey *survey, etl_outcome outcome, const etl_reader *reader);

/* The kinds of notes about what the recovery did. ETL_RECOVERED(name, text, meaning) */
#define ETL_RECOVERED_KINDS(ETL_RECOVERED) \
    ETL_RECOVERED(DROPPED, "dropped", "bytes that could not be read, or an event that no conforming file can hold") \
    ETL_RECOVERED(REBUILT, "rebuilt", "a buffer written anew, with the events that could be read from it") \
    ETL_RECOVERED(MOVED, "moved", "the buffer with the logfile header, moved to the front") \
    ETL_RECOVERED(MADE, "made", "a new buffer, which the damaged file did not have") \
    ETL_RECOVERED(CHANGED, "changed", "a member of a header")

typedef enum etl_recovered {
#define ETL_RECOVERED(name, text, meaning) ETL_RECOVERED_##name,
    ETL_RECOVERED_KINDS(ETL_RECOVERED)
#undef ETL_RECOVERED
    ETL_RECOVERED_COUNT
} etl_recovered;

typedef struct etl_recover_note {
    etl_recovered kind;
    etl_rule rule;          /* the rule of the finding behind it; ETL_RULE_COUNT if there is none */
    /* DROPPED, REBUILT, MOVED: in the damaged file. MADE, CHANGED: in the new file. */
    etl_space space;
    uint64_t offset, size;
    uint64_t buffer, event; /* indices in the damaged file, or ETL_NO_INDEX */
    /* CHANGED */
    etl_structure_id structure;
    uint32_t member;        /* its offset in the structure */
    uint64_t from, to;
} etl_recover_note;

typedef enum etl_recover_step {
    ETL_RECOVER_WANTS, /* give it the next outcome of the reader */
    ETL_RECOVER_WRITE, /* append `piece` to the new file */
    ETL_RECOVER_PATCH, /* overwrite the new file with `piece`, from `at` on */
    ETL_RECOVER_NOTE,  /* `note` describes what was done */
    ETL_RECOVER_AGAIN, /* decode the file once more from its start, with a new reader */
    ETL_RECOVER_DONE
} etl_recover_step;

/* Bytes of scratch that a recovery takes. */
#define ETL_RECOVER_SCRATCH_SIZE 0x400u

/* Steps at most between two outcomes. */
#define ETL_RECOVER_STEPS 32

/* A queued step: bytes, which a patch writes at `at` of the new file; or `fill` equal bytes; or a note. */
typedef struct etl_recover_pending {
    etl_recover_step step;
    etl_span bytes;
    uint64_t at;
    uint32_t fill;
    bool ones; /* fill with 0xFF; else with 0 */
    etl_recover_note note;
} etl_recover_pending;

/* The events of a rebuilt buffer so far. */
typedef struct etl_pack {
    uint32_t at;     /* offset of the next event in the buffer */
    uint32_t limit;  /* the end of the last event at most, unless a single event needs more */
    bool empty;
    bool first_plausible; /* a search would find the first event */
    bool opaque;     /* the last event has no published layout: readers accept it only if a known event follows */
} etl_pack;

typedef struct etl_recovery {
    /* The operands of a step. */
    etl_span piece;
    uint64_t at;
    etl_recover_note note;

    /* Totals so far. */
    uint64_t written;  /* bytes of the new file */
    uint64_t buffers;  /* in the new file, the sum of: */
    uint64_t buffers_kept, buffers_rebuilt, buffers_made;
    uint64_t events;   /* in the new file */
    uint64_t events_dropped;

    /* The rest is private to the recovery. */
    etl_survey survey;
    etl_scratch scratch;
    bool header_only;  /* this pass writes only the buffer with the logfile header */
    bool header_moved; /* that buffer has been written before the others */
    etl_recover_step end;
    uint8_t mode;      /* of the current buffer: enum in recovery.c */
    bool open;         /* a rebuilt buffer has been started */
    etl_expansion expansion; /* of the compressed buffers that were copied */
    uint32_t last_size; /* of the last buffer written */
    bool input_left;   /* it has compressed input behind its stream */
    bool size_misleads; /* readers that use the logfile header's BufferSize miss a buffer that no search finds */
    etl_buffer ahead;  /* a copy of the current buffer, whose events are read ahead to measure the next rebuilt buffer */
    etl_event next;    /* read ahead: the first event that did not fit into the last rebuilt buffer */
    bool has_next;     /* `next` is set */
    uint32_t extent;   /* of the rebuilt buffer that is open */
    uint32_t size;     /* of that buffer */
    etl_pack pack;
    etl_rule rule;     /* why the current buffer is rebuilt */
    etl_span header_event; /* the logfile header event, if the current buffer has it */
    bool header_read;      /* the decode returned it as an event */
    uint64_t header_at;    /* offset of TRACE_LOGFILE_HEADER in the new file */
    uint16_t header_stated, header_left; /* Size of its event, and how many of these bytes the file has */
    bool has_time;
    int64_t last_time; /* the highest time stamp so far */
    etl_findings walk_findings; /* of events read ahead */
    uint32_t pending_count, pending_at;
    etl_recover_pending pending[ETL_RECOVER_STEPS];
} etl_recovery;

/* `scratch` has ETL_RECOVER_SCRATCH_SIZE bytes, and belongs to the recovery until it is done. */
void etl_recover_init(etl_recovery *recovery, const etl_survey *survey, etl_scratch scratch);

/*
 * Takes an outcome other than ETL_MORE and ETL_SCRATCH, once all steps of the outcome before are executed. The caller keeps
 * the window of the reader unchanged until the steps of this outcome are executed.
 */
void etl_recover_take(etl_recovery *recovery, etl_outcome outcome, const etl_reader *reader);

/* The next step. */
etl_recover_step etl_recover_next(etl_recovery *recovery);

ETL_C_END

#endif
