/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target (TARGET, its name) passes on a small input, also when the input is cut off or changed in one byte, and fails
 * by the right oracle as soon as the decoder is wrong. Each function below changes the result of a function of the
 * decoder as the row under test requires.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etlproof/etlproof.h"
#include "sound_inputs.h"
#include "target_run.h"
#include "fault_injection.h"
#include "target.h"

/* FAULT(name, target, oracle): the fault, the target that it is injected into, and the oracle that must fail. */
#define FAULTS(FAULT) \
    FAULT(FRAME_SIZE, "fuzz_event", "event-frame") \
    FAULT(FRAME_PARTS, "fuzz_event", "event-parts") \
    FAULT(FRAME_REFUSED, "fuzz_event", "event-frame") \
    FAULT(FRAME_BY_SLACK, "fuzz_event", "same-frame") \
    FAULT(FRAME_FINDING_LAYER, "fuzz_event", "finding-layer") \
    FAULT(FRAME_FINDING_PLACE, "fuzz_event", "finding-place") \
    FAULT(FRAME_OVERFLOW, "fuzz_event", "finding-count") \
    FAULT(FRAME_UNSAID, "fuzz_event", "event-reason") \
    FAULT(PLAUSIBLE, "fuzz_event", "plausible") \
    FAULT(READ_KEYWORD, "fuzz_event", "event-fields") \
    FAULT(READ_PMC, "fuzz_event", "event-fields") \
    FAULT(READ_PARENT, "fuzz_event", "event-fields") \
    FAULT(REGION_MISSING, "fuzz_event", "regions") \
    FAULT(REGION_KIND, "fuzz_event", "region") \
    FAULT(REGION_OTHER_KIND, "fuzz_event", "regions") \
    FAULT(REGION_UNCOUNTED, "fuzz_event", "bytes") \
    FAULT(REGION_COUNTED_AS_TAIL, "fuzz_event", "bytes") \
    FAULT(DATA_SHORT, "fuzz_event", "event-parts") \
    FAULT(MEASURE_SHORT, "fuzz_event", "items") \
    FAULT(MEASURE_SHORT_ALONE, "fuzz_items", "chain") \
    FAULT(MEASURE_CUT, "fuzz_items", "chain") \
    FAULT(NEXT_OFFSET, "fuzz_items", "items") \
    FAULT(NEXT_ENDS, "fuzz_items", "items") \
    FAULT(NEXT_TYPE, "fuzz_items", "item") \
    FAULT(NEXT_LAYOUT, "fuzz_items", "item") \
    FAULT(ITEM_GUID, "fuzz_items", "item") \
    FAULT(ITEM_U32, "fuzz_items", "item") \
    FAULT(ITEM_U64, "fuzz_items", "item") \
    FAULT(ITEM_U64_COUNT, "fuzz_items", "item") \
    FAULT(ITEM_INSTANCE, "fuzz_items", "item") \
    FAULT(ITEM_MATCH_ID, "fuzz_items", "item") \
    FAULT(ITEM_ADDRESS_COUNT, "fuzz_items", "item") \
    FAULT(ITEM_ADDRESS, "fuzz_items", "item") \
    FAULT(ITEM_STACK_KEY, "fuzz_items", "item") \
    FAULT(ITEM_SID, "fuzz_items", "item") \
    FAULT(ITEM_SID_REFUSED, "fuzz_items", "item") \
    FAULT(SCHEMA_TAG, "fuzz_items", "item") \
    FAULT(SCHEMA_NAME, "fuzz_items", "item") \
    FAULT(SCHEMA_REFUSED, "fuzz_items", "item") \
    FAULT(SCHEMA_SHORT, "fuzz_items", "item") \
    FAULT(SCHEMA_FIELD, "fuzz_items", "item") \
    FAULT(SCHEMA_FIELD_ENDS, "fuzz_items", "item") \
    FAULT(TRAITS_GROUP, "fuzz_items", "item") \
    FAULT(TRAITS_DECODE, "fuzz_items", "item") \
    FAULT(TRAITS_REFUSED, "fuzz_items", "item") \
    FAULT(LOGFILE_MEMBER, "fuzz_logfile", "logfile") \
    FAULT(LOGFILE_NAME, "fuzz_logfile", "logfile") \
    FAULT(LOGFILE_UNKNOWN, "fuzz_logfile", "logfile") \
    FAULT(CONTEXT, "fuzz_logfile", "context") \
    FAULT(SHAPE, "fuzz_logfile", "context") \
    FAULT(LOGFILE_CLOCK, "fuzz_logfile", "context") \
    FAULT(FILETIME_OF_LOGFILE, "fuzz_logfile", "filetime") \
    FAULT(LOGFILE_SAME, "fuzz_logfile", "finding-due") \
    FAULT(LOGFILE_FAR, "fuzz_logfile", "finding-due") \
    FAULT(MESSAGE_SHORT, "fuzz_message", "message") \
    FAULT(MESSAGE_TIME, "fuzz_message", "message") \
    FAULT(POINTER_SIZE, "fuzz_message", "message") \
    FAULT(READ_SEQUENCE, "fuzz_message", "event-fields") \
    FAULT(FILETIME, "fuzz_clock", "filetime") \
    FAULT(FILETIME_NONE, "fuzz_clock", "filetime") \
    FAULT(UTC, "fuzz_clock", "calendar") \
    FAULT(UTC_NONE, "fuzz_clock", "calendar") \
    FAULT(MEMORY_ORDER, "fuzz_layout", "memory") \
    FAULT(MEMORY_SIZE, "fuzz_layout", "memory") \
    FAULT(MEMORY_ELEMENT, "fuzz_layout", "memory") \
    FAULT(MEMORY_PART, "fuzz_layout", "memory") \
    FAULT(MEMORY_NUMBER, "fuzz_layout", "memory") \
    FAULT(MEMORY_GUID, "fuzz_layout", "memory") \
    FAULT(MEMORY_REFUSED, "fuzz_layout", "memory") \
    FAULT(MEMORY_LAYER, "fuzz_layout", "finding-layer") \
    FAULT(MEMORY_PLACE, "fuzz_layout", "finding-place") \
    FAULT(MEMORY_MISSES, "fuzz_layout", "finding-due") \
    FAULT(MEMORY_FORGETS, "fuzz_layout", "memory-cut") \
    FAULT(MEMORY_INVENTS, "fuzz_layout", "memory-cut") \
    FAULT(GUESS_SCORE, "fuzz_layout", "guess") \
    FAULT(GUESS_FLOOR, "fuzz_layout", "guess") \
    FAULT(GUESS_CLUE, "fuzz_layout", "guess") \
    FAULT(GUESS_SAME, "fuzz_layout", "guess") \
    FAULT(HEADER_PROCESSOR, "fuzz_buffer", "buffer-header") \
    FAULT(HEADER_SEQUENCE, "fuzz_buffer", "buffer-header") \
    FAULT(HEADER_CLOCK, "fuzz_buffer", "buffer-header") \
    FAULT(BUFFER_REGION_KIND, "fuzz_buffer", "regions") \
    FAULT(BUFFER_REST_KIND, "fuzz_buffer", "regions") \
    FAULT(WALK_OFFSET, "fuzz_buffer", "event-bounds") \
    FAULT(WALK_FAR, "fuzz_buffer", "event-bounds") \
    FAULT(WALK_INDEX, "fuzz_buffer", "event-index") \
    FAULT(WALK_INTERNAL, "fuzz_buffer", "internal") \
    FAULT(WALK_ENDS, "fuzz_buffer", "tiling") \
    FAULT(WALK_GAP_TWICE, "fuzz_buffer", "tiling") \
    FAULT(WALK_SLACK, "fuzz_buffer", "silent-loss") \
    FAULT(LIMITS_NONE, "fuzz_buffer", "limits") \
    FAULT(TRACE_CONTEXT, "fuzz_buffer", "context") \
    FAULT(TRACE_TAIL, "fuzz_buffer", "finding-due") \
    FAULT(TRACE_HANGS, "fuzz_buffer", "work")

