/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a member in memory as text and JSON: numbers, pointers, bits, times.
 */
#include "layout/value.h"

#include <inttypes.h>
#include <string.h>

#include "etlproof/clock.h"
#include "etlproof/format.h"

#include "layout/view.h"

/* Hex digits of all bytes of a member. */
static unsigned digits_of(const etl_memory_member *member)
{
    return 2 * member->size;
}

/* The number without its sign extension. */
static uint64_t raw_number(const etl_memory_member *member, uint64_t number)
{
    return member->size < sizeof number ? number & ((UINT64_C(1) << 8 * member->size) - 1) : number;
}

static bool is_in(etl_memory_half half, uint64_t address)
{
    return half.least <= address && address <= half.most;
}

/* The half of memory that an address lies in. The half of the structure itself comes first where both are possible. */
static const char *address_text(etl_memory_layout layout, uint64_t address)
{
    static const char *const names[] = {[ETL_MEMORY_MODE_KERNEL] = "kernel", [ETL_MEMORY_MODE_USER] = "user"};
    if (address == 0)
        return "null";
    if (is_in(etl_memory_half_of(layout), address))
        return names[etl_memory_structure_get(layout.structure)->mode];
    for (layout.structure = 0; layout.structure < ETL_MEMORY_STRUCTURE_COUNT; layout.structure++)
        if (is_in(etl_memory_half_of(layout), address))
            return names[etl_memory_structure_get(layout.structure)->mode];
    return layout.arch != ETL_ARCH_X86 && address > UINT32_MAX ? "non-canonical" : "first 64 KiB";
}

/* The bits of an EX_FAST_REF that hold the reference count. */
static uint64_t count_mask(const etl_memory_member *member)
{
    return 2 * member->size - 1;
}

bool tool_layout_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t index, etl_memory_bits *bits)
{
    const etl_names modes = etl_logger_mode_names();
    if (member->meaning != ETL_MEMORY_MEANING_LOGGER_MODE)
        return etl_memory_bits_of(layout, member->meaning, index, bits);
    if (index >= modes.count)
        return false;
    *bits = (etl_memory_bits){modes.at[index].name, modes.at[index].value, ETL_EVIDENCE_PAGE, false};
    return true;
}

static bool is_taken(const etl_memory_bits *bits)
{
    return etl_evidence_get(bits->evidence)->taken;
}

bool tool_layout_next_taken_bits(etl_memory_layout layout, const etl_memory_member *member, uint32_t *at,
                                 etl_memory_bits *bits)
{
    while (tool_layout_bits(layout, member, (*at)++, bits))
        if (is_taken(bits))
            return true;
    return false;
}

void tool_layout_bits_line(tool_output *out, const char *mark, const etl_memory_bits *bits, bool evidence)
{
    tool_put_format(out, "%s              0x%08" PRIx32 "  %s%s", mark, bits->mask, bits->name,
                    bits->spare ? " (no meaning)" : "");
    tool_layout_evidence_text(out, bits->evidence, evidence);
    tool_put_char(out, '\n');
}

void tool_layout_bits_object(tool_json *json, const etl_memory_bits *bits)
{
    tool_json_object(json, NULL);
    tool_json_text(json, "name", bits->name);
    tool_json_hex(json, "mask", bits->mask, 8);
    tool_json_bool(json, "spare", bits->spare);
    tool_json_text(json, "evidence", tool_layout_evidence_name(bits->evidence));
    tool_json_bool(json, "taken", etl_evidence_get(bits->evidence)->taken);
    tool_json_object_end(json);
}

static uint32_t run_value(const etl_memory_bits *bits, uint64_t number)
{
    uint32_t value = (uint32_t)number & bits->mask;
    for (uint32_t mask = bits->mask; (mask & 1) == 0; mask >>= 1)
        value >>= 1;
    return value;
}

/* The next rejected row from `*at` on that has another name for bits of the run. */
static bool next_other(etl_memory_layout layout, const etl_memory_member *member, const etl_memory_bits *run, uint32_t *at,
                       etl_memory_bits *other)
{
    while (tool_layout_bits(layout, member, (*at)++, other))
        if (!is_taken(other) && (other->mask & run->mask) != 0 && strcmp(other->name, run->name) != 0)
            return true;
    return false;
}

/* The evidence for a taken run, and its rejected names. Nothing for plain evidence, unless `all`. */
static void run_evidence_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member,
                              const etl_memory_bits *run, bool all)
{
    const char *before = "; not taken: ";
    etl_memory_bits other;
    uint32_t at = 0;
    if (!all && tool_layout_is_plain(run->evidence))
        return;
    tool_put_format(out, " [%s", etl_evidence_get(run->evidence)->text);
    for (; next_other(layout, member, run, &at, &other); before = ", ")
        tool_put_format(out, "%s%s", before, other.name);
    tool_put_char(out, ']');
}

static void bits_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member, uint64_t number,
                      bool evidence)
{
    etl_memory_bits bits;
    if (!tool_layout_bits(layout, member, 0, &bits))
        return;
    for (uint32_t i = 0; tool_layout_bits(layout, member, i, &bits); i++) {
        if ((number & bits.mask) == 0 || !is_taken(&bits))
            continue;
        tool_put_format(out, " %s", bits.name);
        if ((bits.mask & (bits.mask - 1)) != 0)
            tool_put_format(out, "=%" PRIu32, run_value(&bits, number));
        run_evidence_text(out, layout, member, &bits, evidence);
        number &= ~(uint64_t)bits.mask;
    }
    if (number != 0)
        tool_put_format(out, " and unknown 0x%" PRIx64, number);
}

