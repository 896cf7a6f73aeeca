/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the records of a mapped file with several threads. The caller's thread reads the file and copies its steps
 * into batches. Other threads print these into memory. The records are written in order, by the thread that printed the
 * next batch due; no thread waits for its turn.
 */
#include "io/command.h"
#if TOOL_POSIX
#define _POSIX_C_SOURCE 200809L
#endif

#include "records/record_threads.h"

#if TOOL_POSIX

#include <pthread.h>
#include <stdlib.h>

#include "records/record_batch.h"

/* Batches that wait to be printed or written, for each thread. */
#define WAITING 8u

/* A batch in the ring. */
typedef struct batch_slot {
    tool_batch batch;
    uint8_t *inflated; /* a compressed buffer, inflated: freed when the batch is written; or NULL */
    tool_output records;
    bool printed;
} batch_slot;

typedef struct batch_queue {
    pthread_mutex_t mutex; /* of all members below */
    pthread_cond_t changed;
    batch_slot *slots; /* a ring: batch number n is in slots[n % room] */
    uint64_t room, posted, taken, written; /* numbers of batches */
    bool writing; /* a thread writes the records of batch number `written` */
    bool ended;   /* the last batch was posted */
    bool stopped; /* output or memory failed: write no more */
    bool no_memory;
    tool_output *out; /* of the thread that writes */
} batch_queue;

typedef struct batch_thread {
    batch_queue *queue;
    pthread_t thread;
    const tool_input *input;
    tool_record_printer printer;
    tool_tally tally; /* of the findings about payloads */
} batch_thread;

static batch_slot *slot_of(const batch_queue *q, uint64_t number)
{
    return &q->slots[number % q->room];
}

static void lock(batch_queue *q)
{
    (void)pthread_mutex_lock(&q->mutex);
}

static void unlock(batch_queue *q)
{
    (void)pthread_mutex_unlock(&q->mutex);
}

/* Unlocks, after a change that others may wait for. */
static void unlock_changed(batch_queue *q)
{
    (void)pthread_cond_broadcast(&q->changed);
    unlock(q);
}

static void wait_for_change(batch_queue *q)
{
    (void)pthread_cond_wait(&q->changed, &q->mutex);
}

/* Printing. */

/* The next batch to print. NULL if there will be none. */
static batch_slot *take(batch_queue *q)
{
    lock(q);
    while (q->taken == q->posted && !q->ended && !q->stopped)
        wait_for_change(q);
    batch_slot *taken = q->taken < q->posted && !q->stopped ? slot_of(q, q->taken++) : NULL;
    unlock(q);
    return taken;
}

/* Writes the records of batch number `written`. Locked before and after, but not meanwhile. */
static void write_next(batch_queue *q)
{
    batch_slot *slot = slot_of(q, q->written);
    unlock(q);
    tool_put_bytes(q->out, slot->records.at, slot->records.used);
    slot->records.used = 0;
    free(slot->inflated);
    slot->inflated = NULL;
    lock(q);
    q->no_memory = slot->records.error != 0;
    q->stopped = q->stopped || q->no_memory || q->out->error != 0;
    slot->printed = false;
    q->written++;
    (void)pthread_cond_broadcast(&q->changed);
}

/* A batch is printed. Writes it, and those behind it that are printed too, unless another thread does or will. */
static void end_batch(batch_queue *q, batch_slot *slot)
{
    lock(q);
    slot->printed = true;
    if (!q->writing) {
        q->writing = true;
        while (!q->stopped && slot_of(q, q->written)->printed)
            write_next(q);
        q->writing = false;
    }
    unlock_changed(q);
}

static void *run_thread(void *argument)
{
    batch_thread *t = argument;
    tool_input_share(t->input);
    for (batch_slot *slot; (slot = take(t->queue)) != NULL;) {
        t->printer.out = t->printer.json.out = &slot->records;
        (void)tool_batch_print(&slot->batch, &t->printer);
        end_batch(t->queue, slot);
    }
    return NULL;
}

/* Reading. */

