/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the bytes of regions as rows of hex, each row labelled with the structure member it is. verb_map.c calls this.
 */
#include "verbs/annotated_hex.h"

#include <inttypes.h>

#include "buffer_structure.h"
#include "span.h"

#define ROW_BYTES 16u

/* Fewer repeated rows than this are printed. */
#define SAME_ROWS 2u

static bool is_place(const tool_around *around, etl_space space, uint64_t buffer)
{
    return around->space == space && (space == ETL_SPACE_FILE || around->buffer == buffer);
}

bool tool_around_shows(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size)
{
    if (!around->limited)
        return true;
    if (!is_place(around, space, buffer))
        return false;
    uint64_t from = around->offset < TOOL_AROUND_REACH ? 0 : around->offset - TOOL_AROUND_REACH;
    return offset + size > from && (offset < around->offset || offset - around->offset <= TOOL_AROUND_REACH);
}

bool tool_around_hits(const tool_around *around, etl_space space, uint64_t buffer, uint64_t offset, uint64_t size)
{
    return around->limited && is_place(around, space, buffer) && around->offset >= offset && around->offset - offset < size;
}

/* Prints a row up to its label. False if --around leaves the row out. */
static bool row(const tool_hex *hex, etl_span bytes, uint64_t offset)
{
    tool_output *out = hex->out;
    if (!tool_around_shows(hex->around, hex->space, hex->buffer, offset, bytes.size))
        return false;
    bool hit = tool_around_hits(hex->around, hex->space, hex->buffer, offset, bytes.size);
    tool_put_format(out, "%s0x%010" PRIx64 " ", hit ? "  > " : "    ", offset);
    for (size_t i = 0; i < bytes.size; i++) {
        tool_put_char(out, ' ');
        tool_put_hex(out, etl_load_u8(bytes, i), 2);
    }
    tool_put_spaces(out, 3 * (ROW_BYTES - bytes.size) + 2);
    return true;
}

static void ascii(tool_output *out, etl_span bytes)
{
    tool_put_char(out, '|');
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t byte = etl_load_u8(bytes, i);
        tool_put_char(out, byte >= 0x20 && byte < 0x7F ? (char)byte : '.');
    }
    tool_put_char(out, '|');
}

/* True if the row at `at` repeats the row before it. */
static bool same_as_before(etl_span bytes, size_t at)
{
    if (at < ROW_BYTES || bytes.size - at < ROW_BYTES)
        return false;
    for (size_t i = 0; i < ROW_BYTES; i++)
        if (etl_load_u8(bytes, at + i) != etl_load_u8(bytes, at - ROW_BYTES + i))
            return false;
    return true;
}

/* Number of rows from `at` on that repeat the row before `at`. */
static size_t same_rows(etl_span bytes, size_t at)
{
    size_t count = 0;
    while (at < bytes.size && same_as_before(bytes, at)) {
        at += ROW_BYTES;
        count++;
    }
    return count;
}

void tool_hex_bytes(const tool_hex *hex, etl_span bytes, uint64_t offset, const char *label)
{
    for (size_t at = 0; at < bytes.size; at += ROW_BYTES) {
        /* With --around, print repeated rows: the first row of the run may be out of reach. */
        size_t same = hex->around->limited ? 0 : same_rows(bytes, at);
        if (same >= SAME_ROWS) {
            tool_put_format(hex->out, "    *            %" PRIu64 " more bytes, repeating the row above\n",
                            (uint64_t)same * ROW_BYTES);
            at += same * ROW_BYTES;
        }
        etl_span part = etl_span_part(bytes, at, ROW_BYTES);
        if (part.size == 0 || !row(hex, part, offset + at))
            continue;
        ascii(hex->out, part);
        tool_put_format(hex->out, "%s%s\n", label[0] != '\0' ? " " : "", label);
    }
}

static void number(tool_output *out, uint64_t value)
{
    tool_put_format(out, "%" PRIu64 " (0x%" PRIx64 ")", value, value);
}

static void member_value(tool_output *out, etl_member_kind kind, etl_span bytes)
{
    etl_guid guid;
    switch (kind) {
    case ETL_MEMBER_KIND_U8: number(out, etl_load_u8(bytes, 0)); break;
    case ETL_MEMBER_KIND_U16: number(out, etl_load_u16(bytes, 0)); break;
    case ETL_MEMBER_KIND_U32: number(out, etl_load_u32(bytes, 0)); break;
    case ETL_MEMBER_KIND_U64: number(out, etl_load_u64(bytes, 0)); break;
    case ETL_MEMBER_KIND_I32: tool_put_i64(out, etl_load_i32(bytes, 0)); break;
    case ETL_MEMBER_KIND_I64: tool_put_i64(out, etl_load_i64(bytes, 0)); break;
    case ETL_MEMBER_KIND_GUID:
        guid = etl_load_guid(bytes, 0);
        tool_put_guid(out, &guid);
        break;
    case ETL_MEMBER_KIND_SYSTEMTIME:
    case ETL_MEMBER_KIND_WCHAR32:
    case ETL_MEMBER_KIND_TIME_ZONE:
    case ETL_MEMBER_KIND_COUNT: break;
    }
}

