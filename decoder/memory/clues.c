/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes and the plan of a layout -> a clue for each test of the plan, and the score: how plausible it is that the bytes are
 * a structure of the layout. Called by the layout verb for each place that may be a structure; guess_plan.c makes the plan
 * once.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"
#include "probes.h"
#include "span.h"
#include "type_constants.h"

/* A test, and the bytes of the structure under test. */
typedef struct test_input {
    const etl_guess_plan *plan;
    const etl_guess_test *test;
    etl_span bytes;
} test_input;

/*@ predicate testing{L}(test_input *t) =
  @   \valid_read(t) && etl_prepared(t->plan) && \valid_read(t->test) && etl_readable(t->bytes); */

/* Amounts, counts and states of a system in use are below these. */
#define AMOUNT_END (UINT64_C(1) << 56)
#define COUNT_END (UINT64_C(1) << 24)
#define BUFFERS_END (UINT64_C(1) << 16)
#define STATE_END (UINT64_C(1) << 10)
#define HANDLE_END (UINT64_C(1) << 24)
#define TICKS_END (UINT64_C(1) << 60)
#define PAGE_SIZE 0x1000
/* The largest plausible ratio of the peak number of buffers to the current one. */
#define PEAK_MOST 64
#define ENABLE_INFOS (ETL_TYPE_SIZE(TRACE_ENABLE_INFO_8) / ETL_TYPE_SIZE(TRACE_ENABLE_INFO))
/* The offset of a part of the member under test. */
#define PART_AT(t, kind, part) \
    ((size_t)(t)->test->offset + ETL_PART_AT_OF((t)->plan->layout.arch, kind, part))
/* DISPATCHER_HEADER.WaitListHead. */
#define WAIT_LIST 8u

/* Results that several probes share, in the order of their rows of clues.def: clue = first clue of the probe + result. */
typedef enum pointer_result { POINTER_NULL, POINTER_GOOD, POINTER_ODD, POINTER_BAD } pointer_result;
typedef enum list_result { LIST_NULL, LIST_SAME, LIST_GOOD, LIST_BAD } list_result;
typedef enum string_result { STRING_NONE, STRING_EMPTY, STRING_GOOD, STRING_ODD, STRING_BAD } string_result;
typedef enum number_result { NUMBER_ZERO, NUMBER_SOME, NUMBER_MUCH } number_result;

const etl_clue_info *etl_clue_get(etl_clue clue)
{
    static const etl_clue_info rows[] = {
#define ETL_CLUE(probe, result, x86, x64, text) {text, ETL_ARCHES(x86, x64)},
#include "format/layouts/clues.def"
    };
    return &rows[clue];
}

/*@ requires etl_readable(bytes); assigns \nothing; */
static uint64_t number_at(etl_span bytes, size_t offset, uint32_t size)
{
    switch (size) {
    case 1: return etl_load_u8(bytes, offset);
    case 2: return etl_load_u16(bytes, offset);
    case 4: return etl_load_u32(bytes, offset);
    default: break;
    }
    return etl_load_u64(bytes, offset);
}

/*@ requires testing(t); assigns \nothing; */
static uint64_t number_of(const test_input *t)
{
    return number_at(t->bytes, t->test->offset, t->test->size);
}

/*@ requires testing(t); assigns \nothing; ensures \result == 4 || \result == 8; */
static uint32_t pointer_size(const test_input *t)
{
    return etl_arch_pointer_size(t->plan->layout.arch);
}

/*@ requires testing(t); assigns \nothing; */
static uint64_t pointer_at(const test_input *t, size_t offset)
{
    return number_at(t->bytes, offset, pointer_size(t));
}

/*@ requires testing(t); assigns \nothing; */
static bool in_half(const test_input *t, uint64_t address)
{
    return t->plan->half.least <= address && address <= t->plan->half.most;
}

/*@ requires testing(t); assigns \nothing; */
static bool is_aligned(const test_input *t, uint64_t address)
{
    return (address & (pointer_size(t) - 1)) == 0;
}

