/* SPDX-License-Identifier: Apache-2.0 */
/* plausible.c: each strength of an event and of a buffer, by the table in plausible.h. */
#include "plausible.h"

#include "test.h"
#include "test_bytes.h"

#include <stdio.h>

/* Offsets of the event, of what follows it, and of the end of the events. */
enum { AT = 0x48, NEXT = AT + 0x60, EXTENT = NEXT + 0x60 };

/* First dwords of events of 0x60 bytes, their Size or OptionFlags in the second. */
#define KNOWN 0xC0130060, 0          /* EVENT_HEADER64 */
#define UNPUBLISHED 0xC00D0060, 0    /* ERROR */
#define NEWER 0xC01F0060, 0          /* of no known type */
#define WNODE 0x00000060, 0
#define MESSAGE 0x90000060, 0
#define SPARE_OPTION 0x90000060, 0x01000000
#define SPARE_RESERVED 0x90010060, 0x01000000
#define CUT_MESSAGE 0x9000000A, 0x00FF0000 /* its parts are larger than its Size */
#define END_MARKER 0xFFFFFFFF, 0xFFFFFFFF
#define NOTHING 0x81818181, 0

static bool is_plausible(const test_bytes *b, uint32_t extent, etl_event_strength strength)
{
    uint32_t size;
    return etl_plausible_event(span_of(b), AT, extent, strength, &size);
}

/* A bit for each strength. */
enum {
    FIRST = 1 << ETL_PLAUSIBLE_FIRST,
    KEPT = 1 << ETL_PLAUSIBLE_KEPT,
    FOLLOWED = 1 << ETL_PLAUSIBLE_FOLLOWED,
    DECODED = 1 << ETL_PLAUSIBLE_DECODED
};

static unsigned strengths(const test_bytes *b, uint32_t extent)
{
    unsigned bits = 0;
    for (unsigned strength = 0; strength <= ETL_PLAUSIBLE_DECODED; strength++)
        bits |= is_plausible(b, extent, (etl_event_strength)strength) ? 1u << strength : 0;
    return bits;
}

/* An event, what follows it, and what follows that; and the strengths that the event must have. */
static const struct event_row {
    uint32_t here[2], next[2], after[2];
    unsigned expected;
} event_rows[] = {
    {{KNOWN}, {KNOWN}, {NOTHING}, FIRST | KEPT | FOLLOWED | DECODED},
    {{KNOWN}, {NEWER}, {NOTHING}, FIRST | KEPT | FOLLOWED | DECODED},
    {{KNOWN}, {END_MARKER}, {NOTHING}, FIRST | KEPT | FOLLOWED | DECODED},
    {{KNOWN}, {WNODE}, {KNOWN}, FIRST},
    {{KNOWN}, {CUT_MESSAGE}, {NOTHING}, FIRST},
    {{KNOWN}, {NOTHING}, {NOTHING}, FIRST},
    {{UNPUBLISHED}, {KNOWN}, {NOTHING}, FIRST | KEPT | FOLLOWED},
    {{NEWER}, {KNOWN}, {NOTHING}, KEPT | FOLLOWED},
    {{NEWER}, {NOTHING}, {NOTHING}, 0},
    {{MESSAGE}, {END_MARKER}, {NOTHING}, FIRST | KEPT | FOLLOWED | DECODED},
    {{SPARE_OPTION}, {KNOWN}, {NOTHING}, KEPT | FOLLOWED | DECODED},
    {{SPARE_OPTION}, {END_MARKER}, {NOTHING}, 0},
    {{SPARE_RESERVED}, {KNOWN}, {NOTHING}, 0},
    {{CUT_MESSAGE}, {KNOWN}, {NOTHING}, 0},
    {{WNODE}, {KNOWN}, {NOTHING}, KEPT},
    {{WNODE}, {WNODE}, {KNOWN}, KEPT},
    {{WNODE}, {WNODE}, {WNODE}, KEPT},
    {{WNODE}, {WNODE}, {NOTHING}, 0},
    {{WNODE}, {NOTHING}, {NOTHING}, 0},
    {{END_MARKER}, {KNOWN}, {NOTHING}, 0},
};

static void check_event(const struct event_row *row)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, EXTENT + 0x60, 0);
    for (size_t n = 0; n < 2; n++) {
        put_u32(&b, AT + 4 * n, row->here[n]);
        put_u32(&b, NEXT + 4 * n, row->next[n]);
        put_u32(&b, EXTENT + 4 * n, row->after[n]);
    }
    CHECK_UINT(row->expected, strengths(&b, EXTENT + 0x60));
    release(&b);
}

