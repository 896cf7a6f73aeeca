/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How plausible it is that bytes are a structure of a given layout. A plan says what to look at, once for a layout; the
 * tests of it are then made on as many bytes as one likes.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"
#include "probes.h"
#include "span.h"
#include "type_constants.h"

/* A test and the bytes it is made on. */
typedef struct look {
    const etl_guess_plan *plan;
    const etl_guess_test *test;
    etl_span bytes; /* of the structure, from its start */
} look;

/* What amounts, counts and states of a system in use stay below. */
#define AMOUNT_END (UINT64_C(1) << 56)
#define COUNT_END (UINT64_C(1) << 24)
#define BUFFERS_END (UINT64_C(1) << 16)
#define STATE_END (UINT64_C(1) << 10)
#define HANDLE_END (UINT64_C(1) << 24)
#define TICKS_END (UINT64_C(1) << 60)
#define PAGE_SIZE 0x1000
/* As many buffers as a session has had at most, for each that it has now. */
#define PEAK_MOST 64
#define ENABLE_INFOS (ETL_TYPE_SIZE(TRACE_ENABLE_INFO_8) / ETL_TYPE_SIZE(TRACE_ENABLE_INFO))
/* Where a part of the member lies that a test is made on. */
#define PART_AT(l, kind, part) \
    ((size_t)(l)->test->offset + ETL_PART_AT_OF((l)->plan->layout.arch, kind, part))
/* DISPATCHER_HEADER.WaitListHead. */
#define WAIT_LIST 8u

/* The ways of shapes that have the same ones, in the order of their rows: clue = first + way. */
typedef enum pointer_way { POINTER_NULL, POINTER_GOOD, POINTER_ODD, POINTER_BAD } pointer_way;
typedef enum list_way { LIST_NULL, LIST_SAME, LIST_GOOD, LIST_BAD } list_way;
typedef enum string_way { STRING_NONE, STRING_EMPTY, STRING_GOOD, STRING_ODD, STRING_BAD } string_way;
typedef enum number_way { NUMBER_ZERO, NUMBER_SOME, NUMBER_MUCH } number_way;

const etl_clue_info *etl_clue_get(etl_clue clue)
{
    static const etl_clue_info rows[] = {
#define ETL_CLUE(probe, way, x86, x64, text) {text, {x86, x64}},
#include "format/layouts/clues.def"
    };
    return &rows[clue];
}

static uint64_t number_at(etl_span bytes, size_t offset, uint32_t size)
{
    switch (size) {
    case 1: return etl_load_u8(bytes, offset);
    case 2: return etl_load_u16(bytes, offset);
    case 4: return etl_load_u32(bytes, offset);
    default: return etl_load_u64(bytes, offset);
    }
}

static uint64_t number_of(const look *l)
{
    return number_at(l->bytes, l->test->offset, l->test->size);
}

static uint32_t pointer_size(const look *l)
{
    return etl_arch_pointer_size(l->plan->layout.arch);
}

static uint64_t pointer_at(const look *l, size_t offset)
{
    return number_at(l->bytes, offset, pointer_size(l));
}

static bool in_half(const look *l, uint64_t address)
{
    return l->plan->half.least <= address && address <= l->plan->half.most;
}

static bool is_aligned(const look *l, uint64_t address)
{
    return (address & (pointer_size(l) - 1)) == 0;
}

static pointer_way pointer_way_of(const look *l, uint64_t address)
{
    if (address == 0)
        return POINTER_NULL;
    if (!in_half(l, address))
        return POINTER_BAD;
    return is_aligned(l, address) ? POINTER_GOOD : POINTER_ODD;
}

/* Its count takes the bits that an aligned address has clear. */
static etl_clue of_fast_ref(const look *l)
{
    const uint64_t address = number_of(l) & ~(uint64_t)(2 * pointer_size(l) - 1);
    if (number_of(l) == 0)
        return ETL_CLUE_FAST_REF_NULL;
    return in_half(l, address) ? ETL_CLUE_FAST_REF_GOOD : ETL_CLUE_FAST_REF_BAD;
}

