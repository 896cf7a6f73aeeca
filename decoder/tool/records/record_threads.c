/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the windows of a mapped file with several threads. The caller's thread decodes the file and prints nothing; it
 * keeps the state of the decode in front of each window. Another thread decodes that window again from this state, into
 * memory, and writes its records when those of all windows before are written. The threads share no bytes but the file's.
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
#define WINDOW ((size_t)512 << 10)
/* Bytes of records that a thread holds before it waits for its turn. */
#define RECORDS_MOST ((size_t)64 << 20)
/* Windows that wait for a thread, for each thread. */
#define WAITING 2u

typedef struct window_queue {
    pthread_mutex_t mutex; /* of all members below */
    pthread_cond_t changed;
    tool_record_stream *windows; /* a ring: the state in front of each window that waits */
    uint64_t room, posted, taken, written; /* numbers of windows */
    bool ended;   /* the last window was posted */
    bool stopped; /* output or a thread failed: write no more */
    tool_pull_fault fault; /* of the thread that failed */
    tool_output *out; /* belongs to the thread of window number `written` */
} window_queue;

typedef struct window_thread {
    window_queue *queue;
    pthread_t thread;
    tool_input input; /* a view of the file */
    tool_output records;
    tool_record_stream stream;
} window_thread;

static void change(window_queue *q)
{
    (void)pthread_cond_broadcast(&q->changed);
    (void)pthread_mutex_unlock(&q->mutex);
}

/* Takes the next window. False if there will be none. */
static bool take(window_queue *q, tool_record_stream *d, uint64_t *number)
{
    (void)pthread_mutex_lock(&q->mutex);
    while (q->taken == q->posted && !q->ended && !q->stopped)
        (void)pthread_cond_wait(&q->changed, &q->mutex);
    const bool taken = q->taken < q->posted && !q->stopped;
    if (taken) {
        *d = q->windows[q->taken % q->room];
        *number = q->taken++;
    }
    change(q);
    return taken;
}

/* Writes the records once it is the turn of window `number`. */
static void write_in_turn(window_queue *q, uint64_t number, tool_output *records)
{
    (void)pthread_mutex_lock(&q->mutex);
    while (q->written < number && !q->stopped)
        (void)pthread_cond_wait(&q->changed, &q->mutex);
    const bool stopped = q->stopped;
    (void)pthread_mutex_unlock(&q->mutex);
    if (!stopped)
        tool_put_bytes(q->out, records->at, records->used);
    records->used = 0;
}

/* Ends the turn of a window. */
static void end_turn(window_queue *q, tool_pull_fault fault)
{
    (void)pthread_mutex_lock(&q->mutex);
    if (q->fault == TOOL_PULL_NONE)
        q->fault = fault;
    q->stopped = q->stopped || fault != TOOL_PULL_NONE || q->out->error != 0;
    q->written++;
    change(q);
}

/* Replaces all that the copy of a stream shares with the original. */
static void separate(window_thread *t)
{
    tool_record_stream *d = &t->stream;
    d->silent = false;
    d->out = &t->records;
    d->json.out = &t->records;
    d->pull.input = &t->input;
    d->pull.out = &t->records;
    d->pull.progress = (tool_progress){0};
    d->pull.scratch = NULL;
    d->pull.scratch_size = 0;
    d->pull.reader.scratch = (etl_scratch){0};
}

static void write_window(window_thread *t, uint64_t number)
{
    tool_record_stream *d = &t->stream;
    separate(t);
    bool more = tool_pull_feed(&d->pull);
    while (more) {
        const etl_outcome outcome = tool_pull_next(&d->pull);
        more = tool_record_stream_step(d, outcome) && outcome != ETL_MORE;
        if (t->records.used > RECORDS_MOST)
            write_in_turn(t->queue, number, &t->records);
    }
    const tool_pull_fault fault = t->records.error != 0 ? TOOL_PULL_MEMORY : d->pull.fault;
    write_in_turn(t->queue, number, &t->records);
    end_turn(t->queue, fault);
    tool_pull_close(&d->pull);
}

static void *run_thread(void *argument)
{
    window_thread *t = argument;
    for (uint64_t number = 0; take(t->queue, &t->stream, &number);)
        write_window(t, number);
    tool_input_close(&t->input);
    tool_output_free(&t->records);
    return NULL;
}

/* Waits until a window can be posted. False if no more are wanted. */
static bool wait_for_room(window_queue *q)
{
    (void)pthread_mutex_lock(&q->mutex);
    while (q->posted - q->taken == q->room && !q->stopped)
        (void)pthread_cond_wait(&q->changed, &q->mutex);
    const bool wanted = !q->stopped;
    (void)pthread_mutex_unlock(&q->mutex);
    return wanted;
}

/* Posts the next window, and lets `d` read it too. False if no more are wanted, or the window cannot be mapped. */
static bool post(window_queue *q, tool_record_stream *d)
{
    if (!wait_for_room(q))
        return false;
    q->windows[q->posted % q->room] = *d; /* no thread looks at it before it is posted */
    if (!tool_pull_feed(&d->pull) || !d->pull.input->mapped)
        return false;
    (void)pthread_mutex_lock(&q->mutex);
    q->posted++;
    change(q);
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
    tool_output_open_memory(&t->records);
    t->records.coloured = q->out->coloured;
    return pthread_create(&t->thread, NULL, run_thread, t) == 0;
}

/* Waits until all posted windows are written. */
static void finish(window_queue *q, window_thread *threads, unsigned started)
{
    (void)pthread_mutex_lock(&q->mutex);
    q->ended = true;
    change(q);
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

bool tool_record_threads_write(tool_record_stream *d)
{
    window_queue q = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                      .room = WAITING * (uint64_t)d->threads, .out = d->out};
    window_thread *threads = malloc(d->threads * sizeof *threads);
    q.windows = malloc((size_t)q.room * sizeof *q.windows);
    if (threads != NULL && q.windows != NULL && d->pull.input->mapped)
        write_records(&q, threads, d);
    free(q.windows);
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