/* The set bits whose rows are taken, or those whose rows are rejected. */
static void set_bits_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member, uint64_t number,
                          bool taken)
{
    etl_memory_bits bits;
    for (uint32_t i = 0; tool_layout_bits(layout, member, i, &bits); i++) {
        if ((number & bits.mask) == 0 || is_taken(&bits) != taken)
            continue;
        tool_json_object(json, NULL);
        tool_json_text(json, "name", bits.name);
        tool_json_hex(json, "mask", bits.mask, 8);
        tool_json_u32(json, "value", run_value(&bits, number));
        tool_json_text(json, "evidence", tool_layout_evidence_name(bits.evidence));
        tool_json_object_end(json);
    }
}

static void bits_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member, uint64_t number)
{
    etl_memory_bits bits;
    if (!tool_layout_bits(layout, member, 0, &bits))
        return;
    tool_json_array(json, "bits");
    set_bits_json(json, layout, member, number, true);
    tool_json_array_end(json);
    tool_json_array(json, "bits_not_taken");
    set_bits_json(json, layout, member, number, false);
    tool_json_array_end(json);
}

static const char *clock_text(const etl_memory_member *member, uint64_t number)
{
    return member->meaning == ETL_MEMORY_MEANING_CLOCK_TYPE ? etl_clock_type_name((uint32_t)number) : NULL;
}

/* A FILETIME of 0 means not set. */
static bool time_of(const etl_memory_member *member, uint64_t number, etl_utc *utc)
{
    return member->meaning == ETL_MEMORY_MEANING_FILETIME && number != 0 && etl_filetime_utc(number, utc);
}

static void meaning_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member, uint64_t number,
                         bool evidence)
{
    etl_utc utc;
    const char *clock = clock_text(member, number);
    if (clock != NULL)
        tool_put_format(out, " %s", clock);
    if (time_of(member, number, &utc)) {
        tool_put_char(out, ' ');
        tool_put_utc(out, &utc);
    }
    bits_text(out, layout, member, number, evidence);
}

static void pointer_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member, uint64_t address)
{
    tool_put_format(out, "0x%0*" PRIx64 " %s", (int)digits_of(member), address, address_text(layout, address));
}

static const char *status_text(uint64_t status)
{
    static const char *const names[] = {"success", "informational", "warning", "error"};
    return names[status >> 30 & 3];
}

void tool_layout_value_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value, bool evidence)
{
    const uint64_t number = value->number;
    const uint64_t count = number & count_mask(member);
    switch (member->kind) {
    case ETL_MEMORY_KIND_UNSIGNED: tool_put_format(out, "%" PRIu64 " (0x%" PRIx64 ")", number, number); break;
    case ETL_MEMORY_KIND_SIGNED:
        tool_put_i64(out, (int64_t)number);
        tool_put_format(out, " (0x%" PRIx64 ")", raw_number(member, number));
        break;
    case ETL_MEMORY_KIND_POINTER: pointer_text(out, layout, member, number); break;
    case ETL_MEMORY_KIND_FAST_REF:
        pointer_text(out, layout, member, number - count);
        tool_put_format(out, ", count %" PRIu64, count);
        break;
    case ETL_MEMORY_KIND_HANDLE: tool_put_format(out, "0x%0*" PRIx64, (int)digits_of(member), number); break;
    case ETL_MEMORY_KIND_STATUS: tool_put_format(out, "0x%08" PRIx64 " %s", number, status_text(number)); break;
    case ETL_MEMORY_KIND_GUID: tool_put_guid(out, &value->guid); break;
    default: break;
    }
    meaning_text(out, layout, member, number, evidence);
}

/* Like all JSON of the command: a number of 64 bits is a string. */
static void number_json(tool_json *json, const etl_memory_member *member, uint64_t number)
{
    const bool has_sign = member->kind == ETL_MEMORY_KIND_SIGNED;
    if (has_sign && member->size < sizeof number)
        tool_json_i32(json, "value", (int32_t)(int64_t)number);
    else if (has_sign)
        tool_json_i64(json, "value", (int64_t)number);
    else if (member->size < sizeof number)
        tool_json_u32(json, "value", (uint32_t)number);
    else
        tool_json_u64(json, "value", number);
}

static void meaning_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member, uint64_t number)
{
    const char *clock = clock_text(member, number);
    etl_utc utc;
    if (clock != NULL)
        tool_json_text(json, "clock_type", clock);
    if (time_of(member, number, &utc))
        tool_json_filetime(json, "utc", number);
    bits_json(json, layout, member, number);
}

static void pointer_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member, uint64_t address)
{
    tool_json_hex(json, "value", address, digits_of(member));
    tool_json_text(json, "address", address_text(layout, address));
}

void tool_layout_value_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member,
                            const etl_memory_value *value)
{
    const uint64_t number = value->number;
    const uint64_t count = number & count_mask(member);
    switch (member->kind) {
    case ETL_MEMORY_KIND_UNSIGNED:
    case ETL_MEMORY_KIND_SIGNED: number_json(json, member, number); break;
    case ETL_MEMORY_KIND_POINTER: pointer_json(json, layout, member, number); break;
    case ETL_MEMORY_KIND_FAST_REF:
        pointer_json(json, layout, member, number - count);
        tool_json_u32(json, "reference_count", (uint32_t)count);
        break;
    case ETL_MEMORY_KIND_HANDLE: tool_json_hex(json, "value", number, digits_of(member)); break;
    case ETL_MEMORY_KIND_STATUS:
        tool_json_hex(json, "value", number, digits_of(member));
        tool_json_text(json, "severity", status_text(number));
        break;
    case ETL_MEMORY_KIND_GUID: tool_json_guid(json, "value", &value->guid); break;
    default: break;
    }
    meaning_json(json, layout, member, number);
}