static list_way list_way_of(const look *l, size_t offset)
{
    const size_t back = offset + ETL_PART_AT_OF(l->plan->layout.arch, LIST_ENTRY, Blink);
    const uint64_t flink = pointer_at(l, offset), blink = pointer_at(l, back);
    if (flink == 0 && blink == 0)
        return LIST_NULL;
    if (pointer_way_of(l, flink) != POINTER_GOOD || pointer_way_of(l, blink) != POINTER_GOOD)
        return LIST_BAD;
    return flink == blink ? LIST_SAME : LIST_GOOD;
}

/* Where the list of a test begins; false if it has none. */
static bool list_of(const etl_guess_test *test, size_t *offset)
{
    *offset = test->offset + (test->probe == ETL_PROBE_WAIT ? WAIT_LIST : 0u);
    return test->probe == ETL_PROBE_LIST || test->probe == ETL_PROBE_WAIT;
}

/* How many lists before `index`, and this one, would be empty if the structure were where this one says. */
static uint32_t agreeing(const look *l, uint32_t index)
{
    size_t offset, other;
    if (!list_of(&l->plan->tests[index], &offset) || list_way_of(l, offset) != LIST_SAME)
        return 0;
    const uint64_t place = pointer_at(l, offset) - offset;
    uint32_t count = 1;
    for (uint32_t i = 0; i < index; i++)
        if (list_of(&l->plan->tests[i], &other) && pointer_at(l, other) == place + other &&
            list_way_of(l, other) == LIST_SAME)
            count++;
    return count;
}

static etl_clue of_place(const look *l)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->plan->count && most < 3; i++) {
        const uint32_t count = agreeing(l, i);
        most = count > most ? count : most;
    }
    return most < 2 ? ETL_CLUE_PLACE_NONE : most == 2 ? ETL_CLUE_PLACE_TWO : ETL_CLUE_PLACE_MORE;
}

static string_way string_way_of(const look *l)
{
    const size_t lengths_end = PART_AT(l, UNICODE_STRING, MaximumLength) + sizeof(uint16_t);
    const uint32_t length = etl_load_u16(l->bytes, PART_AT(l, UNICODE_STRING, Length));
    const uint32_t most = etl_load_u16(l->bytes, PART_AT(l, UNICODE_STRING, MaximumLength));
    const uint64_t buffer = pointer_at(l, PART_AT(l, UNICODE_STRING, Buffer));
    /* On x64, between the lengths and the address. */
    const uint32_t gap = pointer_size(l) == 8 ? etl_load_u32(l->bytes, lengths_end) : 0;
    if (length % 2 != 0 || most % 2 != 0 || length > most || (buffer == 0 && most != 0))
        return STRING_BAD;
    if (buffer == 0)
        return STRING_NONE;
    if (!in_half(l, buffer) || buffer % 2 != 0)
        return STRING_BAD;
    if (length == 0)
        return STRING_EMPTY;
    return gap == 0 ? STRING_GOOD : STRING_ODD;
}

static etl_clue of_bitmap(const look *l)
{
    const uint32_t bits = etl_load_u32(l->bytes, PART_AT(l, RTL_BITMAP, SizeOfBitMap));
    const pointer_way buffer = pointer_way_of(l, pointer_at(l, PART_AT(l, RTL_BITMAP, Buffer)));
    if (bits == 0 && buffer == POINTER_NULL)
        return ETL_CLUE_BITMAP_NONE;
    return bits != 0 && bits < COUNT_END && buffer == POINTER_GOOD ? ETL_CLUE_BITMAP_GOOD : ETL_CLUE_BITMAP_BAD;
}

static etl_clue of_guid(const look *l)
{
    const etl_span bytes = etl_span_part(l->bytes, l->test->offset, l->test->size);
    const etl_guid guid = etl_load_guid(bytes, 0);
    const uint32_t version = guid.data3 >> 12;
    if (etl_span_run(bytes, 0) == bytes.size)
        return ETL_CLUE_GUID_ZERO;
    return version >= 1 && version <= 5 && guid.data4[0] >> 6 == 2 ? ETL_CLUE_GUID_GOOD : ETL_CLUE_GUID_OTHER;
}

