/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the windows of a mapped file with several threads. The caller's thread decodes the file and prints nothing; it
 * keeps the state of the decode in front of each window. Another thread decodes that window again from this state, into
 * memory. The records are written in the order of the windows, by the thread that decoded the next one due; no thread waits
 * for its turn. The threads share no bytes but the file's.
 */
#include "io/command.h"
#if TOOL_POSIX
#define _POSIX_C_SOURCE 200809L
#endif

#include "records/record_threads.h"

#if TOOL_POSIX

#include <pthread.h>
#include <stdlib.h>

/* The smallest window in bytes: its records stay in the processor's cache. */
#define WINDOW ((size_t)1 << 20)
/* Bytes of records that a window holds before it waits for its turn. */
#define RECORDS_MOST ((size_t)64 << 20)
/* Windows that wait to be decoded or written, for each thread. */
#define WAITING 2u

typedef struct window {
    tool_record_stream stream; /* as it is in front of the window; then of the thread that decodes it */
    tool_output records;
    bool decoded;
    tool_pull_fault fault; /* behind the records */
} window;

typedef struct window_queue {
    pthread_mutex_t mutex; /* of all members below */
    pthread_cond_t changed;
    window *windows; /* a ring: window number n is windows[n % room] */
    uint64_t room, posted, taken, written; /* numbers of windows */
    bool writing; /* a thread writes the records of window number `written` */
    bool ended;   /* the last window was posted */
    bool stopped; /* output or a thread failed: write no more */
    tool_pull_fault fault; /* behind what was written */
    tool_output *out; /* of the thread that writes */
} window_queue;

typedef struct window_thread {
    window_queue *queue;
    pthread_t thread;
    tool_input input; /* a view of the file */
} window_thread;

static window *window_at(const window_queue *q, uint64_t number)
{
    return &q->windows[number % q->room];
}

static void lock(window_queue *q)
{
    (void)pthread_mutex_lock(&q->mutex);
}

static void unlock(window_queue *q)
{
    (void)pthread_mutex_unlock(&q->mutex);
}

/* Unlocks, after a change that others may wait for. */
static void unlock_changed(window_queue *q)
{
    (void)pthread_cond_broadcast(&q->changed);
    unlock(q);
}

static void wait_for_change(window_queue *q)
{
    (void)pthread_cond_wait(&q->changed, &q->mutex);
}

/* Takes the next window. False if there will be none. */
static bool take(window_queue *q, uint64_t *number)
{
    lock(q);
    while (q->taken == q->posted && !q->ended && !q->stopped)
        wait_for_change(q);
    const bool taken = q->taken < q->posted && !q->stopped;
    if (taken)
        *number = q->taken++;
    unlock(q);
    return taken;
}

/* Writes the records that a window has so far, once it is its turn: it stays so until the window is decoded. */
static void write_early(window_queue *q, uint64_t number)
{
    lock(q);
    while ((q->written < number || q->writing) && !q->stopped)
        wait_for_change(q);
    const bool stopped = q->stopped;
    unlock(q);
    tool_output *records = &window_at(q, number)->records;
    if (!stopped)
        tool_put_bytes(q->out, records->at, records->used);
    records->used = 0;
}

/* Writes the records of window number `written`. Locked before and after, but not meanwhile. */
static void write_next(window_queue *q)
{
    window *w = window_at(q, q->written);
    unlock(q);
    tool_put_bytes(q->out, w->records.at, w->records.used);
    w->records.used = 0;
    lock(q);
    q->fault = w->fault;
    q->stopped = q->stopped || w->fault != TOOL_PULL_NONE || q->out->error != 0;
    w->decoded = false;
    q->written++;
    (void)pthread_cond_broadcast(&q->changed);
}

/* A window is decoded. Writes it, and those behind it that are decoded too, unless another thread does or will. */
static void end_window(window_queue *q, window *w)
{
    lock(q);
    w->decoded = true;
    if (!q->writing) {
        q->writing = true;
        while (!q->stopped && window_at(q, q->written)->decoded)
            write_next(q);
        q->writing = false;
    }
    unlock_changed(q);
}

/* Replaces all that the copy of a stream shares with the original. */
static void separate(window *w, tool_input *input)
{
    tool_record_stream *d = &w->stream;
    d->silent = false;
    d->out = &w->records;
    d->json.out = &w->records;
    d->pull.input = input;
    d->pull.out = &w->records;
    d->pull.progress = (tool_progress){0};
    d->pull.scratch = NULL;
    d->pull.scratch_size = 0;
    d->pull.reader.scratch = (etl_scratch){0};
}

