/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --extract: the buffers of a session in a memory image (memory_buffers.h) -> an .etl file, behind a
 * logfile header that was found among them or is made from the session (session_header.h). Bytes of events stay as they
 * are: repairs are left to `etlproof recover`.
 */
#include "layout/layout_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/new_file.h"
#include "io/options.h"
#include "io/output.h"
#include "io/paths.h"
#include "io/seek.h"
#include "layout/session_header.h"
#include "scratch.h"
#include "verbs/recovery_passes.h"

/* More than the bytes of any structure. */
#define STRUCTURE_MOST 0x1000u

typedef struct extract_job {
    const tool_layout_request *request;
    FILE *image;
    uint8_t structure[STRUCTURE_MOST];
    size_t structure_size; /* bytes of it that the file has */
    tool_memory_session session;
    tool_memory_buffers found;
    uint8_t *block, *before; /* BufferSize bytes each: the current buffer, and the one written before it */
    const tool_memory_buffer *written; /* the buffer in `before`; NULL before the first */
    uint64_t image_size;
    /* Bytes of FILE that are in OUT, behind the events of buffers, and in copies; the rest is outside buffers. */
    uint64_t kept, behind, copied;
    uint64_t buffers, cuts, copies;
    bool damaged;          /* a finding about the session is an error */
    tool_new_file output;
    tool_output out;
    tool_recovery check;   /* of OUT, read back */
} extract_job;

static bool read_at(const extract_job *j, uint64_t offset, uint8_t *bytes, size_t size, size_t *got)
{
    errno = 0;
    const bool placed = tool_seek(j->image, offset, SEEK_SET);
    *got = placed ? fread(bytes, 1, size, j->image) : 0;
    if (placed && !ferror(j->image))
        return true;
    tool_print_error("%s: cannot read: %s", j->request->file, strerror(errno));
    return false;
}

static etl_span structure_of(const extract_job *j)
{
    return (etl_span){j->structure, j->structure_size};
}

static void check_session(extract_job *j)
{
    static etl_findings findings; /* too large for every stack */
    findings.count = 0;
    etl_memory_check(j->request->layout, structure_of(j), j->request->offset, &findings);
    for (uint32_t i = 0; i < findings.count; i++)
        j->damaged |= etl_rule_get(findings.at[i].rule)->severity == ETL_SEVERITY_ERROR;
    if (j->damaged)
        tool_print_error("%s: the session at 0x%" PRIx64 " is damaged; without --extract, its findings are printed",
                         j->request->file, j->request->offset);
}

/* Reads the session. Without a valid BufferSize, its buffers cannot be told from other memory. */
static tool_exit read_session(extract_job *j)
{
    const etl_memory_layout layout = j->request->layout;
    if (!read_at(j, j->request->offset, j->structure, etl_memory_size(layout), &j->structure_size))
        return TOOL_EXIT_INPUT;
    const uint64_t size = tool_session_number(layout, structure_of(j), "BufferSize");
    j->session.logger_id = (uint32_t)tool_session_number(layout, structure_of(j), "LoggerId");
    j->session.buffer_size = (uint32_t)size;
    if (size < ETL_MEMORY_BUFFER_SIZE_LEAST || size > ETL_MEMORY_BUFFER_SIZE_MOST ||
        size % ETL_MEMORY_BUFFER_SIZE_LEAST != 0) {
        tool_print_error("%s: no session at 0x%" PRIx64 ": BufferSize is 0x%" PRIx64
                         "; expected a multiple of 0x%x, up to 0x%x",
                         j->request->file, j->request->offset, size, ETL_MEMORY_BUFFER_SIZE_LEAST,
                         ETL_MEMORY_BUFFER_SIZE_MOST);
        return TOOL_EXIT_NOT_ETL;
    }
    check_session(j);
    return TOOL_EXIT_CONFORMING;
}

static tool_exit find_buffers(extract_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->request->file))
        return TOOL_EXIT_INPUT;
    const tool_exit code = tool_memory_buffers_find(&j->found, &j->session, &input);
    j->image_size = input.size;
    tool_input_close(&input);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    tool_memory_buffers_sort(&j->found);
    if (j->found.count > 0)
        return TOOL_EXIT_CONFORMING;
    tool_print_error("%s: no buffer with LoggerId %" PRIu32 " and BufferSize 0x%" PRIx32, j->request->file,
                     j->session.logger_id, j->session.buffer_size);
    return TOOL_EXIT_NOT_ETL;
}