/* A TRACE_ENABLE_INFO. */
typedef struct enable_info {
    uint32_t is_enabled, level, logger, reserved;
    uint64_t any, all;
} enable_info;

static enable_info enable_info_at(etl_span bytes, size_t at)
{
    return (enable_info){
        .is_enabled = etl_load_u32(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, IsEnabled)),
        .level = etl_load_u8(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, Level)),
        .logger = etl_load_u16(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, LoggerId)),
        .reserved = etl_load_u8(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, Reserved1)) |
                    etl_load_u32(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, Reserved2)),
        .any = etl_load_u64(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, MatchAnyKeyword)),
        .all = etl_load_u64(bytes, at + ETL_PART_AT(TRACE_ENABLE_INFO, MatchAllKeyword)),
    };
}

static etl_clue of_enable(const look *l)
{
    const enable_info info = enable_info_at(l->bytes, l->test->offset);
    if (info.is_enabled > 1 || info.logger >= ETL_MEMORY_LOGGERS_MOST || info.reserved != 0)
        return ETL_CLUE_ENABLE_BAD;
    if (info.is_enabled)
        return ETL_CLUE_ENABLE_ON;
    const etl_span bytes = etl_span_part(l->bytes, l->test->offset, l->test->size);
    return etl_span_run(bytes, 0) == bytes.size ? ETL_CLUE_ENABLE_ZERO : ETL_CLUE_ENABLE_STALE;
}

/* ProviderEnableInfo, held against all of EnableInfo. */
static etl_clue of_together(const look *l)
{
    const enable_info whole = enable_info_at(l->bytes, l->test->offset);
    enable_info all = {.all = UINT64_MAX};
    for (uint32_t i = 0; i < ENABLE_INFOS; i++) {
        const enable_info one = enable_info_at(l->bytes, l->test->with + (size_t)i * l->test->size);
        if (one.is_enabled == 0)
            continue;
        all.is_enabled = 1;
        all.level = one.level > all.level ? one.level : all.level;
        all.any |= one.any;
        all.all &= one.all;
    }
    if (all.is_enabled == 0)
        return whole.is_enabled == 0 ? ETL_CLUE_TOGETHER_OFF : ETL_CLUE_TOGETHER_WRONG;
    return whole.is_enabled == 1 && whole.level == all.level && whole.any == all.any && whole.all == all.all
               ? ETL_CLUE_TOGETHER_RIGHT : ETL_CLUE_TOGETHER_WRONG;
}

static etl_clue of_context(const look *l)
{
    if (number_of(l) == 0)
        return ETL_CLUE_CONTEXT_ZERO;
    if (etl_load_u16(l->bytes, PART_AT(l, TRACE_ENABLE_CONTEXT, LoggerId)) >= ETL_MEMORY_LOGGERS_MOST)
        return ETL_CLUE_CONTEXT_BAD;
    return etl_load_u32(l->bytes, PART_AT(l, TRACE_ENABLE_CONTEXT, EnableFlags)) != 0 ? ETL_CLUE_CONTEXT_GOOD
                                                                                      : ETL_CLUE_CONTEXT_BARE;
}

static etl_clue of_last(const look *l)
{
    const etl_span bytes = etl_span_part(l->bytes, l->test->offset, l->test->size);
    if (etl_span_run(bytes, 0) == bytes.size)
        return ETL_CLUE_LAST_ZERO;
    return etl_load_u32(bytes, ETL_PART_AT(ETW_LAST_ENABLE_INFO, Padding)) == 0 ? ETL_CLUE_LAST_GOOD : ETL_CLUE_LAST_BAD;
}

/* The low bits of an address of who waits say how. */
static etl_clue of_lock(const look *l)
{
    const uint64_t lock = number_of(l);
    if (lock == 0)
        return ETL_CLUE_LOCK_FREE;
    return lock < STATE_END || in_half(l, lock) ? ETL_CLUE_LOCK_HELD : ETL_CLUE_LOCK_BAD;
}

