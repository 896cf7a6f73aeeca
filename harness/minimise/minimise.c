/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimising loop: tries candidates and keeps the smallest input that still fails. Called by target_command.c and
 * exit_status.c.
 */
#include "minimise.h"

#include "io/new_file.h"

bool minimise_keep(minimise_job *job, const uint8_t *at, size_t size)
{
    static tool_new_file file;
    if (!tool_new_file_open(&file, job->out, "") || !tool_new_file_write(&file, at, size) ||
        !tool_new_file_close(&file) || !tool_new_file_keep(&file, true))
        return false;
    job->size = size;
    return true;
}

tool_exit minimise_run(minimise_job *job)
{
    const minimise_source *source = &job->source;
    const minimise_judge *judge = &job->judge;
    const uint8_t *candidate = NULL;
    size_t size;
    while ((judge->may_continue == NULL || judge->may_continue(judge->self)) &&
           (size = source->next(source->self, &candidate)) != 0) {
        const bool is_gain = source->is_gain == NULL || source->is_gain(source->self);
        bool holds = false;
        const tool_exit code = judge->holds(judge->self, candidate, size, is_gain, &holds);
        if (code != TOOL_EXIT_DONE)
            return code;
        if (holds && is_gain && !minimise_keep(job, candidate, size))
            return TOOL_EXIT_OUTPUT;
        source->tell(source->self, holds);
        judge->show_progress(judge->self, job->size);
    }
    return TOOL_EXIT_DONE;
}