/*@ requires testing(t); assigns \nothing; ensures \result <= POINTER_BAD; */
static pointer_result pointer_result_of(const test_input *t, uint64_t address)
{
    if (address == 0)
        return POINTER_NULL;
    if (!in_half(t, address))
        return POINTER_BAD;
    return is_aligned(t, address) ? POINTER_GOOD : POINTER_ODD;
}

/* The reference count is in the bits that are clear in an aligned address. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue fast_ref_clue(const test_input *t)
{
    const uint64_t address = number_of(t) & ~(uint64_t)(2 * pointer_size(t) - 1);
    if (number_of(t) == 0)
        return ETL_CLUE_FAST_REF_NULL;
    return in_half(t, address) ? ETL_CLUE_FAST_REF_GOOD : ETL_CLUE_FAST_REF_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result <= LIST_BAD; */
static list_result list_result_of(const test_input *t, size_t offset)
{
    const size_t back = offset + ETL_PART_AT_OF(t->plan->layout.arch, LIST_ENTRY, Blink);
    const uint64_t flink = pointer_at(t, offset), blink = pointer_at(t, back);
    if (flink == 0 && blink == 0)
        return LIST_NULL;
    if (pointer_result_of(t, flink) != POINTER_GOOD || pointer_result_of(t, blink) != POINTER_GOOD)
        return LIST_BAD;
    return flink == blink ? LIST_SAME : LIST_GOOD;
}

/* The offset of the list of a test; false if it has none. */
/*@ requires \valid_read(test) && \valid(offset); assigns *offset; */
static bool list_of(const etl_guess_test *test, size_t *offset)
{
    *offset = test->offset + (test->probe == ETL_PROBE_WAIT ? WAIT_LIST : 0u);
    return test->probe == ETL_PROBE_LIST || test->probe == ETL_PROBE_WAIT;
}

/*
 * An empty list points to itself, and so states the address of the structure. Returns how many lists up to `index`, itself
 * included, state the address that the list at `index` states; 0 if that list is not empty.
 */
