/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of recovery.c and rebuild.c -> a queue of steps -> one step for each call of etl_recover_next.
 */
#include "step_queue.h"

#include "scratch.h"

void etl_queue_init(etl_recovery *r)
{
    for (size_t at = 0; at < ETL_RECOVER_SCRATCH_SIZE; at += 8)
        etl_store_u64(r->scratch, at, 0);
    for (size_t at = 0; at < ETL_SCRATCH_ONES_SIZE; at += 8)
        etl_store_u64(r->scratch, ETL_SCRATCH_ONES + at, UINT64_MAX);
}

/* The queue is never full: one outcome leads to fewer steps. */
static etl_recover_pending *add(etl_recovery *r, etl_recover_step step)
{
    etl_recover_pending *pending = &r->pending[r->pending_count];
    r->pending_count += r->pending_count < ETL_RECOVER_STEPS - 1u;
    *pending = (etl_recover_pending){.step = step};
    return pending;
}

void etl_queue_write(etl_recovery *r, etl_span bytes)
{
    add(r, ETL_RECOVER_WRITE)->bytes = bytes;
    r->written += bytes.size;
}

void etl_queue_fill(etl_recovery *r, uint32_t size, bool ones)
{
    if (size == 0)
        return;
    etl_recover_pending *pending = add(r, ETL_RECOVER_WRITE);
    pending->fill = size;
    pending->ones = ones;
    r->written += size;
}

void etl_queue_patch(etl_recovery *r, unsigned slot, uint64_t at, uint32_t size, uint64_t value)
{
    const size_t place = ETL_SCRATCH_PATCH + 8 * (size_t)slot;
    etl_recover_pending *pending = add(r, ETL_RECOVER_PATCH);
    etl_store_u64(r->scratch, place, value);
    pending->bytes = etl_span_part(etl_scratch_span(r->scratch), place, size);
    pending->at = at;
}

etl_recover_note *etl_queue_note(etl_recovery *r, etl_recovered kind)
{
    etl_recover_note *note = &add(r, ETL_RECOVER_NOTE)->note;
    note->kind = kind;
    note->rule = ETL_RULE_COUNT;
    note->space = ETL_SPACE_FILE;
    note->buffer = ETL_NO_INDEX;
    note->event = ETL_NO_INDEX;
    return note;
}

void etl_queue_change(etl_recovery *r, uint64_t start, etl_structure_id structure, uint32_t member, uint64_t from,
                      uint64_t to)
{
    if (from == to)
        return;
    etl_recover_note *note = etl_queue_note(r, ETL_RECOVERED_CHANGED);
    note->offset = start + member;
    note->structure = structure;
    note->member = member;
    note->from = from;
    note->to = to;
}

/* Sets `piece` to the next part of a fill, at most as long as the bytes in the scratch. */
static void give_fill(etl_recovery *r, etl_recover_pending *pending)
{
    const uint32_t most = pending->ones ? ETL_SCRATCH_ONES_SIZE : ETL_SCRATCH_ZEROS_SIZE;
    const uint32_t size = pending->fill < most ? pending->fill : most;
    r->piece = etl_span_part(etl_scratch_span(r->scratch), pending->ones ? ETL_SCRATCH_ONES : ETL_SCRATCH_ZEROS, size);
    pending->fill -= size;
}

etl_recover_step etl_queue_next(etl_recovery *r)
{
    if (r->pending_at == r->pending_count) {
        r->pending_at = r->pending_count = 0;
        return ETL_RECOVER_WANTS;
    }
    etl_recover_pending *pending = &r->pending[r->pending_at];
    r->piece = pending->bytes;
    r->at = pending->at;
    r->note = pending->note;
    if (pending->fill > 0)
        give_fill(r, pending);
    r->pending_at += pending->fill == 0;
    return pending->step;
}