enum {
    NONE,
#define FAULT(name, target, oracle) name,
    FAULTS(FAULT)
#undef FAULT
};

static const fault_row rows[] = {
#define FAULT(name, target, oracle) {name, #name, target, "oracle " oracle " broken"},
    FAULTS(FAULT)
#undef FAULT
};

/* `amount` if the fault is injected, else 0. */
static uint8_t by(unsigned name, uint8_t amount)
{
    return injected_fault == name ? amount : 0;
}

static void inject_into_event(etl_span data, uint32_t extent, etl_event *event)
{
    event->size += injected_fault == FRAME_SIZE;
    event->bytes.size += injected_fault == FRAME_SIZE;
    event->data_size += injected_fault == FRAME_SIZE || injected_fault == FRAME_PARTS;
    event->has_time ^= injected_fault == MESSAGE_TIME;
    if (injected_fault == FRAME_BY_SLACK && extent < data.size)
        event->type ^= 1;
    if (injected_fault == MESSAGE_SHORT) {
        event->header_size -= 8;
        event->data_size += 8;
    }
}

static void add_finding(etl_findings *findings, etl_rule rule, uint64_t offset)
{
    findings->at[findings->count++] = (etl_finding){.rule = rule, .offset = offset};
}

WRAP(bool, etl_event_frame, (etl_span data, uint32_t at, uint32_t extent, etl_event *event, etl_findings *findings))
{
    bool framed = __real_etl_event_frame(data, at, extent, event, findings);
    if (framed)
        inject_into_event(data, extent, event);
    if (injected_fault == FRAME_FINDING_LAYER)
        add_finding(findings, ETL_RULE_LFH_001, event->offset);
    if (injected_fault == FRAME_FINDING_PLACE)
        add_finding(findings, ETL_RULE_EXT_005, event->offset + event->size + 1);
    findings->overflow |= injected_fault == FRAME_OVERFLOW;
    if (injected_fault == FRAME_REFUSED)
        add_finding(findings, ETL_RULE_SIZ_001, event->offset);
    if (injected_fault == FRAME_UNSAID && !framed)
        findings->count = 0;
    return framed && injected_fault != FRAME_REFUSED;
}

