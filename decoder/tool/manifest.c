/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest.h"

/* Bytes that are gathered before they go out. */
#define GATHERED ((size_t)64 * 1024)

static bool flush(etl_manifest *m, size_t most)
{
    if (m->out.error != 0)
        return false;
    if (m->out.used <= most)
        return true;
    const size_t used = m->out.used;
    m->out.used = 0;
    return etl_new_file_write(m->file, m->out.at, used);
}

/* What follows begins a line, behind its comma. */
static void new_line(etl_manifest *m)
{
    if (m->json.more)
        etl_out_char(&m->out, ',');
    etl_out_char(&m->out, '\n');
    m->json.more = false;
}

static void file_members(etl_json *json, const char *key, const etl_manifest_file *file, const etl_recovering *r)
{
    etl_json_object(json, key);
    etl_json_text(json, "file", file->path);
    etl_json_u64(json, "size", r->tally.tiling.next);
    etl_json_text(json, "sha256", file->sha256);
    etl_json_text(json, "verdict", etl_verdict_text(r->verdict));
    etl_json_u64(json, "buffers", r->pull.reader.trace.buffers);
    etl_json_u64(json, "compressed_buffers", r->pull.reader.trace.compressed_buffers);
    etl_json_u64(json, "events", r->tally.events);
    etl_tally_json_types(json, &r->tally);
    etl_tally_json_severities(json, "findings", &r->tally);
    etl_tally_json_bytes(json, &r->tally);
    etl_json_object_end(json);
}

bool etl_manifest_open(etl_manifest *m, etl_new_file *file, const etl_manifest_file *in, const etl_recovering *r)
{
    *m = (etl_manifest){.file = file};
    etl_out_open_memory(&m->out);
    etl_json_open(&m->json, &m->out);
    etl_json_object(&m->json, NULL);
    etl_json_text(&m->json, "etlproof", ETLPROOF_VERSION);
    new_line(m);
    file_members(&m->json, "in", in, r);
    new_line(m);
    etl_json_array(&m->json, "notes");
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

static void change_members(etl_json *json, const etl_recover_note *note)
{
    const etl_member_info *member = find_member(note->structure, note->member);
    etl_json_text(json, "structure", etl_structure_name(note->structure));
    etl_json_text(json, "member", member->name);
    etl_json_u64(json, "offset", note->offset);
    etl_json_u64(json, "size", etl_member_kind_size(member->kind));
    etl_json_u64(json, "from", note->from);
    etl_json_u64(json, "to", note->to);
}

static void place_members(etl_json *json, const etl_recover_note *note)
{
    etl_json_u64(json, "offset", note->offset);
    if (note->space == ETL_SPACE_INFLATED)
        etl_json_text(json, "space", "inflated");
    etl_json_u64(json, "size", note->size);
    if (note->buffer != ETL_NO_INDEX)
        etl_json_u64(json, "buffer", note->buffer);
    if (note->event != ETL_NO_INDEX)
        etl_json_u64(json, "event", note->event);
    if (note->rule < ETL_RULE_COUNT)
        etl_json_text(json, "rule", etl_rule_get(note->rule)->id);
}

bool etl_manifest_note(etl_manifest *m, const etl_recover_note *note)
{
    new_line(m);
    etl_json_object(&m->json, NULL);
    etl_json_text(&m->json, "note", kind_text(note->kind));
    if (note->kind == ETL_RECOVERED_CHANGED)
        change_members(&m->json, note);
    else
        place_members(&m->json, note);
    etl_json_object_end(&m->json);
    m->notes++;
    if (note->kind == ETL_RECOVERED_DROPPED)
        m->dropped[note->space] += note->size;
    return flush(m, GATHERED);
}

static void totals(etl_manifest *m, const etl_recovery *recovery, const etl_recovering *recovered)
{
    etl_json *json = &m->json;
    etl_json_object(json, "kept");
    etl_json_u64(json, "buffers_as_they_were",
                 recovery != NULL ? recovery->buffers_kept : recovered->pull.reader.trace.buffers);
    etl_json_u64(json, "buffers_rebuilt", recovery != NULL ? recovery->buffers_rebuilt : 0);
    etl_json_u64(json, "buffers_made", recovery != NULL ? recovery->buffers_made : 0);
    etl_json_u64(json, "events", recovered->tally.events);
    etl_json_object_end(json);
    new_line(m);
    etl_json_object(json, "dropped");
    etl_json_u64(json, "events", recovery != NULL ? recovery->events_dropped : 0);
    etl_json_u64(json, "bytes", m->dropped[ETL_SPACE_FILE]);
    etl_json_u64(json, "inflated_bytes", m->dropped[ETL_SPACE_INFLATED]);
    etl_json_object_end(json);
    new_line(m);
}

bool etl_manifest_end(etl_manifest *m, const etl_recovery *recovery, const etl_manifest_file *out,
                      const etl_recovering *recovered)
{
    etl_json_array_end(&m->json);
    new_line(m);
    totals(m, recovery, recovered);
    file_members(&m->json, "out", out, recovered);
    etl_json_object_end(&m->json);
    etl_json_line(&m->json);
    return flush(m, 0);
}

void etl_manifest_close(etl_manifest *m)
{
    etl_out_free(&m->out);
}
