/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a buffer and reads its events in the context that the input gives, under the oracles of a whole file: a trace
 * whose header buffer was read continues with the input. Bytes after the buffer are read as further buffers. If a
 * buffer is compressed, the input is read again under tighter limits; while fuzzing, only a share of inputs. The buffer
 * lies at offset 0 of the file and around offset 2^32; while fuzzing, at one of the two.
 */
#include "context_input.h"
#include "limit_comparison.h"
#include "share.h"
#include "target.h"

/*
 * What the trace took from its header buffer. Without KNOWN, that buffer had no logfile header, and a later one counts. The
 * clock has the ticks of real files, and the compression format can be inflated.
 */
static void take_context(target_run *run, const void *context)
{
    const target_context_input *part = context;
    etl_trace *trace = &run->reader.trace;
    trace->context = part->context;
    trace->shape = part->shape;
    trace->buffers = run->oracle.buffers = 1;
    if (!part->context.known)
        return;
    trace->logfile.known = run->oracle.logfile_known = true;
    trace->logfile.pointer_size = part->context.pointer_size;
    trace->logfile.number_of_processors = 1;
    trace->logfile.log_file_mode = ETL_LOGGER_MODE_COMPRESSED_MODE;
    trace->logfile.compression_format = ETL_COMPRESSION_FORMAT_XPRESS;
    trace->logfile.clock = (etl_clock){.type = ETL_CLOCK_TYPE_PERFCOUNTER, .frequency = ETL_FILETIME_SECOND};
}

static bool same_context(const etl_context *a, const etl_context *b)
{
    return a->pointer_size == b->pointer_size && a->known == b->known && a->instance_guid == b->instance_guid &&
           a->thread_id_64 == b->thread_id_64 && a->compact_allowed == b->compact_allowed &&
           a->processor_time == b->processor_time;
}

/* A logfile header in the input, even if cut off, sets the context, but only if none was known. */
static void hold_context(target_run *run, const target_context_input *part)
{
    const etl_trace *trace = &run->reader.trace;
    const etl_context read = etl_logfile_context(&trace->logfile);
    bool chosen = same_context(&trace->context, &part->context) && trace->shape == part->shape;
    bool made = same_context(&trace->context, &read) && trace->shape == etl_logfile_shape(&trace->logfile);
    if (!chosen && (part->context.known || !made))
        oracle_break(&run->oracle, ORACLE_PROMISE_CONTEXT, trace->offset);
    target_run_hold(run);
}

/* Returns whether there is a compressed buffer. */
static bool decode(const target_context_input *part, bool far)
{
    static target_run run;
    bool limited = false;
    target_run_begin(&run, part->bytes, false);
    take_context(&run, part);
    if (far)
        target_run_far(&run);
    while (target_run_advance(&run))
        limited |= target_is_limited(&run);
    hold_context(&run, part);
    target_run_finish(&run);
    return limited;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const engine_share share = engine_share_of((etl_span){data, size});
    target_context_input part;
    bool limited = false;
    if (!target_context_input_take(data, size, &part))
        return 0;
    for (unsigned i = 0; i < 2; i++)
        if (engine_share_has(share, i, 2))
            limited |= decode(&part, i == 1);
    if (limited && engine_share_has(share, 0, ENGINE_SHARE_RARE))
        target_hold_limits(part.bytes, take_context, &part);
    target_context_input_free(&part);
    return 0;
}