static number_way number_way_of(uint64_t number, uint64_t end)
{
    return number == 0 ? NUMBER_ZERO : number < end ? NUMBER_SOME : NUMBER_MUCH;
}

/* Of a number with a sign. */
static number_way delta_way_of(uint64_t number)
{
    const uint64_t amount = number >> 63 ? UINT64_MAX - number + 1 : number;
    return number_way_of(amount, AMOUNT_END);
}

/* Handles of the kernel's own have the highest bits set, and so has the one that means none. */
static etl_clue of_handle(const look *l)
{
    const uint64_t sign = pointer_size(l) == 8 ? UINT64_C(0xFFFFFFFF80000000) : 0x80000000;
    const uint64_t none = pointer_size(l) == 8 ? UINT64_MAX : UINT32_MAX;
    const uint64_t handle = number_of(l), own = handle & ~sign;
    if (handle == 0)
        return ETL_CLUE_HANDLE_NULL;
    if (handle == none)
        return ETL_CLUE_HANDLE_GOOD;
    return handle % 4 == 0 && own < HANDLE_END && ((handle & sign) == 0 || (handle & sign) == sign)
               ? ETL_CLUE_HANDLE_GOOD : ETL_CLUE_HANDLE_BAD;
}

/* NTSTATUS: severity, customer bit, facility, code. No facility has more than 8 bits, and the customer bit is clear. */
static etl_clue of_status(const look *l)
{
    const uint32_t status = (uint32_t)number_of(l);
    if (status == 0)
        return ETL_CLUE_STATUS_SUCCESS;
    return (status & 0x3F000000) == 0 ? ETL_CLUE_STATUS_OTHER : ETL_CLUE_STATUS_BAD;
}

static bool is_time(uint64_t filetime)
{
    return ETL_GUESS_TIME_LEAST <= filetime && filetime <= ETL_GUESS_TIME_MOST;
}

static etl_clue of_filetime(const look *l)
{
    const uint64_t time = number_of(l);
    return time == 0 ? ETL_CLUE_FILETIME_ZERO : is_time(time) ? ETL_CLUE_FILETIME_GOOD : ETL_CLUE_FILETIME_BAD;
}

static etl_clue of_ref_clock(const look *l)
{
    const uint64_t time = etl_load_u64(l->bytes, PART_AT(l, ETW_REF_CLOCK, StartTime));
    const uint64_t ticks = etl_load_u64(l->bytes, PART_AT(l, ETW_REF_CLOCK, StartPerfClock));
    if (time == 0 && ticks == 0)
        return ETL_CLUE_REF_CLOCK_ZERO;
    return is_time(time) && ticks < TICKS_END ? ETL_CLUE_REF_CLOCK_GOOD : ETL_CLUE_REF_CLOCK_BAD;
}

static etl_clue of_clock(const look *l)
{
    const uint64_t clock = number_of(l);
    return clock == 0 ? ETL_CLUE_CLOCK_RAW : clock < ETL_CLOCK_TYPE_COUNT ? ETL_CLUE_CLOCK_GOOD : ETL_CLUE_CLOCK_BAD;
}

static etl_clue of_logger_id(const look *l)
{
    const uint64_t id = number_of(l);
    return id == 0 ? ETL_CLUE_LOGGER_ID_ZERO : id < ETL_MEMORY_LOGGERS_MOST ? ETL_CLUE_LOGGER_ID_GOOD
                                                                            : ETL_CLUE_LOGGER_ID_BAD;
}

static bool is_size(uint64_t size, uint32_t unit)
{
    return size % unit == 0 && size <= ETL_MEMORY_BUFFER_SIZE_MOST;
}

static etl_clue of_buffer_size(const look *l)
{
    const uint64_t size = number_of(l);
    if (size == 0)
        return ETL_CLUE_BUFFER_SIZE_ZERO;
    return is_size(size, ETL_MEMORY_BUFFER_SIZE_LEAST) ? ETL_CLUE_BUFFER_SIZE_GOOD : ETL_CLUE_BUFFER_SIZE_BAD;
}