WRAP(bool, etl_event_plausible, (etl_span data, uint32_t at, uint32_t extent))
{
    return __real_etl_event_plausible(data, at, extent) || injected_fault == PLAUSIBLE;
}

WRAP(void, etl_event_read, (const etl_event *event, etl_event_fields *fields))
{
    __real_etl_event_read(event, fields);
    fields->keyword += injected_fault == READ_KEYWORD;
    fields->pmc[1] += injected_fault == READ_PMC && fields->pmc_count == 2;
    fields->parent_provider.data4[7] ^= by(READ_PARENT, 1);
    fields->sequence += injected_fault == READ_SEQUENCE;
}

WRAP(size_t, etl_event_regions, (const etl_event *event, etl_region regions[ETL_EVENT_REGIONS]))
{
    size_t count = __real_etl_event_regions(event, regions);
    if (injected_fault == REGION_KIND)
        regions[0].kind = ETL_REGION_COUNT;
    for (size_t i = 0; injected_fault == REGION_OTHER_KIND && i < count; i++)
        regions[i].kind = regions[i].kind == ETL_REGION_PAYLOAD ? ETL_REGION_SLACK : regions[i].kind;
    return count - (injected_fault == REGION_MISSING);
}

WRAP(void, etl_tiling_add, (etl_tiling * tiling, const etl_region *region))
{
    etl_region counted = *region;
    if (injected_fault == REGION_COUNTED_AS_TAIL)
        counted.kind = ETL_REGION_TAIL;
    __real_etl_tiling_add(tiling, &counted);
    tiling->bytes[region->kind] -=
        injected_fault == REGION_UNCOUNTED && region->kind == ETL_REGION_PADDING ? region->size : 0;
}

WRAP(etl_span, etl_event_data, (const etl_event *event))
{
    etl_span data = __real_etl_event_data(event);
    data.size -= injected_fault == DATA_SHORT;
    return data;
}

WRAP(uint8_t, etl_event_pointer_size, (const etl_event *event))
{
    return (uint8_t)(__real_etl_event_pointer_size(event) + (injected_fault == POINTER_SIZE));
}

WRAP(uint32_t, etl_items_measure, (const etl_event *event, uint32_t at, bool *whole, etl_findings *findings))
{
    uint32_t size = __real_etl_items_measure(event, at, whole, findings);
    *whole ^= injected_fault == MEASURE_CUT;
    return size - by(MEASURE_SHORT, 8) - by(MEASURE_SHORT_ALONE, 8);
}

WRAP(bool, etl_items_next, (etl_items *items, etl_item *item))
{
    bool more = __real_etl_items_next(items, item);
    item->offset += by(NEXT_OFFSET, 8);
    item->type = (uint16_t)(item->type ^ (injected_fault == NEXT_TYPE));
    if (injected_fault == NEXT_LAYOUT)
        item->layout = ETL_ITEM_LAYOUT_BYTES;
    return more && !(injected_fault == NEXT_ENDS && items->at == items->bytes.size);
}

