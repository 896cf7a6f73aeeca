/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the options of a MESSAGE_TRACE_HEADER into the offsets of its optional parts. Called by framing (event.c),
 * plausibility (plausible.c) and the reading of fields (fields.c).
 */
#include "message.h"

#include "etlproof/format.h"

static const struct {
    uint16_t option, unless;
    uint8_t size;
} parts[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) {(value), (unless), (size)},
#include "format/message_options.def"
};

/*@ requires \valid(message);
  @ assigns *message;
  @ ensures message->size == \old(message->size) && message->read_size == \old(message->read_size); */
static void place(etl_message_parts *message, uint16_t option, uint32_t at)
{
    switch (option) {
    case ETL_MESSAGE_OPTION_SEQUENCE: message->sequence = at; break;
    case ETL_MESSAGE_OPTION_COMPONENTID: message->component_id = at; break;
    case ETL_MESSAGE_OPTION_GUID: message->guid = at; break;
    case ETL_MESSAGE_OPTION_TIMESTAMP: message->time = at; break;
    case ETL_MESSAGE_OPTION_SYSTEMINFO: message->system_info = at; break;
    default: break; /* the reserved place of PERFORMANCE_TIMESTAMP, and options without a part */
    }
}

enum { PARTS = sizeof parts / sizeof parts[0] };

etl_message_parts etl_message_parts_of(uint16_t options, uint32_t available)
{
    etl_message_parts message = {.size = ETL_SIZE(MESSAGE_TRACE_HEADER), .read_size = ETL_SIZE(MESSAGE_TRACE_HEADER)};
    /*@ loop invariant 0 <= i <= PARTS;
      @ loop invariant message.read_size <= message.size <= ETL_SIZE_MESSAGE_TRACE_HEADER + 0xFF * i;
      @ loop assigns i, message;
      @ loop variant PARTS - i; */
    for (unsigned i = 0; i < PARTS; i++) {
        if (!(options & parts[i].option) || options & parts[i].unless)
            continue;
        if (message.size + parts[i].size <= available) {
            place(&message, parts[i].option, message.size);
            message.read_size = message.size + parts[i].size;
        }
        message.size += parts[i].size;
    }
    return message;
}
