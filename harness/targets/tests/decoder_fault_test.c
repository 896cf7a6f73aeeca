/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target (TARGET, its name) holds on a small input, and on all that comes of it by cutting it off and by changing a
 * byte; and it fails by the right oracle as soon as the decoder is wrong: each function below spoils what one of the
 * decoder's returns, in the way that the row under test asks for.
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

/* SPOIL(name, target, oracle): what goes wrong, in which target it is tried, and the oracle that has to say so. */
#define SPOILS(SPOIL) \
    SPOIL(FRAME_SIZE, "fuzz_event", "event-frame") \
    SPOIL(FRAME_PARTS, "fuzz_event", "event-parts") \
    SPOIL(FRAME_REFUSED, "fuzz_event", "event-frame") \
    SPOIL(FRAME_BY_SLACK, "fuzz_event", "same-frame") \
    SPOIL(FRAME_FINDING_LAYER, "fuzz_event", "finding-layer") \
    SPOIL(FRAME_FINDING_PLACE, "fuzz_event", "finding-place") \
    SPOIL(FRAME_OVERFLOW, "fuzz_event", "finding-count") \
    SPOIL(FRAME_UNSAID, "fuzz_event", "event-reason") \
    SPOIL(PLAUSIBLE, "fuzz_event", "plausible") \
    SPOIL(READ_KEYWORD, "fuzz_event", "event-fields") \
    SPOIL(READ_PMC, "fuzz_event", "event-fields") \
    SPOIL(READ_PARENT, "fuzz_event", "event-fields") \
    SPOIL(REGION_MISSING, "fuzz_event", "regions") \
    SPOIL(REGION_KIND, "fuzz_event", "region") \
    SPOIL(REGION_OTHER_KIND, "fuzz_event", "regions") \
    SPOIL(REGION_UNCOUNTED, "fuzz_event", "bytes") \
    SPOIL(REGION_COUNTED_AS_TAIL, "fuzz_event", "bytes") \
    SPOIL(DATA_SHORT, "fuzz_event", "event-parts") \
    SPOIL(MEASURE_SHORT, "fuzz_event", "items") \
    SPOIL(MEASURE_SHORT_ALONE, "fuzz_items", "chain") \
    SPOIL(MEASURE_CUT, "fuzz_items", "chain") \
    SPOIL(NEXT_OFFSET, "fuzz_items", "items") \
    SPOIL(NEXT_ENDS, "fuzz_items", "items") \
    SPOIL(NEXT_TYPE, "fuzz_items", "item") \
    SPOIL(NEXT_LAYOUT, "fuzz_items", "item") \
    SPOIL(ITEM_GUID, "fuzz_items", "item") \
    SPOIL(ITEM_U32, "fuzz_items", "item") \
    SPOIL(ITEM_U64, "fuzz_items", "item") \
    SPOIL(ITEM_U64_COUNT, "fuzz_items", "item") \
    SPOIL(ITEM_INSTANCE, "fuzz_items", "item") \
    SPOIL(ITEM_MATCH_ID, "fuzz_items", "item") \
    SPOIL(ITEM_ADDRESS_COUNT, "fuzz_items", "item") \
    SPOIL(ITEM_ADDRESS, "fuzz_items", "item") \
    SPOIL(ITEM_STACK_KEY, "fuzz_items", "item") \
    SPOIL(ITEM_SID, "fuzz_items", "item") \
    SPOIL(ITEM_SID_REFUSED, "fuzz_items", "item") \
    SPOIL(SCHEMA_TAG, "fuzz_items", "item") \
    SPOIL(SCHEMA_NAME, "fuzz_items", "item") \
    SPOIL(SCHEMA_REFUSED, "fuzz_items", "item") \
    SPOIL(SCHEMA_FIELD, "fuzz_items", "item") \
    SPOIL(SCHEMA_FIELD_ENDS, "fuzz_items", "item") \
    SPOIL(TRAITS_GROUP, "fuzz_items", "item") \
    SPOIL(TRAITS_DECODE, "fuzz_items", "item") \
    SPOIL(LOGFILE_MEMBER, "fuzz_logfile", "logfile") \
    SPOIL(LOGFILE_NAME, "fuzz_logfile", "logfile") \
    SPOIL(LOGFILE_UNKNOWN, "fuzz_logfile", "logfile") \
    SPOIL(CONTEXT, "fuzz_logfile", "context") \
    SPOIL(SHAPE, "fuzz_logfile", "context") \
    SPOIL(LOGFILE_CLOCK, "fuzz_logfile", "context") \
    SPOIL(FILETIME_OF_LOGFILE, "fuzz_logfile", "filetime") \
    SPOIL(MESSAGE_SHORT, "fuzz_message", "message") \
    SPOIL(MESSAGE_TIME, "fuzz_message", "message") \
    SPOIL(POINTER_SIZE, "fuzz_message", "message") \
    SPOIL(READ_SEQUENCE, "fuzz_message", "event-fields") \
    SPOIL(FILETIME, "fuzz_clock", "filetime") \
    SPOIL(FILETIME_NONE, "fuzz_clock", "filetime") \
    SPOIL(UTC, "fuzz_clock", "calendar") \
    SPOIL(UTC_NONE, "fuzz_clock", "calendar") \
    SPOIL(MEMORY_ORDER, "fuzz_layout", "memory") \
    SPOIL(MEMORY_SIZE, "fuzz_layout", "memory") \
    SPOIL(MEMORY_ELEMENT, "fuzz_layout", "memory") \
    SPOIL(MEMORY_PART, "fuzz_layout", "memory") \
    SPOIL(MEMORY_NUMBER, "fuzz_layout", "memory") \
    SPOIL(MEMORY_GUID, "fuzz_layout", "memory") \
    SPOIL(MEMORY_REFUSED, "fuzz_layout", "memory") \
    SPOIL(MEMORY_LAYER, "fuzz_layout", "finding-layer") \
    SPOIL(MEMORY_PLACE, "fuzz_layout", "finding-place") \
    SPOIL(MEMORY_FORGETS, "fuzz_layout", "memory-cut") \
    SPOIL(MEMORY_INVENTS, "fuzz_layout", "memory-cut") \
    SPOIL(GUESS_SCORE, "fuzz_layout", "guess") \
    SPOIL(GUESS_FLOOR, "fuzz_layout", "guess") \
    SPOIL(GUESS_CLUE, "fuzz_layout", "guess") \
    SPOIL(GUESS_SAME, "fuzz_layout", "guess") \
    SPOIL(HEADER_PROCESSOR, "fuzz_buffer", "buffer-header") \
    SPOIL(HEADER_SEQUENCE, "fuzz_buffer", "buffer-header") \
    SPOIL(HEADER_CLOCK, "fuzz_buffer", "buffer-header") \
    SPOIL(BUFFER_REGION_KIND, "fuzz_buffer", "regions") \
    SPOIL(BUFFER_REST_KIND, "fuzz_buffer", "regions") \
    SPOIL(WALK_OFFSET, "fuzz_buffer", "event-bounds") \
    SPOIL(WALK_INDEX, "fuzz_buffer", "event-index") \
    SPOIL(WALK_INTERNAL, "fuzz_buffer", "internal") \
    SPOIL(WALK_ENDS, "fuzz_buffer", "tiling") \
    SPOIL(WALK_GAP_TWICE, "fuzz_buffer", "tiling") \
    SPOIL(WALK_SLACK, "fuzz_buffer", "silent-loss") \
    SPOIL(LIMITS_NONE, "fuzz_buffer", "limits") \
    SPOIL(TRACE_CONTEXT, "fuzz_buffer", "context") \
    SPOIL(TRACE_TAIL, "fuzz_buffer", "silent-loss") \
    SPOIL(TRACE_HANGS, "fuzz_buffer", "progress")