static void test_events(void)
{
    for (size_t i = 0; i < sizeof event_rows / sizeof event_rows[0]; i++) {
        const unsigned long failures = test_failures;
        check_event(&event_rows[i]);
        if (failures != test_failures)
            printf("  row %zu\n", i);
    }
}

/* The extent is a successor, and an event that crosses it is not sized. */
static void test_extent(void)
{
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, EXTENT, 0x81);
    put_u32(&b, AT, 0xC0130060);
    put_u32(&b, AT + 4, 0);
    CHECK_UINT(FIRST | KEPT | FOLLOWED | DECODED, strengths(&b, NEXT));
    CHECK_UINT(FIRST | KEPT | FOLLOWED | DECODED, strengths(&b, NEXT + 7));
    CHECK_UINT(FIRST, strengths(&b, NEXT + 8));
    CHECK_UINT(0, strengths(&b, NEXT - 1));
    release(&b);
}

static unsigned buffer_strengths(const test_bytes *b, uint32_t largest)
{
    unsigned bits = 0;
    for (unsigned strength = 0; strength <= ETL_PLAUSIBLE_BUFFER; strength++)
        if (etl_plausible_buffer(span_of(b), 0, ETL_BUFFER_SHAPE_61, largest, (etl_buffer_strength)strength))
            bits |= 1u << strength;
    return bits;
}

static void test_buffers(void)
{
    enum { SIZES = 1 << ETL_PLAUSIBLE_SIZES, MEMBERS = 1 << ETL_PLAUSIBLE_MEMBERS, BUFFER = 1 << ETL_PLAUSIBLE_BUFFER };
    static const struct {
        uint32_t size, saved_offset, state, offset, flag_and_type, event, largest;
        unsigned expected;
    } rows[] = {
        {0x1000, 0, 2, EXTENT, 0, 0xC0130060, ETL_BUFFER_SIZE_MAX, SIZES | MEMBERS | BUFFER},
        {0x1000, EXTENT, 2, 0, 0, 0xC0130060, ETL_BUFFER_SIZE_MAX, SIZES | MEMBERS | BUFFER},
        {0x1000, 0, 2, EXTENT, 0, 0x81818181, ETL_BUFFER_SIZE_MAX, SIZES},
        {0x1000, 0, 9, EXTENT, 0, 0xC0130060, ETL_BUFFER_SIZE_MAX, SIZES},
        {0x47, 0, 2, EXTENT, 0, 0xC0130060, ETL_BUFFER_SIZE_MAX, MEMBERS},
        {0x1000, 0, 2, 0x1001, 0, 0xC0130060, ETL_BUFFER_SIZE_MAX, MEMBERS},
        {0x1000, 0x48, 2, 0x1001, 0, 0x81818181, ETL_BUFFER_SIZE_MAX, SIZES | BUFFER},
        {0x1000, 0, 2, 0x1001, 1, 0x81818181, ETL_BUFFER_SIZE_MAX, 0},
        {0x1000, 0, 2, 0x1001, 0x40, 0x81818181, ETL_BUFFER_SIZE_MAX, SIZES | MEMBERS | BUFFER}, /* COMPRESSED */
        {0x1000, 0, 2, 0x48, 0, 0x81818181, ETL_BUFFER_SIZE_MAX, SIZES | MEMBERS | BUFFER},
        {0x1000, 0, 2, EXTENT, 0, 0xC0130060, 0xFFF, MEMBERS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = {NULL, 0};
        put_fill(&b, 0, EXTENT, 0);
        put_u32(&b, 0x00, rows[i].size);
        put_u32(&b, 0x04, rows[i].saved_offset);
        put_u32(&b, 0x2C, rows[i].state);
        put_u32(&b, 0x30, rows[i].offset);
        put_u32(&b, 0x34, rows[i].flag_and_type);
        put_u32(&b, AT, rows[i].event);
        unsigned long failures = test_failures;
        CHECK_UINT(rows[i].expected, buffer_strengths(&b, rows[i].largest));
        if (failures != test_failures)
            printf("  row %zu\n", i);
        release(&b);
    }
}

int main(void)
{
    test_events();
    test_extent();
    test_buffers();
    return test_result();
}