/* Memory often has a buffer twice: where the session filled it, and in the cache of its file. */
static bool is_copy(const extract_job *j, const tool_memory_buffer *b)
{
    const tool_memory_buffer *w = j->written;
    return w != NULL && w->sequence == b->sequence && w->time == b->time && w->processor == b->processor &&
           w->extent == b->extent &&
           memcmp(j->before + ETL_BUFFER_SIZE_MIN, j->block + ETL_BUFFER_SIZE_MIN, b->extent - ETL_BUFFER_SIZE_MIN) == 0;
}

/* Makes the members of the header those of a buffer in a file, and hides leftovers behind the events. */
static void close_buffer(extract_job *j, const tool_memory_buffer *b)
{
    const etl_scratch block = {j->block, b->size};
    etl_store_u32(block, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), b->size);
    etl_store_u32(block, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), b->extent);
    etl_store_u32(block, ETL_AT(WMI_BUFFER_HEADER_61, Offset), b->extent);
    etl_store_u32(block, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_BUFFER_STATE_Flush);
    memset(j->block + b->extent, 0xFF, b->size - b->extent);
}

static void put_buffer(extract_job *j, const tool_memory_buffer *b, const char *what)
{
    tool_put_format(&j->out, "0x%010" PRIx64 "  0x%" PRIx32 " bytes, events up to 0x%" PRIx32 ", sequence %" PRId64
                    ", processor %u%s\n",
                    b->offset, b->size, b->extent, b->sequence, (unsigned)b->processor, what);
}

static tool_exit write_buffer(extract_job *j, const tool_memory_buffer *b)
{
    size_t got;
    if (!read_at(j, b->offset, j->block, b->size, &got))
        return TOOL_EXIT_INPUT;
    if (got < b->size) {
        tool_print_error("%s: changed while it was being read", j->request->file);
        return TOOL_EXIT_INPUT;
    }
    if (is_copy(j, b)) {
        j->copies++;
        j->copied += b->size;
        put_buffer(j, b, ": left out, a copy of the one before");
        return TOOL_EXIT_CONFORMING;
    }
    put_buffer(j, b, b->cut ? ": cut, its events went on" : "");
    close_buffer(j, b);
    if (!tool_new_file_write(&j->output, j->block, b->size))
        return TOOL_EXIT_OUTPUT;
    j->buffers++;
    j->cuts += b->cut;
    j->kept += b->extent;
    j->behind += b->size - b->extent;
    uint8_t *const block = j->block;
    j->block = j->before;
    j->before = block;
    j->written = b;
    return TOOL_EXIT_CONFORMING;
}

/* A logfile header made from the session, in a buffer of its own. */
static tool_exit write_made(extract_job *j)
{
    tool_session_totals totals = {.buffers = j->found.count + 1};
    for (size_t i = 0; i < j->found.count; i++)
        if (j->found.at[i].processor >= totals.processors)
            totals.processors = j->found.at[i].processor + 1u;
    memset(j->block, 0xFF, j->session.buffer_size);
    uint8_t header[TOOL_SESSION_HEADER_SIZE];
    const uint32_t extent = tool_session_header(j->request->layout, structure_of(j), totals, header);
    memcpy(j->block, header, extent);
    tool_put_text(&j->out, "logfile header: made from the session\n");
    return tool_new_file_write(&j->output, j->block, j->session.buffer_size) ? TOOL_EXIT_CONFORMING : TOOL_EXIT_OUTPUT;
}

/* The buffer with the logfile header comes first; the others keep their order. */
static tool_exit write_buffers(extract_job *j)
{
    size_t first = 0;
    while (first < j->found.count && !j->found.at[first].has_logfile)
        first++;
    tool_exit code = first < j->found.count ? write_buffer(j, &j->found.at[first]) : write_made(j);
    for (size_t i = 0; i < j->found.count && code == TOOL_EXIT_CONFORMING; i++)
        if (i != first)
            code = write_buffer(j, &j->found.at[i]);
    return code;
}

/* Reads OUT back, as `etlproof validate` does, and returns its exit code. */
static tool_exit check_output(extract_job *j)
{
    tool_input input;
    if (!tool_input_open(&input, j->output.beside))
        return TOOL_EXIT_OUTPUT;
    const tool_exit code = tool_recovery_survey(&j->check, &input, ETL_LIMITS_DEFAULT);
    tool_input_close(&input);
    if (code != TOOL_EXIT_NOT_ETL)
        return code;
    tool_print_error(
        "%s: internal error, a bug of etlproof and not a fault of the file: what was extracted is no ETL file",
        j->request->file);
    return TOOL_EXIT_INTERNAL;
}