enum {
    NONE,
#define SPOIL(name, target, oracle) name,
    SPOILS(SPOIL)
#undef SPOIL
};

static const spoil_row rows[] = {
#define SPOIL(name, target, oracle) {name, #name, target, "oracle " oracle " broken"},
    SPOILS(SPOIL)
#undef SPOIL
};

/* `amount` if that is what is tried, else 0. */
static uint8_t by(unsigned name, uint8_t amount)
{
    return spoil == name ? amount : 0;
}

static void spoil_event(etl_span data, uint32_t extent, etl_event *event)
{
    event->size += spoil == FRAME_SIZE;
    event->bytes.size += spoil == FRAME_SIZE;
    event->data_size += spoil == FRAME_SIZE || spoil == FRAME_PARTS;
    event->has_time ^= spoil == MESSAGE_TIME;
    if (spoil == FRAME_BY_SLACK && extent < data.size)
        event->type ^= 1;
    if (spoil == MESSAGE_SHORT) {
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
        spoil_event(data, extent, event);
    if (spoil == FRAME_FINDING_LAYER)
        add_finding(findings, ETL_RULE_LFH_001, event->offset);
    if (spoil == FRAME_FINDING_PLACE)
        add_finding(findings, ETL_RULE_EXT_005, event->offset + event->size + 1);
    findings->overflow |= spoil == FRAME_OVERFLOW;
    if (spoil == FRAME_REFUSED)
        add_finding(findings, ETL_RULE_SIZ_001, event->offset);
    if (spoil == FRAME_UNSAID && !framed)
        findings->count = 0;
    return framed && spoil != FRAME_REFUSED;
}

WRAP(bool, etl_event_plausible, (etl_span data, uint32_t at, uint32_t extent))
{
    return __real_etl_event_plausible(data, at, extent) || spoil == PLAUSIBLE;
}

WRAP(void, etl_event_read, (const etl_event *event, etl_event_fields *fields))
{
    __real_etl_event_read(event, fields);
    fields->keyword += spoil == READ_KEYWORD;
    fields->pmc[1] += spoil == READ_PMC && fields->pmc_count == 2;
    fields->parent_provider.data4[7] ^= by(READ_PARENT, 1);
    fields->sequence += spoil == READ_SEQUENCE;
}

WRAP(size_t, etl_event_regions, (const etl_event *event, etl_region regions[ETL_EVENT_REGIONS]))
{
    size_t count = __real_etl_event_regions(event, regions);
    if (spoil == REGION_KIND)
        regions[0].kind = ETL_REGION_COUNT;
    for (size_t i = 0; spoil == REGION_OTHER_KIND && i < count; i++)
        regions[i].kind = regions[i].kind == ETL_REGION_PAYLOAD ? ETL_REGION_SLACK : regions[i].kind;
    return count - (spoil == REGION_MISSING);
}

WRAP(void, etl_tiling_add, (etl_tiling * tiling, const etl_region *region))
{
    etl_region counted = *region;
    if (spoil == REGION_COUNTED_AS_TAIL)
        counted.kind = ETL_REGION_TAIL;
    __real_etl_tiling_add(tiling, &counted);
    tiling->bytes[region->kind] -= spoil == REGION_UNCOUNTED && region->kind == ETL_REGION_PADDING ? region->size : 0;
}

WRAP(etl_span, etl_event_data, (const etl_event *event))
{
    etl_span data = __real_etl_event_data(event);
    data.size -= spoil == DATA_SHORT;
    return data;
}

WRAP(uint8_t, etl_event_pointer_size, (const etl_event *event))
{
    return (uint8_t)(__real_etl_event_pointer_size(event) + (spoil == POINTER_SIZE));
}

WRAP(uint32_t, etl_items_measure, (const etl_event *event, uint32_t at, bool *whole, etl_findings *findings))
{
    uint32_t size = __real_etl_items_measure(event, at, whole, findings);
    *whole ^= spoil == MEASURE_CUT;
    return size - by(MEASURE_SHORT, 8) - by(MEASURE_SHORT_ALONE, 8);
}

WRAP(bool, etl_items_next, (etl_items *items, etl_item *item))
{
    bool more = __real_etl_items_next(items, item);
    item->offset += by(NEXT_OFFSET, 8);
    item->type = (uint16_t)(item->type ^ (spoil == NEXT_TYPE));
    if (spoil == NEXT_LAYOUT)
        item->layout = ETL_ITEM_LAYOUT_BYTES;
    return more && !(spoil == NEXT_ENDS && items->at == items->bytes.size);
}

WRAP(etl_guid, etl_item_guid, (const etl_item *item))
{
    etl_guid guid = __real_etl_item_guid(item);
    guid.data4[7] ^= by(ITEM_GUID, 1);
    return guid;
}

WRAP(uint32_t, etl_item_u32, (const etl_item *item))
{
    return __real_etl_item_u32(item) + (spoil == ITEM_U32);
}

WRAP(uint64_t, etl_item_u64, (const etl_item *item, uint32_t index))
{
    return __real_etl_item_u64(item, index) + (spoil == ITEM_U64);
}

WRAP(uint32_t, etl_item_u64_count, (const etl_item *item))
{
    return __real_etl_item_u64_count(item) - (spoil == ITEM_U64_COUNT);
}

WRAP(etl_item_instance, etl_item_instance_info, (const etl_item *item))
{
    etl_item_instance info = __real_etl_item_instance_info(item);
    info.parent_instance_id += spoil == ITEM_INSTANCE;
    return info;
}

WRAP(uint64_t, etl_item_match_id, (const etl_item *item))
{
    return __real_etl_item_match_id(item) + (spoil == ITEM_MATCH_ID);
}

WRAP(uint32_t, etl_item_address_count, (const etl_item *item))
{
    return __real_etl_item_address_count(item) - (spoil == ITEM_ADDRESS_COUNT);
}

WRAP(uint64_t, etl_item_address, (const etl_item *item, uint32_t index))
{
    return __real_etl_item_address(item, index) + (spoil == ITEM_ADDRESS && index > 0);
}

WRAP(uint64_t, etl_item_stack_key, (const etl_item *item))
{
    return __real_etl_item_stack_key(item) + (spoil == ITEM_STACK_KEY);
}

WRAP(bool, etl_item_sid, (const etl_item *item, etl_sid *sid))
{
    bool whole = __real_etl_item_sid(item, sid);
    sid->sub_authority[1] += spoil == ITEM_SID;
    return whole && spoil != ITEM_SID_REFUSED;
}

WRAP(bool, etl_schema_read, (etl_span data, etl_schema *schema))
{
    bool whole = __real_etl_schema_read(data, schema);
    schema->tag += spoil == SCHEMA_TAG;
    schema->name.size += spoil == SCHEMA_NAME;
    return whole && spoil != SCHEMA_REFUSED;
}

WRAP(bool, etl_schema_next, (etl_span *rest, etl_schema_field *field))
{
    bool more = __real_etl_schema_next(rest, field);
    field->count = (uint16_t)(field->count + (spoil == SCHEMA_FIELD));
    return more && spoil != SCHEMA_FIELD_ENDS;
}

WRAP(bool, etl_traits_read, (etl_span data, etl_traits *traits))
{
    bool whole = __real_etl_traits_read(data, traits);
    traits->group.data4[7] ^= by(TRAITS_GROUP, 1);
    traits->has_decode ^= spoil == TRAITS_DECODE;
    return whole;
}

WRAP(void, etl_logfile_read,
     (etl_span buffer, size_t offset, uint64_t origin, etl_logfile *logfile, etl_findings *findings))
{
    __real_etl_logfile_read(buffer, offset, origin, logfile, findings);
    logfile->buffers_lost += spoil == LOGFILE_MEMBER;
    logfile->log_file_name.size += by(LOGFILE_NAME, 2);
    logfile->known ^= spoil == LOGFILE_UNKNOWN;
    logfile->clock.type += spoil == LOGFILE_CLOCK;
}

WRAP(etl_context, etl_logfile_context, (const etl_logfile *logfile))
{
    etl_context context = __real_etl_logfile_context(logfile);
    context.instance_guid ^= spoil == CONTEXT;
    return context;
}

WRAP(etl_buffer_shape, etl_logfile_shape, (const etl_logfile *logfile))
{
    return spoil == SHAPE ? ETL_BUFFER_SHAPE_50 : __real_etl_logfile_shape(logfile);
}

WRAP(bool, etl_clock_filetime, (const etl_clock *clock, int64_t ticks, uint64_t *filetime))
{
    bool known = __real_etl_clock_filetime(clock, ticks, filetime);
    *filetime += known && (spoil == FILETIME || spoil == FILETIME_OF_LOGFILE);
    return known && spoil != FILETIME_NONE;
}

WRAP(bool, etl_filetime_utc, (uint64_t filetime, etl_utc *utc))
{
    bool known = __real_etl_filetime_utc(filetime, utc);
    if (known)
        utc->day = (uint8_t)(utc->day + (spoil == UTC));
    return known && spoil != UTC_NONE;
}

WRAP(bool, etl_memory_next, (etl_memory_walk *walk, etl_memory_member *member))
{
    const bool next = __real_etl_memory_next(walk, member);
    if (next && member->kind == ETL_MEMORY_KIND_GUID)
        member->offset -= by(MEMORY_ORDER, 4);
    if (next && spoil == MEMORY_SIZE)
        member->offset += 0x1000;
    return next;
}

WRAP(etl_memory_member, etl_memory_element, (const etl_memory_member *member, uint32_t index))
{
    etl_memory_member element = __real_etl_memory_element(member, index);
    if (spoil == MEMORY_ELEMENT && index == 1)
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
    return whole && spoil != MEMORY_REFUSED;
}

WRAP(void, etl_memory_check, (etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings))
{
    const bool is_cut = structure.size < etl_memory_size(layout);
    __real_etl_memory_check(layout, structure, offset, findings);
    if (spoil == MEMORY_LAYER)
        add_finding(findings, ETL_RULE_LFH_001, offset);
    if (spoil == MEMORY_PLACE)
        add_finding(findings, ETL_RULE_LAY_004, offset - 1);
    if (spoil == MEMORY_FORGETS && is_cut)
        findings->count = 0;
    if (spoil == MEMORY_INVENTS && is_cut)
        add_finding(findings, ETL_RULE_LAY_004, offset);
}

WRAP(etl_clue, etl_guess_clue, (const etl_guess_plan *plan, uint32_t index, etl_span structure))
{
    return spoil == GUESS_CLUE ? ETL_CLUE_COUNT : __real_etl_guess_clue(plan, index, structure);
}

WRAP(int32_t, etl_guess_score, (const etl_guess_plan *plan, etl_span structure, int32_t floor))
{
    const int32_t score = __real_etl_guess_score(plan, structure, floor);
    if (spoil == GUESS_FLOOR && floor > INT32_MIN)
        return floor;
    return score + by(GUESS_SCORE, 1);
}

WRAP(etl_windows, etl_memory_same_until, (etl_memory_layout layout))
{
    return spoil == GUESS_SAME ? layout.windows - 1 : __real_etl_memory_same_until(layout);
}

WRAP(void, etl_buffer_header_read, (etl_span bytes, etl_buffer_shape shape, etl_buffer_header *header))
{
    __real_etl_buffer_header_read(bytes, shape, header);
    header->processor = (uint16_t)(header->processor + (spoil == HEADER_PROCESSOR));
    header->sequence_number += spoil == HEADER_SEQUENCE;
    header->has_reference_time ^= spoil == HEADER_CLOCK;
}

/* The compressed input is all used: some of it is said not to be. */
WRAP(size_t, etl_buffer_regions, (const etl_buffer *buffer, etl_region regions[ETL_BUFFER_REGIONS]))
{
    size_t count = __real_etl_buffer_regions(buffer, regions);
    if (spoil == BUFFER_REGION_KIND)
        regions[0].kind = ETL_REGION_EVENT_HEADER;
    if (spoil == BUFFER_REST_KIND && buffer->compressed) {
        etl_region *used = &regions[count - 1];
        used->size -= 4;
        regions[count++] = (etl_region){ETL_REGION_SLACK, ETL_SPACE_FILE, used->offset + used->size, 4};
    }
    return count;
}

WRAP(etl_outcome, etl_buffer_next, (etl_buffer *buffer, etl_event *event, etl_region *gap, etl_findings *findings))
{
    static bool repeated;
    if (spoil == WALK_GAP_TWICE && repeated)
        return ETL_GAP;
    etl_outcome outcome = __real_etl_buffer_next(buffer, event, gap, findings);
    event->offset += by(WALK_OFFSET, 8);
    event->index += spoil == WALK_INDEX;
    repeated = outcome == ETL_GAP;
    if (spoil == WALK_SLACK && outcome == ETL_EVENT) {
        *gap = (etl_region){ETL_REGION_SLACK, event->space, event->offset, event->size + event->padding};
        return ETL_GAP;
    }
    if (spoil == WALK_INTERNAL && outcome == ETL_EVENT)
        return ETL_INTERNAL;
    return spoil == WALK_ENDS && outcome == ETL_GAP ? ETL_END : outcome;
}

WRAP(etl_outcome, etl_trace_next,
     (etl_trace *trace, etl_span window, bool last, etl_scratch scratch, etl_buffer *buffer, etl_region *gap,
      etl_findings *findings))
{
    etl_outcome outcome = __real_etl_trace_next(trace, window, last, scratch, buffer, gap, findings);
    trace->context.processor_time ^= spoil == TRACE_CONTEXT;
    if (spoil == TRACE_TAIL && outcome == ETL_GAP)
        findings->count = 0;
    if (spoil != TRACE_HANGS)
        return outcome;
    trace->want = 1;
    return ETL_MORE;
}

/* Of two decodes, the one under the usual limits has none to spare. */
WRAP(void, etl_reader_init, (etl_reader * reader, etl_limits limits))
{
    static bool tight;
    __real_etl_reader_init(reader, tight ? (etl_limits){0, 0} : limits);
    tight |= spoil == LIMITS_NONE && limits.inflated != TARGET_LIMITS.inflated;
}

static void run(const made_input *input, size_t size)
{
    LLVMFuzzerTestOneInput(input->bytes, size);
}

/* The input with a marker that is none in its first event, so that it is left out. */
static void run_refused(const made_input *input)
{
    made_input other = *input;
    other.bytes[8 + ETL_AT(EVENT_HEADER, MarkerFlags)] = 0xF0;
    run(&other, other.size);
}

/* The input, cut off everywhere, and with each byte at its bounds and with its top bit changed. */
static void replay(const made_input *input)
{
    for (size_t size = 0; size <= input->size; size++)
        run(input, size);
    made_input other = *input;
    for (size_t i = 0; i < input->size; i++) {
        static const uint8_t changes[] = {0x00, 0xFF, 0x80, 0x01};
        for (size_t n = 0; n < sizeof changes; n++) {
            other.bytes[i] = n < 2 ? changes[n] : input->bytes[i] ^ changes[n];
            run(&other, other.size);
        }
        other.bytes[i] = input->bytes[i];
    }
}

static made_input made, compressed; /* the second: empty where there is none */

static void run_spoiled(void)
{
    run(&made, made.size);
    run_refused(&made);
    run(&compressed, compressed.size);
}

int main(void)
{
    if (!make_input(TARGET, &made))
        return EXIT_FAILURE;
    replay(&made);
    if (make_input(TARGET " compressed", &compressed))
        replay(&compressed);
    printf("ok 1 - %zu bytes, cut off and changed\n", made.size + compressed.size);
    return spoil_all(rows, sizeof rows / sizeof rows[0], TARGET, run_spoiled);
}
