/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that the oracle over the fields of a payload fails when the decoder reports one wrong step. The linker puts a
 * function in front of the decoder's (--wrap).
 */
#include <stddef.h>
#include <stdio.h>

#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

/* An item of 8 + 40 bytes and a payload: UINT8 "a", STRUCT "s" of an array of UINT16 "b", UNICODESTRING "t" with a tag. */
static const uint8_t event_bytes[] = {
    48, 0, 0x0B, 0, 0, 0, 24, 0, /* TotalSize, ExtType, Linkage, DataSize */
    24, 0, 0, 'E', 0, 'a', 0, 0x04, 's', 0, 0x98, 1, 'b', 0, 0x46, 't', 0, 0x81, 0x8B, 0x01, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    5, 2, 0, 10, 0, 11, 0, 0x41, 0, 0, 0};
enum { ITEMS = 48, WHOLE = sizeof event_bytes, CUT = WHOLE - 5 };

#define PAYLOAD_AT(member) offsetof(etl_payload, member)
#define FINDING_AT(member) offsetof(etl_finding, member)

typedef enum place { NOTHING, STEP, PAYLOAD, FINDING, COUNT } place;

/* What is changed after that many steps: bits of a byte of the iterator or of its finding, the step, or their number. */
static const struct fault {
    uint32_t size; /* of the event */
    unsigned call;
    place place;
    size_t at;
    uint8_t change;
} faults[] = {
    {WHOLE, 0, NOTHING, 0, 0},
    {CUT, 0, NOTHING, 0, 0},
    {WHOLE, 0, STEP, 0, 1},
    {WHOLE, 1, STEP, 0, 1},
    {WHOLE, 8, STEP, 0, 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(offset), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(size), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(value.size), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(value.at), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.in_type), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.out_type), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.out_number), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.size), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.size_form), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.optional), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.map.size), 1},
    {WHOLE, 1, PAYLOAD, PAYLOAD_AT(field.members_at), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.tag), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.at), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.count), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.count_form), 1},
    {WHOLE, 0, PAYLOAD, PAYLOAD_AT(field.name.size), 1},
    {WHOLE, 1, PAYLOAD, PAYLOAD_AT(field.members), 1},
    {WHOLE, 2, PAYLOAD, PAYLOAD_AT(field.count_form), 1},
    {WHOLE, 3, PAYLOAD, PAYLOAD_AT(offset), 1},
    {WHOLE, 5, PAYLOAD, PAYLOAD_AT(size), 1},
    {WHOLE, 6, PAYLOAD, PAYLOAD_AT(offset), 1},
    {WHOLE, 7, PAYLOAD, PAYLOAD_AT(field.tag), 1},
    {WHOLE, 7, PAYLOAD, PAYLOAD_AT(value.size), 2},
    {WHOLE, 8, PAYLOAD, PAYLOAD_AT(whole), 1},
    {WHOLE, 8, PAYLOAD, PAYLOAD_AT(at), 1},
    {WHOLE, 8, COUNT, 0, 1},
    {CUT, 4, COUNT, 0, 1},
    {CUT, 4, FINDING, FINDING_AT(rule), 1},
    {CUT, 4, FINDING, FINDING_AT(action), 1},
    {CUT, 4, FINDING, FINDING_AT(relation), 1},
    {CUT, 4, FINDING, FINDING_AT(space), 1},
    {CUT, 4, FINDING, FINDING_AT(offset), 1},
    {CUT, 4, FINDING, FINDING_AT(lost), 1},
    {CUT, 4, FINDING, FINDING_AT(buffer), 1},
    {CUT, 4, FINDING, FINDING_AT(event), 1},
    {CUT, 4, FINDING, FINDING_AT(expected), 1},
    {CUT, 4, FINDING, FINDING_AT(actual), 1},
};

static const struct fault *injected; /* NULL: none */
static unsigned calls;

etl_payload_step __real_etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings);
etl_payload_step __wrap_etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings);
etl_payload_step __wrap_etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings)
{
    etl_payload_step step = __real_etl_payload_next(payload, event, findings);
    if (injected == NULL || calls++ != injected->call)
        return step;
    switch (injected->place) {
    case NOTHING: break;
    case STEP: step = (etl_payload_step)((unsigned)step ^ injected->change); break;
    case PAYLOAD: ((uint8_t *)payload)[injected->at] ^= injected->change; break;
    case FINDING: ((uint8_t *)&findings->at[0])[injected->at] ^= injected->change; break;
    case COUNT: findings->count ^= injected->change; break;
    }
    return step;
}

static bool fault_holds(const struct fault *fault)
{
    const etl_event event = {.bytes = {event_bytes, fault->size},
                             .size = fault->size,
                             .items_size = ITEMS,
                             .data_size = fault->size - ITEMS,
                             .type = ETL_HEADER_TYPE_EVENT_HEADER64,
                             .layout = ETL_LAYOUT_EVENT};
    oracle_watch oracle;
    oracle_init(&oracle, fault->size, ETL_LIMITS_DEFAULT, true);
    injected = fault;
    calls = 0;
    etl_metadata metadata;
    const bool held = etl_metadata_read(&event, &metadata) && oracle_payload(&oracle, &event, &metadata);
    injected = NULL;
    return held == (fault->place == NOTHING) && calls > fault->call &&
           oracle.broken == (held ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_PAYLOAD);
}

void test_payload_faults(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char what[96];
        snprintf(what, sizeof what, "payload of %u bytes, fault %zu: byte %zu after step %u", faults[i].size, i,
                 faults[i].at, faults[i].call);
        say(fault_holds(&faults[i]), what);
    }
    fired[ORACLE_PROMISE_PAYLOAD] = true;
}