WRAP(etl_guid, etl_item_guid, (const etl_item *item))
{
    etl_guid guid = __real_etl_item_guid(item);
    guid.data4[7] ^= by(ITEM_GUID, 1);
    return guid;
}

WRAP(uint32_t, etl_item_u32, (const etl_item *item))
{
    return __real_etl_item_u32(item) + (injected_fault == ITEM_U32);
}

WRAP(uint64_t, etl_item_u64, (const etl_item *item, uint32_t index))
{
    return __real_etl_item_u64(item, index) + (injected_fault == ITEM_U64);
}

WRAP(uint32_t, etl_item_u64_count, (const etl_item *item))
{
    return __real_etl_item_u64_count(item) - (injected_fault == ITEM_U64_COUNT);
}

WRAP(etl_item_instance, etl_item_instance_info, (const etl_item *item))
{
    etl_item_instance info = __real_etl_item_instance_info(item);
    info.parent_instance_id += injected_fault == ITEM_INSTANCE;
    return info;
}

WRAP(uint64_t, etl_item_match_id, (const etl_item *item))
{
    return __real_etl_item_match_id(item) + (injected_fault == ITEM_MATCH_ID);
}

WRAP(uint32_t, etl_item_address_count, (const etl_item *item))
{
    return __real_etl_item_address_count(item) - (injected_fault == ITEM_ADDRESS_COUNT);
}

WRAP(uint64_t, etl_item_address, (const etl_item *item, uint32_t index))
{
    return __real_etl_item_address(item, index) + (injected_fault == ITEM_ADDRESS && index > 0);
}

WRAP(uint64_t, etl_item_stack_key, (const etl_item *item))
{
    return __real_etl_item_stack_key(item) + (injected_fault == ITEM_STACK_KEY);
}

WRAP(bool, etl_sid_read, (etl_span data, etl_sid *sid))
{
    bool whole = __real_etl_sid_read(data, sid);
    sid->sub_authority[1] += injected_fault == ITEM_SID;
    return whole && injected_fault != ITEM_SID_REFUSED;
}

WRAP(bool, etl_schema_read, (etl_span data, etl_schema *schema))
{
    bool whole = __real_etl_schema_read(data, schema);
    schema->tag += injected_fault == SCHEMA_TAG;
    schema->name.size += injected_fault == SCHEMA_NAME;
    schema->fields.size -= whole && injected_fault == SCHEMA_SHORT;
    return whole && injected_fault != SCHEMA_REFUSED;
}

WRAP(bool, etl_schema_next, (etl_span *rest, etl_schema_field *field))
{
    bool more = __real_etl_schema_next(rest, field);
    field->count = (uint16_t)(field->count + (injected_fault == SCHEMA_FIELD));
    return more && injected_fault != SCHEMA_FIELD_ENDS;
}

WRAP(bool, etl_traits_read, (etl_span data, etl_traits *traits))
{
    bool whole = __real_etl_traits_read(data, traits);
    traits->group.data4[7] ^= by(TRAITS_GROUP, 1);
    traits->has_decode ^= injected_fault == TRAITS_DECODE;
    return whole && injected_fault != TRAITS_REFUSED;
}

WRAP(void, etl_logfile_read,
     (etl_span buffer, size_t offset, uint64_t origin, etl_logfile *logfile, etl_findings *findings))
{
    __real_etl_logfile_read(buffer, offset, origin, logfile, findings);
    logfile->buffers_lost += injected_fault == LOGFILE_MEMBER;
    logfile->log_file_name.size += by(LOGFILE_NAME, 2);
    logfile->known ^= injected_fault == LOGFILE_UNKNOWN;
    logfile->clock.type += injected_fault == LOGFILE_CLOCK;
}

WRAP(void, etl_logfile_compare,
     (etl_span buffer, size_t offset, uint64_t origin, const etl_clock *first, etl_findings *findings))
{
    __real_etl_logfile_compare(buffer, offset, origin, first, findings);
    if (injected_fault == LOGFILE_SAME && findings->count > 0)
        findings->at[0].rule = ETL_RULE_LFH_012;
    if (injected_fault == LOGFILE_FAR && findings->count > 0)
        findings->at[0].offset &= UINT32_MAX;
}

WRAP(etl_context, etl_logfile_context, (const etl_logfile *logfile))
{
    etl_context context = __real_etl_logfile_context(logfile);
    context.instance_guid ^= injected_fault == CONTEXT;
    return context;
}