/*@ requires testing(t) && index < t->plan->count; assigns \nothing; */
static uint32_t count_agreeing_lists(const test_input *t, uint32_t index)
{
    size_t offset, other;
    if (!list_of(&t->plan->tests[index], &offset) || list_result_of(t, offset) != LIST_SAME)
        return 0;
    const uint64_t place = pointer_at(t, offset) - offset;
    uint32_t count = 1;
    /*@ loop invariant i <= index;
      @ loop assigns i, other, count;
      @ loop variant index - i; */
    for (uint32_t i = 0; i < index; i++)
        if (list_of(&t->plan->tests[i], &other) && pointer_at(t, other) == place + other &&
            list_result_of(t, other) == LIST_SAME)
            count++;
    return count;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue place_clue(const test_input *t)
{
    uint32_t most = 0;
    /*@ loop invariant i <= t->plan->count;
      @ loop assigns i, most;
      @ loop variant t->plan->count - i; */
    for (uint32_t i = 0; i < t->plan->count && most < 3; i++) {
        const uint32_t count = count_agreeing_lists(t, i);
        most = count > most ? count : most;
    }
    return most < 2 ? ETL_CLUE_PLACE_NONE : most == 2 ? ETL_CLUE_PLACE_TWO : ETL_CLUE_PLACE_MORE;
}

/*@ requires testing(t); assigns \nothing; ensures \result <= STRING_BAD; */
static string_result string_result_of(const test_input *t)
{
    const size_t lengths_end = PART_AT(t, UNICODE_STRING, MaximumLength) + sizeof(uint16_t);
    const uint32_t length = etl_load_u16(t->bytes, PART_AT(t, UNICODE_STRING, Length));
    const uint32_t most = etl_load_u16(t->bytes, PART_AT(t, UNICODE_STRING, MaximumLength));
    const uint64_t buffer = pointer_at(t, PART_AT(t, UNICODE_STRING, Buffer));
    /* On x64 there are four bytes of padding between the lengths and the address. */
    const uint32_t gap = pointer_size(t) == 8 ? etl_load_u32(t->bytes, lengths_end) : 0;
    if (length % 2 != 0 || most % 2 != 0 || length > most || (buffer == 0 && most != 0))
        return STRING_BAD;
    if (buffer == 0)
        return STRING_NONE;
    if (!in_half(t, buffer) || buffer % 2 != 0)
        return STRING_BAD;
    if (length == 0)
        return STRING_EMPTY;
    return gap == 0 ? STRING_GOOD : STRING_ODD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue bitmap_clue(const test_input *t)
{
    const uint32_t bits = etl_load_u32(t->bytes, PART_AT(t, RTL_BITMAP, SizeOfBitMap));
    const pointer_result buffer = pointer_result_of(t, pointer_at(t, PART_AT(t, RTL_BITMAP, Buffer)));
    if (bits == 0 && buffer == POINTER_NULL)
        return ETL_CLUE_BITMAP_NONE;
    return bits != 0 && bits < COUNT_END && buffer == POINTER_GOOD ? ETL_CLUE_BITMAP_GOOD : ETL_CLUE_BITMAP_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue guid_clue(const test_input *t)
{
    const etl_span bytes = etl_span_part(t->bytes, t->test->offset, t->test->size);
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

/*@ requires etl_readable(bytes); assigns \nothing; */
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

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue enable_clue(const test_input *t)
{
    const enable_info info = enable_info_at(t->bytes, t->test->offset);
    if (info.is_enabled > 1 || info.logger >= ETL_MEMORY_LOGGERS_MOST || info.reserved != 0)
        return ETL_CLUE_ENABLE_BAD;
    if (info.is_enabled)
        return ETL_CLUE_ENABLE_ON;
    const etl_span bytes = etl_span_part(t->bytes, t->test->offset, t->test->size);
    return etl_span_run(bytes, 0) == bytes.size ? ETL_CLUE_ENABLE_ZERO : ETL_CLUE_ENABLE_STALE;
}

/* ProviderEnableInfo, compared with all elements of EnableInfo. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue together_clue(const test_input *t)
{
    const enable_info whole = enable_info_at(t->bytes, t->test->offset);
    enable_info all = {.all = UINT64_MAX};
    /*@ loop invariant i <= ENABLE_INFOS;
      @ loop assigns i, all;
      @ loop variant ENABLE_INFOS - i; */
    for (uint32_t i = 0; i < ENABLE_INFOS; i++) {
        const enable_info one = enable_info_at(t->bytes, t->test->with + (size_t)i * t->test->size);
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

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue context_clue(const test_input *t)
{
    if (number_of(t) == 0)
        return ETL_CLUE_CONTEXT_ZERO;
    if (etl_load_u16(t->bytes, PART_AT(t, TRACE_ENABLE_CONTEXT, LoggerId)) >= ETL_MEMORY_LOGGERS_MOST)
        return ETL_CLUE_CONTEXT_BAD;
    return etl_load_u32(t->bytes, PART_AT(t, TRACE_ENABLE_CONTEXT, EnableFlags)) != 0 ? ETL_CLUE_CONTEXT_GOOD
                                                                                      : ETL_CLUE_CONTEXT_BARE;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue last_clue(const test_input *t)
{
    const etl_span bytes = etl_span_part(t->bytes, t->test->offset, t->test->size);
    if (etl_span_run(bytes, 0) == bytes.size)
        return ETL_CLUE_LAST_ZERO;
    return etl_load_u32(bytes, ETL_PART_AT(ETW_LAST_ENABLE_INFO, Padding)) == 0 ? ETL_CLUE_LAST_GOOD : ETL_CLUE_LAST_BAD;
}

/* A lock that is held is a count, or the address of a waiter with flags in its low bits. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue lock_clue(const test_input *t)
{
    const uint64_t lock = number_of(t);
    if (lock == 0)
        return ETL_CLUE_LOCK_FREE;
    return lock < STATE_END || in_half(t, lock) ? ETL_CLUE_LOCK_HELD : ETL_CLUE_LOCK_BAD;
}

/*@ assigns \nothing; ensures \result <= NUMBER_MUCH; */
static number_result number_result_of(uint64_t number, uint64_t end)
{
    return number == 0 ? NUMBER_ZERO : number < end ? NUMBER_SOME : NUMBER_MUCH;
}

/* For a signed number. */
/*@ assigns \nothing; ensures \result <= NUMBER_MUCH; */
static number_result delta_result_of(uint64_t number)
{
    const uint64_t amount = number >> 63 ? UINT64_MAX - number + 1 : number;
    return number_result_of(amount, AMOUNT_END);
}

/* Kernel handles have the highest bits set, and so has the invalid handle -1. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue handle_clue(const test_input *t)
{
    const uint64_t sign = pointer_size(t) == 8 ? UINT64_C(0xFFFFFFFF80000000) : 0x80000000;
    const uint64_t none = pointer_size(t) == 8 ? UINT64_MAX : UINT32_MAX;
    const uint64_t handle = number_of(t), own = handle & ~sign;
    if (handle == 0)
        return ETL_CLUE_HANDLE_NULL;
    if (handle == none)
        return ETL_CLUE_HANDLE_GOOD;
    return handle % 4 == 0 && own < HANDLE_END && ((handle & sign) == 0 || (handle & sign) == sign)
               ? ETL_CLUE_HANDLE_GOOD : ETL_CLUE_HANDLE_BAD;
}

/* NTSTATUS: severity, customer bit, facility, code. Windows uses facilities of at most 8 bits, and no customer bit. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue status_clue(const test_input *t)
{
    const uint32_t status = (uint32_t)number_of(t);
    if (status == 0)
        return ETL_CLUE_STATUS_SUCCESS;
    return (status & 0x3F000000) == 0 ? ETL_CLUE_STATUS_OTHER : ETL_CLUE_STATUS_BAD;
}

/*@ assigns \nothing; */
static bool is_time(uint64_t filetime)
{
    return ETL_GUESS_TIME_LEAST <= filetime && filetime <= ETL_GUESS_TIME_MOST;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue filetime_clue(const test_input *t)
{
    const uint64_t time = number_of(t);
    return time == 0 ? ETL_CLUE_FILETIME_ZERO : is_time(time) ? ETL_CLUE_FILETIME_GOOD : ETL_CLUE_FILETIME_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue ref_clock_clue(const test_input *t)
{
    const uint64_t time = etl_load_u64(t->bytes, PART_AT(t, ETW_REF_CLOCK, StartTime));
    const uint64_t ticks = etl_load_u64(t->bytes, PART_AT(t, ETW_REF_CLOCK, StartPerfClock));
    if (time == 0 && ticks == 0)
        return ETL_CLUE_REF_CLOCK_ZERO;
    return is_time(time) && ticks < TICKS_END ? ETL_CLUE_REF_CLOCK_GOOD : ETL_CLUE_REF_CLOCK_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue clock_clue(const test_input *t)
{
    const uint64_t clock = number_of(t);
    return clock == 0 ? ETL_CLUE_CLOCK_RAW : clock < ETL_CLOCK_TYPE_COUNT ? ETL_CLUE_CLOCK_GOOD : ETL_CLUE_CLOCK_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue logger_id_clue(const test_input *t)
{
    const uint64_t id = number_of(t);
    return id == 0 ? ETL_CLUE_LOGGER_ID_ZERO : id < ETL_MEMORY_LOGGERS_MOST ? ETL_CLUE_LOGGER_ID_GOOD
                                                                            : ETL_CLUE_LOGGER_ID_BAD;
}

/*@ requires unit != 0; assigns \nothing; */
static bool is_size(uint64_t size, uint32_t unit)
{
    return size % unit == 0 && size <= ETL_MEMORY_BUFFER_SIZE_MOST;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue buffer_size_clue(const test_input *t)
{
    const uint64_t size = number_of(t);
    if (size == 0)
        return ETL_CLUE_BUFFER_SIZE_ZERO;
    return is_size(size, ETL_MEMORY_BUFFER_SIZE_LEAST) ? ETL_CLUE_BUFFER_SIZE_GOOD : ETL_CLUE_BUFFER_SIZE_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue pages_clue(const test_input *t)
{
    const uint64_t size = number_of(t);
    return size == 0 ? ETL_CLUE_PAGES_ZERO : is_size(size, PAGE_SIZE) ? ETL_CLUE_PAGES_GOOD : ETL_CLUE_PAGES_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue event_size_clue(const test_input *t)
{
    const uint64_t size = number_of(t), buffer = etl_load_u32(t->bytes, t->test->with);
    if (size == 0)
        return ETL_CLUE_EVENT_SIZE_ZERO;
    if (size + ETL_SIZE(WMI_BUFFER_HEADER_61) > buffer)
        return ETL_CLUE_EVENT_SIZE_BAD;
    return size > buffer / 2 ? ETL_CLUE_EVENT_SIZE_GOOD : ETL_CLUE_EVENT_SIZE_LESS;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue bits_clue(const test_input *t)
{
    const uint64_t bits = number_of(t);
    return bits == 0 ? ETL_CLUE_BITS_CLEAR : (bits & ~(uint64_t)t->test->with) == 0 ? ETL_CLUE_BITS_GOOD
                                                                                    : ETL_CLUE_BITS_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue references_clue(const test_input *t)
{
    const uint64_t count = number_of(t);
    if (count == 0)
        return ETL_CLUE_REFERENCES_ZERO;
    return count < ETL_GUESS_REFERENCES_END ? ETL_CLUE_REFERENCES_GOOD : ETL_CLUE_REFERENCES_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue switch_clue(const test_input *t)
{
    const uint64_t state = number_of(t);
    return state == 0 ? ETL_CLUE_SWITCH_OFF : state == 1 ? ETL_CLUE_SWITCH_ON : ETL_CLUE_SWITCH_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue available_clue(const test_input *t)
{
    const uint64_t count = number_of(t), all = etl_load_u32(t->bytes, t->test->with);
    if (count == 0)
        return ETL_CLUE_AVAILABLE_ZERO;
    return count <= all && all < BUFFERS_END ? ETL_CLUE_AVAILABLE_GOOD : ETL_CLUE_AVAILABLE_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue peak_clue(const test_input *t)
{
    const uint64_t count = number_of(t), all = etl_load_u32(t->bytes, t->test->with);
    if (count == 0)
        return ETL_CLUE_PEAK_ZERO;
    return all <= count && count < BUFFERS_END && count <= PEAK_MOST * all ? ETL_CLUE_PEAK_GOOD : ETL_CLUE_PEAK_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue maximum_clue(const test_input *t)
{
    const uint64_t count = number_of(t), least = etl_load_u32(t->bytes, t->test->with);
    if (count == 0)
        return ETL_CLUE_MAXIMUM_ZERO;
    return least <= count && count < BUFFERS_END ? ETL_CLUE_MAXIMUM_GOOD : ETL_CLUE_MAXIMUM_BAD;
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue padding_clue(const test_input *t)
{
    const etl_span bytes = etl_span_part(t->bytes, t->test->offset, t->test->size);
    return etl_span_run(bytes, 0) == bytes.size ? ETL_CLUE_PADDING_CLEAR : ETL_CLUE_PADDING_BAD;
}

/* The clues of a probe are in the order of its results. */
/*@ requires first + result < ETL_CLUE_COUNT; assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue clue_at(etl_clue first, unsigned result)
{
    return (etl_clue)(first + result);
}

/* The clue of a test of a number, or of padding. */
/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue number_clue(const test_input *t)
{
    switch ((etl_probe)t->test->probe) {
    case ETL_PROBE_STATUS: return status_clue(t);
    case ETL_PROBE_FILETIME: return filetime_clue(t);
    case ETL_PROBE_CLOCK: return clock_clue(t);
    case ETL_PROBE_LOGGER_ID: return logger_id_clue(t);
    case ETL_PROBE_BUFFER_SIZE: return buffer_size_clue(t);
    case ETL_PROBE_PAGES: return pages_clue(t);
    case ETL_PROBE_EVENT_SIZE: return event_size_clue(t);
    case ETL_PROBE_BITS: return bits_clue(t);
    case ETL_PROBE_REFERENCES: return references_clue(t);
    case ETL_PROBE_NUMBER: return clue_at(ETL_CLUE_NUMBER_ZERO, number_result_of(number_of(t), COUNT_END));
    case ETL_PROBE_RARE: return clue_at(ETL_CLUE_RARE_ZERO, number_result_of(number_of(t), COUNT_END));
    case ETL_PROBE_LIVE: return clue_at(ETL_CLUE_LIVE_ZERO, number_result_of(number_of(t), BUFFERS_END));
    case ETL_PROBE_STATE: return clue_at(ETL_CLUE_STATE_ZERO, number_result_of(number_of(t), STATE_END));
    case ETL_PROBE_LARGE: return clue_at(ETL_CLUE_LARGE_ZERO, number_result_of(number_of(t), AMOUNT_END));
    case ETL_PROBE_DELTA: return clue_at(ETL_CLUE_DELTA_ZERO, delta_result_of(number_of(t)));
    case ETL_PROBE_SWITCH: return switch_clue(t);
    case ETL_PROBE_AVAILABLE: return available_clue(t);
    case ETL_PROBE_PEAK: return peak_clue(t);
    case ETL_PROBE_MAXIMUM: return maximum_clue(t);
    case ETL_PROBE_PADDING: return padding_clue(t);
    default: return ETL_CLUE_NONE_UNKNOWN;
    }
}

/*@ requires testing(t); assigns \nothing; ensures \result < ETL_CLUE_COUNT; */
static etl_clue clue_of(const test_input *t)
{
    switch ((etl_probe)t->test->probe) {
    case ETL_PROBE_POINTER: return clue_at(ETL_CLUE_POINTER_NULL, pointer_result_of(t, number_of(t)));
    case ETL_PROBE_LINK: return clue_at(ETL_CLUE_LINK_NULL, pointer_result_of(t, number_of(t)));
    case ETL_PROBE_AGAIN: return clue_at(ETL_CLUE_AGAIN_NULL, pointer_result_of(t, number_of(t)));
    case ETL_PROBE_ANCHOR: return clue_at(ETL_CLUE_ANCHOR_NULL, pointer_result_of(t, number_of(t)));
    case ETL_PROBE_FAST_REF: return fast_ref_clue(t);
    case ETL_PROBE_LIST: return clue_at(ETL_CLUE_LIST_NULL, list_result_of(t, t->test->offset));
    case ETL_PROBE_WAIT: return clue_at(ETL_CLUE_WAIT_NULL, list_result_of(t, t->test->offset + WAIT_LIST));
    case ETL_PROBE_PLACE: return place_clue(t);
    case ETL_PROBE_STRING: return clue_at(ETL_CLUE_STRING_NONE, string_result_of(t));
    case ETL_PROBE_NAME: return clue_at(ETL_CLUE_NAME_NONE, string_result_of(t));
    case ETL_PROBE_BITMAP: return bitmap_clue(t);
    case ETL_PROBE_GUID: return guid_clue(t);
    case ETL_PROBE_ENABLE: return enable_clue(t);
    case ETL_PROBE_TOGETHER: return together_clue(t);
    case ETL_PROBE_CONTEXT: return context_clue(t);
    case ETL_PROBE_HANDLE: return handle_clue(t);
    case ETL_PROBE_REF_CLOCK: return ref_clock_clue(t);
    case ETL_PROBE_LOCK: return lock_clue(t);
    case ETL_PROBE_LAST: return last_clue(t);
    default: break;
    }
    return number_clue(t);
}

etl_clue etl_guess_clue(const etl_guess_plan *plan, uint32_t index, etl_span structure)
{
    const etl_guess_test *test = &plan->tests[index];
    const test_input t = {plan, test, etl_span_first(structure, plan->size)};
    return etl_span_has(t.bytes, test->offset, test->size) ? clue_of(&t) : ETL_CLUE_NONE_UNKNOWN;
}

int32_t etl_guess_score(const etl_guess_plan *plan, etl_span structure, int32_t floor)
{
    int32_t score = 0;
    /*@ loop invariant i <= plan->count && INT16_MIN * i <= score <= INT16_MAX * i;
      @ loop assigns i, score;
      @ loop variant plan->count - i; */
    for (uint32_t i = 0; i < plan->count && score >= floor; i++)
        score += etl_clue_get(etl_guess_clue(plan, i, structure))->points[plan->layout.arch];
    return score;
}