static tool_exit print_summary(extract_job *j, tool_exit checked)
{
    const uint64_t left = j->image_size - j->kept - j->behind - j->copied;
    tool_put_format(&j->out, "%" PRIu64 " bytes: %" PRIu64 " in headers and events, %" PRIu64
                    " behind the events of buffers, %" PRIu64 " in copies, %" PRIu64 " outside buffers\n",
                    j->image_size, j->kept, j->behind, j->copied, left);
    tool_put_name(&j->out, j->request->extract);
    tool_put_text(&j->out, ": ");
    tool_put_counted(&j->out, j->check.tally.events, "event");
    tool_put_text(&j->out, " in ");
    tool_put_counted(&j->out, j->buffers, "buffer");
    tool_put_text(&j->out, ", ");
    tool_put_counted(&j->out, j->cuts, "cut buffer");
    tool_put_text(&j->out, checked == TOOL_EXIT_CONFORMING ? "; conforming\n"
                                                            : "; damaged, 'etlproof recover' repairs it\n");
    return tool_exit_worse(checked, j->cuts > 0 || j->damaged ? TOOL_EXIT_DAMAGED : TOOL_EXIT_CONFORMING);
}

static tool_exit write_file(extract_job *j)
{
    if (!tool_new_file_open(&j->output, j->request->extract, ""))
        return TOOL_EXIT_OUTPUT;
    const tool_exit written = write_buffers(j);
    if (written != TOOL_EXIT_CONFORMING)
        return written;
    if (!tool_new_file_sync(&j->output) || !tool_new_file_close(&j->output))
        return TOOL_EXIT_OUTPUT;
    const tool_exit checked = check_output(j);
    if (checked != TOOL_EXIT_CONFORMING && checked != TOOL_EXIT_DAMAGED && checked != TOOL_EXIT_LIMIT)
        return checked;
    if (!tool_new_file_keep(&j->output, j->request->force))
        return TOOL_EXIT_OUTPUT;
    tool_path_sync_name(j->request->extract);
    return print_summary(j, checked);
}

static tool_exit extract(extract_job *j)
{
    tool_exit code = read_session(j);
    if (code == TOOL_EXIT_CONFORMING)
        code = find_buffers(j);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    j->block = malloc(j->session.buffer_size);
    j->before = malloc(j->session.buffer_size);
    if (j->block != NULL && j->before != NULL)
        return write_file(j);
    tool_print_error("out of memory");
    return TOOL_EXIT_LIMIT;
}

static tool_exit check_request(extract_job *j)
{
    const tool_layout_request *r = j->request;
    if (r->layout.structure != ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT)
        return tool_usage("layout", "--extract needs a session of the kernel, WMI_LOGGER_CONTEXT", NULL);
    if (!tool_session_shape(r->layout, &j->session.shape))
        return tool_usage("layout", "--extract needs Windows 6.0 or later: earlier buffers have no BufferSize in memory",
                          etl_windows_get(r->layout.windows)->text);
    if (strcmp(r->extract, "-") == 0)
        return tool_usage("layout", "the file of --extract cannot be standard output", NULL);
    if (strcmp(r->file, "-") == 0 || !tool_path_ordinary(r->file)) {
        tool_print_error("layout: %s: not a regular file; --extract reads it more than once", r->file);
        return TOOL_EXIT_INPUT;
    }
    return tool_new_file_check("layout", r->file, r->extract, r->force);
}

tool_exit tool_layout_extract(const tool_layout_request *request)
{
    static extract_job j; /* the output must live as long as the process */
    j.request = request;
    tool_exit code = check_request(&j);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    j.image = fopen(request->file, "rb");
    if (j.image == NULL) {
        tool_print_error("%s: cannot open: %s", request->file, strerror(errno));
        return TOOL_EXIT_INPUT;
    }
    tool_output_open(&j.out);
    code = extract(&j);
    const tool_exit closed = tool_output_close(&j.out);
    tool_new_file_drop(&j.output);
    tool_memory_buffers_free(&j.found);
    free(j.block);
    free(j.before);
    (void)fclose(j.image);
    return closed != TOOL_EXIT_CONFORMING ? closed : code;
}