WRAP(etl_buffer_shape, etl_logfile_shape, (const etl_logfile *logfile))
{
    return injected_fault == SHAPE ? ETL_BUFFER_SHAPE_50 : __real_etl_logfile_shape(logfile);
}

WRAP(bool, etl_clock_filetime, (const etl_clock *clock, int64_t ticks, uint64_t *filetime))
{
    bool known = __real_etl_clock_filetime(clock, ticks, filetime);
    *filetime += known && (injected_fault == FILETIME || injected_fault == FILETIME_OF_LOGFILE);
    return known && injected_fault != FILETIME_NONE;
}

WRAP(bool, etl_filetime_utc, (uint64_t filetime, etl_utc *utc))
{
    bool known = __real_etl_filetime_utc(filetime, utc);
    if (known)
        utc->day = (uint8_t)(utc->day + (injected_fault == UTC));
    return known && injected_fault != UTC_NONE;
}

WRAP(bool, etl_memory_next, (etl_memory_walk *walk, etl_memory_member *member))
{
    const bool next = __real_etl_memory_next(walk, member);
    if (next && member->kind == ETL_MEMORY_KIND_GUID)
        member->offset -= by(MEMORY_ORDER, 4);
    if (next && injected_fault == MEMORY_SIZE)
        member->offset += 0x1000;
    return next;
}

WRAP(etl_memory_member, etl_memory_element, (const etl_memory_member *member, uint32_t index))
{
    etl_memory_member element = __real_etl_memory_element(member, index);
    if (injected_fault == MEMORY_ELEMENT && index == 1)
        element.offset += element.align;
    return element;
}

WRAP(bool, etl_memory_part, (const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part))
{
    const bool found = __real_etl_memory_part(member, arch, index, part);
    part->offset += by(MEMORY_PART, 1);
    return found;
}

WRAP(bool, etl_memory_read, (etl_span structure, const etl_memory_member *member, etl_memory_value *value))
{
    const bool whole = __real_etl_memory_read(structure, member, value);
    value->number ^= by(MEMORY_NUMBER, 1);
    if (member->kind == ETL_MEMORY_KIND_GUID)
        value->guid.data3 ^= by(MEMORY_GUID, 1);
    return whole && injected_fault != MEMORY_REFUSED;
}

WRAP(void, etl_memory_check, (etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings))
{
    const bool is_cut = structure.size < etl_memory_size(layout);
    __real_etl_memory_check(layout, structure, offset, findings);
    if (injected_fault == MEMORY_LAYER)
        add_finding(findings, ETL_RULE_LFH_001, offset);
    if (injected_fault == MEMORY_PLACE)
        add_finding(findings, ETL_RULE_LAY_004, offset - 1);
    if (injected_fault == MEMORY_MISSES)
        add_finding(findings, ETL_RULE_LAY_004, offset);
    if (injected_fault == MEMORY_FORGETS && is_cut)
        findings->count = 0;
    if (injected_fault == MEMORY_INVENTS && is_cut)
        add_finding(findings, ETL_RULE_LAY_004, offset);
}

WRAP(etl_clue, etl_guess_clue, (const etl_guess_plan *plan, uint32_t index, etl_span structure))
{
    return injected_fault == GUESS_CLUE ? ETL_CLUE_COUNT : __real_etl_guess_clue(plan, index, structure);
}

WRAP(int32_t, etl_guess_score, (const etl_guess_plan *plan, etl_span structure, int32_t floor))
{
    const int32_t score = __real_etl_guess_score(plan, structure, floor);
    if (injected_fault == GUESS_FLOOR && floor > INT32_MIN)
        return floor;
    return score + by(GUESS_SCORE, 1);
}

WRAP(etl_windows, etl_memory_same_until, (etl_memory_layout layout))
{
    return injected_fault == GUESS_SAME ? layout.windows - 1 : __real_etl_memory_same_until(layout);
}

WRAP(void, etl_buffer_header_read, (etl_span bytes, etl_buffer_shape shape, etl_buffer_header *header))
{
    __real_etl_buffer_header_read(bytes, shape, header);
    header->processor = (uint16_t)(header->processor + (injected_fault == HEADER_PROCESSOR));
    header->sequence_number += injected_fault == HEADER_SEQUENCE;
    header->has_reference_time ^= injected_fault == HEADER_CLOCK;
}