/* Waits for a free slot, and begins its batch. NULL if output or memory failed: read no more. */
static batch_slot *begin_batch(batch_queue *q, const tool_record_stream *d)
{
    lock(q);
    while (q->posted - q->written == q->room && !q->stopped)
        wait_for_change(q);
    batch_slot *slot = q->stopped ? NULL : slot_of(q, q->posted);
    unlock(q);
    if (slot != NULL)
        tool_batch_begin(&slot->batch, &d->pull.reader);
    return slot;
}

/* `inflated` is freed when the batch is written; or NULL. */
static void post(batch_queue *q, batch_slot *slot, uint8_t *inflated)
{
    slot->inflated = inflated;
    lock(q);
    q->posted++;
    unlock_changed(q);
}

/* Reads the file to its end, and posts its steps. */
static void post_all(batch_queue *q, tool_record_stream *d)
{
    uint8_t *inflated = NULL; /* the current buffer, if it is compressed */
    batch_slot *slot = begin_batch(q, d);
    for (bool more = true; more && slot != NULL;) {
        tool_step step;
        more = tool_record_step_read(d, &step);
        const bool opened = step.outcome == ETL_BUFFER;
        if ((opened && inflated != NULL) || tool_batch_ends_before(&slot->batch, &step)) {
            post(q, slot, opened ? inflated : NULL);
            inflated = opened ? NULL : inflated;
            slot = begin_batch(q, d);
        }
        if (opened && step.buffer->compressed)
            inflated = tool_pull_take_scratch(&d->pull);
        if (slot != NULL)
            tool_batch_add(&slot->batch, &step);
    }
    if (slot != NULL)
        post(q, slot, inflated);
    else
        free(inflated);
}

/* The threads. */

static bool start_thread(batch_queue *q, batch_thread *t, const tool_record_stream *d)
{
    *t = (batch_thread){.queue = q, .input = d->pull.input, .printer = d->printer};
    t->printer.tally = &t->tally;
    return pthread_create(&t->thread, NULL, run_thread, t) == 0;
}

/* Waits until all posted batches are written. */
static void finish(batch_queue *q, batch_thread *threads, unsigned started)
{
    lock(q);
    q->ended = true;
    unlock_changed(q);
    while (started > 0)
        (void)pthread_join(threads[--started].thread, NULL);
}

static bool write_records(batch_queue *q, batch_thread *threads, tool_record_stream *d)
{
    unsigned started = 0;
    while (started < d->threads && start_thread(q, &threads[started], d))
        started++;
    if (started == 0)
        return false;
    post_all(q, d);
    finish(q, threads, started);
    for (unsigned i = 0; i < started; i++)
        for (unsigned severity = 0; severity < ETL_SEVERITY_COUNT; severity++)
            d->tally.findings[severity] += threads[i].tally.findings[severity];
    if (d->pull.fault == TOOL_PULL_NONE && q->no_memory)
        d->pull.fault = TOOL_PULL_MEMORY;
    return true;
}

static bool open_slots(batch_queue *q)
{
    q->slots = calloc((size_t)q->room, sizeof *q->slots);
    for (uint64_t i = 0; q->slots != NULL && i < q->room; i++) {
        tool_output_open_memory(&q->slots[i].records);
        q->slots[i].records.coloured = q->out->coloured;
    }
    return q->slots != NULL;
}

static void close_slots(batch_queue *q)
{
    for (uint64_t i = 0; q->slots != NULL && i < q->room; i++) {
        tool_output_free(&q->slots[i].records);
        free(q->slots[i].inflated);
    }
    free(q->slots);
}

bool tool_record_threads_write(tool_record_stream *d)
{
    batch_queue q = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                     .room = WAITING * (uint64_t)d->threads, .out = d->printer.out};
    batch_thread *threads = malloc(d->threads * sizeof *threads);
    const bool written = threads != NULL && open_slots(&q) && tool_input_map_all(d->pull.input) &&
                         write_records(&q, threads, d);
    close_slots(&q);
    free(threads);
    return written;
}

#else

bool tool_record_threads_write(tool_record_stream *d)
{
    (void)d;
    return false;
}

#endif