static etl_clue of_pages(const look *l)
{
    const uint64_t size = number_of(l);
    return size == 0 ? ETL_CLUE_PAGES_ZERO : is_size(size, PAGE_SIZE) ? ETL_CLUE_PAGES_GOOD : ETL_CLUE_PAGES_BAD;
}

static etl_clue of_event_size(const look *l)
{
    const uint64_t size = number_of(l), buffer = etl_load_u32(l->bytes, l->test->with);
    if (size == 0)
        return ETL_CLUE_EVENT_SIZE_ZERO;
    if (size + ETL_SIZE(WMI_BUFFER_HEADER_61) > buffer)
        return ETL_CLUE_EVENT_SIZE_BAD;
    return size > buffer / 2 ? ETL_CLUE_EVENT_SIZE_GOOD : ETL_CLUE_EVENT_SIZE_LESS;
}

static etl_clue of_bits(const look *l)
{
    const uint64_t bits = number_of(l);
    return bits == 0 ? ETL_CLUE_BITS_CLEAR : (bits & ~(uint64_t)l->test->with) == 0 ? ETL_CLUE_BITS_GOOD
                                                                                    : ETL_CLUE_BITS_BAD;
}

static etl_clue of_references(const look *l)
{
    const uint64_t count = number_of(l);
    if (count == 0)
        return ETL_CLUE_REFERENCES_ZERO;
    return count < ETL_GUESS_REFERENCES_END ? ETL_CLUE_REFERENCES_GOOD : ETL_CLUE_REFERENCES_BAD;
}

static etl_clue of_switch(const look *l)
{
    const uint64_t state = number_of(l);
    return state == 0 ? ETL_CLUE_SWITCH_OFF : state == 1 ? ETL_CLUE_SWITCH_ON : ETL_CLUE_SWITCH_BAD;
}

static etl_clue of_available(const look *l)
{
    const uint64_t count = number_of(l), all = etl_load_u32(l->bytes, l->test->with);
    if (count == 0)
        return ETL_CLUE_AVAILABLE_ZERO;
    return count <= all && all < BUFFERS_END ? ETL_CLUE_AVAILABLE_GOOD : ETL_CLUE_AVAILABLE_BAD;
}

static etl_clue of_peak(const look *l)
{
    const uint64_t count = number_of(l), all = etl_load_u32(l->bytes, l->test->with);
    if (count == 0)
        return ETL_CLUE_PEAK_ZERO;
    return all <= count && count < BUFFERS_END && count <= PEAK_MOST * all ? ETL_CLUE_PEAK_GOOD : ETL_CLUE_PEAK_BAD;
}

static etl_clue of_maximum(const look *l)
{
    const uint64_t count = number_of(l), least = etl_load_u32(l->bytes, l->test->with);
    if (count == 0)
        return ETL_CLUE_MAXIMUM_ZERO;
    return least <= count && count < BUFFERS_END ? ETL_CLUE_MAXIMUM_GOOD : ETL_CLUE_MAXIMUM_BAD;
}

static etl_clue of_padding(const look *l)
{
    const etl_span bytes = etl_span_part(l->bytes, l->test->offset, l->test->size);
    return etl_span_run(bytes, 0) == bytes.size ? ETL_CLUE_PADDING_CLEAR : ETL_CLUE_PADDING_BAD;
}

/* The clues of a shape are in the order of its ways. */
static etl_clue clue_at(etl_clue first, unsigned way)
{
    return (etl_clue)(first + way);
}