/* The structure of a member that is one; ETL_STRUCTURE_COUNT for all others. */
static etl_structure_id inner_structure(etl_member_kind kind)
{
    if (kind == ETL_MEMBER_KIND_TIME_ZONE)
        return ETL_STRUCTURE_TIME_ZONE_INFORMATION;
    return kind == ETL_MEMBER_KIND_SYSTEMTIME ? ETL_STRUCTURE_SYSTEMTIME : ETL_STRUCTURE_COUNT;
}

static void member(const tool_hex *hex, etl_structure_id id, const etl_member_info *info, etl_span bytes, uint64_t offset)
{
    etl_structure_id inner = inner_structure(info->kind);
    if (inner != ETL_STRUCTURE_COUNT) {
        (void)tool_hex_structure(hex, inner, bytes, offset);
    } else if (bytes.size > ROW_BYTES) {
        tool_hex_bytes(hex, bytes, offset, info->name);
    } else if (row(hex, bytes, offset)) {
        tool_put_format(hex->out, "%s.%s = ", etl_structure_name(id), info->name);
        member_value(hex->out, info->kind, bytes);
        tool_put_char(hex->out, '\n');
    }
}

size_t tool_hex_structure(const tool_hex *hex, etl_structure_id id, etl_span bytes, uint64_t offset)
{
    size_t count = 0, end = 0;
    const etl_member_info *members = etl_structure_members(id, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t size = etl_member_kind_size(members[i].kind);
        if (!etl_span_has(bytes, members[i].offset, size))
            break;
        if (members[i].offset > end)
            tool_hex_bytes(hex, etl_span_part(bytes, end, members[i].offset - end), offset + end, "");
        member(hex, id, &members[i], etl_span_part(bytes, members[i].offset, size), offset + members[i].offset);
        end = (size_t)members[i].offset + size;
    }
    return end;
}

/* Prints a structure, and the bytes behind it under `label`. */
static void structure_and_rest(const tool_hex *hex, etl_structure_id id, etl_span bytes, uint64_t offset, const char *label)
{
    size_t end = tool_hex_structure(hex, id, bytes, offset);
    tool_hex_bytes(hex, etl_span_from(bytes, end), offset + end, label);
}

void tool_hex_buffer_header(const tool_hex *hex, const etl_buffer *buffer)
{
    etl_structure_id id = etl_buffer_structure(buffer->header.shape);
    structure_and_rest(hex, id, etl_span_first(buffer->raw, etl_structure_size_of(id)), buffer->offset, "");
}

void tool_hex_event_header(const tool_hex *hex, const etl_event *event)
{
    bool message = event->layout == ETL_LAYOUT_MESSAGE;
    structure_and_rest(hex, etl_layout_structure(event->layout), etl_span_first(event->bytes, event->header_size),
                       event->offset, message ? "parts by OptionFlags" : "PEBS index, counters");
}

void tool_hex_items(const tool_hex *hex, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item)) {
        etl_span bytes = etl_span_part(event->bytes, item.offset, item.size);
        const char *name = etl_item_type_name(item.type);
        size_t data = ETL_SIZE(EXTENDED_DATA_ITEM), padding = data + item.data.size;
        uint64_t offset = event->offset + item.offset;
        (void)tool_hex_structure(hex, ETL_STRUCTURE_EXTENDED_DATA_ITEM, etl_span_first(bytes, data), offset);
        tool_hex_bytes(hex, item.data, offset + data, name != NULL ? name : "item of unknown type");
        tool_hex_bytes(hex, etl_span_from(bytes, padding), offset + padding, "item padding");
    }
}

/* The structure at the start of the payload of an event about the trace itself; ETL_STRUCTURE_COUNT for all others. */
static etl_structure_id payload_structure(const etl_event *event)
{
    if (event->layout != ETL_LAYOUT_SYSTEM && event->layout != ETL_LAYOUT_PERFINFO)
        return ETL_STRUCTURE_COUNT;
    etl_event_fields fields;
    etl_event_read(event, &fields);
    if (fields.hook == ETL_HOOK_WMI_LOG_TYPE_HEADER && event->type == ETL_HEADER_TYPE_SYSTEM32)
        return ETL_STRUCTURE_TRACE_LOGFILE_HEADER32;
    if (fields.hook == ETL_HOOK_WMI_LOG_TYPE_HEADER && event->type == ETL_HEADER_TYPE_SYSTEM64)
        return ETL_STRUCTURE_TRACE_LOGFILE_HEADER64;
    if (fields.hook == ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION || fields.hook == ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END)
        return ETL_STRUCTURE_ETW_KERNEL_HEADER_EXTENSION;
    if (fields.hook == ETL_HOOK_Header_LastDroppedTimes)
        return ETL_STRUCTURE_LAST_DROPPED_TIMES;
    return ETL_STRUCTURE_COUNT;
}

void tool_hex_payload(const tool_hex *hex, const etl_event *event)
{
    etl_span data = etl_event_data(event);
    uint64_t offset = event->offset + event->header_size + event->items_size;
    etl_structure_id id = payload_structure(event);
    if (id == ETL_STRUCTURE_COUNT)
        tool_hex_bytes(hex, data, offset, "");
    else
        structure_and_rest(hex, id, data, offset, "");
}