/* The compressed input is used up, but part of it is reported as unused. */
WRAP(size_t, etl_buffer_regions, (const etl_buffer *buffer, etl_region regions[ETL_BUFFER_REGIONS]))
{
    size_t count = __real_etl_buffer_regions(buffer, regions);
    if (injected_fault == BUFFER_REGION_KIND)
        regions[0].kind = ETL_REGION_EVENT_HEADER;
    if (injected_fault == BUFFER_REST_KIND && buffer->compressed) {
        etl_region *used = &regions[count - 1];
        used->size -= 4;
        regions[count++] = (etl_region){ETL_REGION_SLACK, ETL_SPACE_FILE, used->offset + used->size, 4};
    }
    return count;
}

WRAP(etl_outcome, etl_buffer_next, (etl_buffer *buffer, etl_event *event, etl_region *gap, etl_findings *findings))
{
    static bool repeated;
    if (injected_fault == WALK_GAP_TWICE && repeated)
        return ETL_GAP;
    etl_outcome outcome = __real_etl_buffer_next(buffer, event, gap, findings);
    event->offset += by(WALK_OFFSET, 8);
    if (injected_fault == WALK_FAR)
        event->offset &= UINT32_MAX;
    event->index += injected_fault == WALK_INDEX;
    repeated = outcome == ETL_GAP;
    if (injected_fault == WALK_SLACK && outcome == ETL_EVENT) {
        *gap = (etl_region){ETL_REGION_SLACK, event->space, event->offset, event->size + event->padding};
        return ETL_GAP;
    }
    if (injected_fault == WALK_INTERNAL && outcome == ETL_EVENT)
        return ETL_INTERNAL;
    return injected_fault == WALK_ENDS && outcome == ETL_GAP ? ETL_END : outcome;
}

WRAP(etl_outcome, etl_trace_next,
     (etl_trace *trace, etl_span window, bool last, etl_scratch scratch, etl_buffer *buffer, etl_region *gap,
      etl_findings *findings))
{
    etl_outcome outcome = __real_etl_trace_next(trace, window, last, scratch, buffer, gap, findings);
    trace->context.processor_time ^= injected_fault == TRACE_CONTEXT;
    if (injected_fault == TRACE_TAIL && outcome == ETL_GAP)
        findings->count = 0;
    if (injected_fault != TRACE_HANGS)
        return outcome;
    findings->count = 0;
    trace->want = 1;
    return ETL_MORE;
}

/* Of two decodes, the one under the usual limits gets limits that are too small. */
WRAP(void, etl_reader_init, (etl_reader * reader, etl_limits limits))
{
    static bool tight;
    __real_etl_reader_init(reader, tight ? (etl_limits){0, 0, 0} : limits);
    tight |= injected_fault == LIMITS_NONE && limits.inflated != TARGET_LIMITS.inflated;
}

static void run(const sound_input *input, size_t size)
{
    LLVMFuzzerTestOneInput(input->bytes, size);
}

/* The input with an invalid marker in its first event, so that the event is skipped. */
static void run_refused(const sound_input *input)
{
    sound_input other = *input;
    other.bytes[8 + ETL_AT(EVENT_HEADER, MarkerFlags)] = 0xF0;
    run(&other, other.size);
}

/* The input, cut off everywhere, and with each byte set to extremes and with its top bit flipped. */
static void replay(const sound_input *input)
{
    for (size_t size = 0; size <= input->size; size++)
        run(input, size);
    sound_input other = *input;
    for (size_t i = 0; i < input->size; i++) {
        static const uint8_t changes[] = {0x00, 0xFF, 0x80, 0x01};
        for (size_t n = 0; n < sizeof changes; n++) {
            other.bytes[i] = n < 2 ? changes[n] : input->bytes[i] ^ changes[n];
            run(&other, other.size);
        }
        other.bytes[i] = input->bytes[i];
    }
}

static sound_input made, compressed; /* the second may be empty */

static void run_with_fault(void)
{
    run(&made, made.size);
    run_refused(&made);
    run(&compressed, compressed.size);
}

int main(void)
{
    if (!make_sound_input(TARGET, &made))
        return EXIT_FAILURE;
    replay(&made);
    if (make_sound_input(TARGET " compressed", &compressed))
        replay(&compressed);
    printf("ok 1 - %zu bytes, cut off and changed\n", made.size + compressed.size);
    return fault_test_all(rows, sizeof rows / sizeof rows[0], TARGET, run_with_fault);
}