static etl_clue clue_of(const look *l)
{
    switch ((etl_probe)l->test->probe) {
    case ETL_PROBE_POINTER: return clue_at(ETL_CLUE_POINTER_NULL, pointer_way_of(l, number_of(l)));
    case ETL_PROBE_LINK: return clue_at(ETL_CLUE_LINK_NULL, pointer_way_of(l, number_of(l)));
    case ETL_PROBE_AGAIN: return clue_at(ETL_CLUE_AGAIN_NULL, pointer_way_of(l, number_of(l)));
    case ETL_PROBE_ANCHOR: return clue_at(ETL_CLUE_ANCHOR_NULL, pointer_way_of(l, number_of(l)));
    case ETL_PROBE_FAST_REF: return of_fast_ref(l);
    case ETL_PROBE_LIST: return clue_at(ETL_CLUE_LIST_NULL, list_way_of(l, l->test->offset));
    case ETL_PROBE_WAIT: return clue_at(ETL_CLUE_WAIT_NULL, list_way_of(l, l->test->offset + WAIT_LIST));
    case ETL_PROBE_PLACE: return of_place(l);
    case ETL_PROBE_STRING: return clue_at(ETL_CLUE_STRING_NONE, string_way_of(l));
    case ETL_PROBE_NAME: return clue_at(ETL_CLUE_NAME_NONE, string_way_of(l));
    case ETL_PROBE_BITMAP: return of_bitmap(l);
    case ETL_PROBE_GUID: return of_guid(l);
    case ETL_PROBE_ENABLE: return of_enable(l);
    case ETL_PROBE_TOGETHER: return of_together(l);
    case ETL_PROBE_CONTEXT: return of_context(l);
    case ETL_PROBE_HANDLE: return of_handle(l);
    case ETL_PROBE_STATUS: return of_status(l);
    case ETL_PROBE_FILETIME: return of_filetime(l);
    case ETL_PROBE_REF_CLOCK: return of_ref_clock(l);
    case ETL_PROBE_CLOCK: return of_clock(l);
    case ETL_PROBE_LOGGER_ID: return of_logger_id(l);
    case ETL_PROBE_BUFFER_SIZE: return of_buffer_size(l);
    case ETL_PROBE_PAGES: return of_pages(l);
    case ETL_PROBE_EVENT_SIZE: return of_event_size(l);
    case ETL_PROBE_BITS: return of_bits(l);
    case ETL_PROBE_REFERENCES: return of_references(l);
    case ETL_PROBE_NUMBER: return clue_at(ETL_CLUE_NUMBER_ZERO, number_way_of(number_of(l), COUNT_END));
    case ETL_PROBE_RARE: return clue_at(ETL_CLUE_RARE_ZERO, number_way_of(number_of(l), COUNT_END));
    case ETL_PROBE_LIVE: return clue_at(ETL_CLUE_LIVE_ZERO, number_way_of(number_of(l), BUFFERS_END));
    case ETL_PROBE_STATE: return clue_at(ETL_CLUE_STATE_ZERO, number_way_of(number_of(l), STATE_END));
    case ETL_PROBE_LARGE: return clue_at(ETL_CLUE_LARGE_ZERO, number_way_of(number_of(l), AMOUNT_END));
    case ETL_PROBE_DELTA: return clue_at(ETL_CLUE_DELTA_ZERO, delta_way_of(number_of(l)));
    case ETL_PROBE_LOCK: return of_lock(l);
    case ETL_PROBE_LAST: return of_last(l);
    case ETL_PROBE_SWITCH: return of_switch(l);
    case ETL_PROBE_AVAILABLE: return of_available(l);
    case ETL_PROBE_PEAK: return of_peak(l);
    case ETL_PROBE_MAXIMUM: return of_maximum(l);
    case ETL_PROBE_PADDING: return of_padding(l);
    default: return ETL_CLUE_NONE_UNKNOWN;
    }
}

etl_clue etl_guess_clue(const etl_guess_plan *plan, uint32_t index, etl_span structure)
{
    const etl_guess_test *test = &plan->tests[index];
    const look l = {plan, test, etl_span_first(structure, plan->size)};
    return etl_span_has(l.bytes, test->offset, test->size) ? clue_of(&l) : ETL_CLUE_NONE_UNKNOWN;
}

int32_t etl_guess_score(const etl_guess_plan *plan, etl_span structure, int32_t floor)
{
    int32_t score = 0;
    for (uint32_t i = 0; i < plan->count && score >= floor; i++)
        score += etl_clue_get(etl_guess_clue(plan, i, structure))->points[plan->layout.arch];
    return score;
}