static void decode_window(window_thread *t, uint64_t number)
{
    window *w = window_at(t->queue, number);
    separate(w, &t->input);
    tool_pull *pull = &w->stream.pull;
    bool more = tool_pull_feed(pull);
    while (more) {
        const etl_outcome outcome = tool_pull_next(pull);
        more = tool_record_stream_step(&w->stream, outcome) && outcome != ETL_MORE;
        if (w->records.used > RECORDS_MOST)
            write_early(t->queue, number);
    }
    w->fault = w->records.error != 0 ? TOOL_PULL_MEMORY : pull->fault;
    tool_pull_close(pull);
    end_window(t->queue, w);
}

static void *run_thread(void *argument)
{
    window_thread *t = argument;
    for (uint64_t number = 0; take(t->queue, &number);)
        decode_window(t, number);
    tool_input_close(&t->input);
    return NULL;
}

/* Waits until a window can be posted. False if no more are wanted. */
static bool wait_for_room(window_queue *q)
{
    lock(q);
    while (q->posted - q->written == q->room && !q->stopped)
        wait_for_change(q);
    const bool wanted = !q->stopped;
    unlock(q);
    return wanted;
}

/* Posts the next window, and lets `d` read it too. False if no more are wanted, or the window cannot be mapped. */
static bool post(window_queue *q, tool_record_stream *d)
{
    if (!wait_for_room(q))
        return false;
    window_at(q, q->posted)->stream = *d; /* no thread looks at it before it is posted */
    if (!tool_pull_feed(&d->pull) || !d->pull.input->mapped)
        return false;
    lock(q);
    q->posted++;
    unlock_changed(q);
    return true;
}

/* Reads the file to its end, and posts each window. */
static void post_all(window_queue *q, tool_record_stream *d)
{
    etl_outcome outcome = ETL_MORE;
    do
        outcome = tool_pull_next(&d->pull);
    while (tool_record_stream_step(d, outcome) && (outcome != ETL_MORE || post(q, d)));
}

static bool start_thread(window_queue *q, window_thread *t, const tool_input *input)
{
    t->queue = q;
    if (!tool_input_open_view(&t->input, input))
        return false;
    if (pthread_create(&t->thread, NULL, run_thread, t) == 0)
        return true;
    tool_input_close(&t->input);
    return false;
}

/* Waits until all posted windows are written. */
static void finish(window_queue *q, window_thread *threads, unsigned started)
{
    lock(q);
    q->ended = true;
    unlock_changed(q);
    while (started > 0)
        (void)pthread_join(threads[--started].thread, NULL);
}

static void write_records(window_queue *q, window_thread *threads, tool_record_stream *d)
{
    unsigned started = 0;
    d->pull.input->step = WINDOW;
    while (started < d->threads && start_thread(q, &threads[started], d->pull.input))
        started++;
    if (started == 0)
        return;
    d->silent = true;
    d->pull.by_window = true;
    post_all(q, d);
    finish(q, threads, started);
    d->silent = false;
    d->pull.by_window = false;
    if (d->pull.fault == TOOL_PULL_NONE)
        d->pull.fault = q->fault;
}

static bool open_windows(window_queue *q)
{
    q->windows = calloc((size_t)q->room, sizeof *q->windows);
    for (uint64_t i = 0; q->windows != NULL && i < q->room; i++) {
        tool_output_open_memory(&q->windows[i].records);
        q->windows[i].records.coloured = q->out->coloured;
    }
    return q->windows != NULL;
}

static void close_windows(window_queue *q)
{
    for (uint64_t i = 0; q->windows != NULL && i < q->room; i++)
        tool_output_free(&q->windows[i].records);
    free(q->windows);
}

bool tool_record_threads_write(tool_record_stream *d)
{
    window_queue q = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                      .room = WAITING * (uint64_t)d->threads, .out = d->out};
    window_thread *threads = malloc(d->threads * sizeof *threads);
    if (threads != NULL && open_windows(&q) && d->pull.input->mapped)
        write_records(&q, threads, d);
    close_windows(&q);
    free(threads);
    return q.posted > 0 || d->pull.fault != TOOL_PULL_NONE;
}

#else

bool tool_record_threads_write(tool_record_stream *d)
{
    (void)d;
    return false;
}

#endif
