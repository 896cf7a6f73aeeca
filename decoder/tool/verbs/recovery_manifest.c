/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the notes of a recovery and the totals of both files as one JSON object. verb_recover.c calls this.
 */
#include "verbs/recovery_manifest.h"

/* Bytes collected before a write. */
#define GATHERED ((size_t)64 * 1024)

static bool flush(tool_manifest *m, size_t most)
{
    if (m->out.error != 0)
        return false;
    if (m->out.used <= most)
        return true;
    const size_t used = m->out.used;
    m->out.used = 0;
    return tool_new_file_write(m->file, m->out.at, used);
}

/* Starts a new line for the next member or element. */
static void new_line(tool_manifest *m)
{
    if (m->json.more)
        tool_put_char(&m->out, ',');
    tool_put_char(&m->out, '\n');
    m->json.more = false;
}

static void file_members(tool_json *json, const char *key, const tool_manifest_file *file, const tool_recovery *r)
{
    tool_json_object(json, key);
    tool_json_text(json, "file", file->path);
    if (file->is_range)
        tool_json_u64(json, "offset", file->offset);
    tool_json_u64(json, "size", r->tally.tiling.next);
    tool_json_text(json, "sha256", file->sha256);
    tool_json_text(json, "verdict", tool_verdict_text(r->verdict));
    tool_json_u64(json, "buffers", r->pull.reader.trace.buffers);
    tool_json_u64(json, "compressed_buffers", r->pull.reader.trace.compressed_buffers);
    tool_json_u64(json, "events", r->tally.events);
    tool_tally_json_types(json, &r->tally);
    tool_tally_json_severities(json, "findings", &r->tally);
    tool_tally_json_bytes(json, &r->tally);
    tool_json_object_end(json);
}

bool tool_manifest_open(tool_manifest *m, tool_new_file *file, const tool_manifest_file *in, const tool_recovery *r)
{
    *m = (tool_manifest){.file = file, .offset = in->offset};
    tool_output_open_memory(&m->out);
    tool_json_open(&m->json, &m->out);
    tool_json_object(&m->json, NULL);
    tool_json_text(&m->json, "etlproof", ETLPROOF_VERSION);
    new_line(m);
    file_members(&m->json, "in", in, r);
    new_line(m);
    tool_json_array(&m->json, "notes");
    return flush(m, GATHERED);
}

static const char *kind_text(etl_recovered kind)
{
    static const char *const texts[] = {
#define ETL_RECOVERED(name, text, meaning) text,
        ETL_RECOVERED_KINDS(ETL_RECOVERED)
#undef ETL_RECOVERED
    };
    return texts[kind];
}

static const etl_member_info *find_member(etl_structure_id structure, uint32_t offset)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(structure, &count);
    while (count > 1 && members->offset != offset) {
        members++;
        count--;
    }
    return members;
}

static void change_members(tool_json *json, const etl_recover_note *note)
{
    const etl_member_info *member = find_member(note->structure, note->member);
    tool_json_text(json, "structure", etl_structure_name(note->structure));
    tool_json_text(json, "member", member->name);
    tool_json_u64(json, "offset", note->offset);
    tool_json_u64(json, "size", etl_member_kind_size(member->kind));
    tool_json_u64(json, "from", note->from);
    tool_json_u64(json, "to", note->to);
}

/* `start`: where the trace of the note starts in its file. */
static void place_members(tool_json *json, const etl_recover_note *note, uint64_t start)
{
    tool_json_u64(json, "offset", note->space == ETL_SPACE_INFLATED ? note->offset : start + note->offset);
    if (note->space == ETL_SPACE_INFLATED)
        tool_json_text(json, "space", "inflated");
    tool_json_u64(json, "size", note->size);
    if (note->buffer != ETL_NO_INDEX)
        tool_json_u64(json, "buffer", note->buffer);
    if (note->event != ETL_NO_INDEX)
        tool_json_u64(json, "event", note->event);
    if (note->rule < ETL_RULE_COUNT)
        tool_json_text(json, "rule", etl_rule_get(note->rule)->id);
}

bool tool_manifest_note(tool_manifest *m, const etl_recover_note *note)
{
    new_line(m);
    tool_json_object(&m->json, NULL);
    tool_json_text(&m->json, "note", kind_text(note->kind));
    if (note->kind == ETL_RECOVERED_CHANGED)
        change_members(&m->json, note);
    else
        place_members(&m->json, note, note->kind == ETL_RECOVERED_MADE ? 0 : m->offset);
    tool_json_object_end(&m->json);
    m->notes++;
    if (note->kind == ETL_RECOVERED_DROPPED)
        m->dropped[note->space] += note->size;
    return flush(m, GATHERED);
}

static void totals(tool_manifest *m, const etl_recovery *recovery, const tool_recovery *recovered)
{
    tool_json *json = &m->json;
    tool_json_object(json, "kept");
    tool_json_u64(json, "buffers_as_they_were",
                  recovery != NULL ? recovery->buffers_kept : recovered->pull.reader.trace.buffers);
    tool_json_u64(json, "buffers_rebuilt", recovery != NULL ? recovery->buffers_rebuilt : 0);
    tool_json_u64(json, "buffers_made", recovery != NULL ? recovery->buffers_made : 0);
    tool_json_u64(json, "events", recovered->tally.events);
    tool_json_object_end(json);
    new_line(m);
    tool_json_object(json, "dropped");
    tool_json_u64(json, "events", recovery != NULL ? recovery->events_dropped : 0);
    tool_json_u64(json, "bytes", m->dropped[ETL_SPACE_FILE]);
    tool_json_u64(json, "inflated_bytes", m->dropped[ETL_SPACE_INFLATED]);
    tool_json_object_end(json);
    new_line(m);
}

bool tool_manifest_end(tool_manifest *m, const etl_recovery *recovery, const tool_manifest_file *out,
                       const tool_recovery *recovered)
{
    tool_json_array_end(&m->json);
    new_line(m);
    totals(m, recovery, recovered);
    file_members(&m->json, "out", out, recovered);
    tool_json_object_end(&m->json);
    tool_json_line(&m->json);
    return flush(m, 0);
}

void tool_manifest_close(tool_manifest *m)
{
    tool_output_free(&m->out);
}
