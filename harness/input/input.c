/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define ETL_INPUT(name, context, structure, what) #name,
#include "inputs.def"
};

bool etl_input_has_context(etl_input input)
{
    static const bool rows[] = {
#define ETL_INPUT(name, context, structure, what) (context) != 0,
#include "inputs.def"
    };
    return rows[input];
}

static bool has(unsigned bits, etl_input_bit bit)
{
    return (bits >> bit & 1) != 0;
}

etl_input_context etl_input_context_read(const uint8_t bytes[ETL_INPUT_CONTEXT_SIZE])
{
    const unsigned bits = bytes[ETL_INPUT_BITS_AT];
    etl_input_context context = {
        .events = {
            .pointer_size = has(bits, ETL_INPUT_POINTERS_64) ? 8 : 4,
            .known = has(bits, ETL_INPUT_KNOWN),
            .instance_guid = has(bits, ETL_INPUT_INSTANCE_GUID),
            .thread_id_64 = has(bits, ETL_INPUT_THREAD_ID_64),
            .compact_allowed = has(bits, ETL_INPUT_COMPACT_ALLOWED),
            .processor_time = has(bits, ETL_INPUT_PROCESSOR_TIME),
        },
        .shape = (etl_buffer_shape)(bytes[ETL_INPUT_SHAPE_AT] & 3),
    };
    for (size_t i = 0; i < ETL_INPUT_ROOM_SIZE; i++)
        context.room |= (uint32_t)bytes[ETL_INPUT_ROOM_AT + i] << 8 * i;
    return context;
}

void etl_input_context_write(const etl_input_context *context, uint8_t bytes[ETL_INPUT_CONTEXT_SIZE])
{
    const etl_context *c = &context->events;
    memset(bytes, 0, ETL_INPUT_CONTEXT_SIZE);
    bytes[ETL_INPUT_BITS_AT] = (uint8_t)(
        (c->pointer_size == 8) << ETL_INPUT_POINTERS_64 | c->known << ETL_INPUT_KNOWN |
        c->instance_guid << ETL_INPUT_INSTANCE_GUID | c->thread_id_64 << ETL_INPUT_THREAD_ID_64 |
        c->compact_allowed << ETL_INPUT_COMPACT_ALLOWED | c->processor_time << ETL_INPUT_PROCESSOR_TIME);
    bytes[ETL_INPUT_SHAPE_AT] = (uint8_t)context->shape;
    for (size_t i = 0; i < ETL_INPUT_ROOM_SIZE; i++)
        bytes[ETL_INPUT_ROOM_AT + i] = (uint8_t)(context->room >> 8 * i);
}

static bool same(const char *name, const char *typed)
{
    for (; *name != '\0' && toupper((unsigned char)*typed) == *name; name++)
        typed++;
    return *name == '\0' && *typed == '\0';
}

bool etl_input_find(const char *name, etl_input *input)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!same(names[i], name))
            continue;
        *input = (etl_input)i;
        return true;
    }
    return false;
}

const char *etl_input_names(void)
{
    static char all[] =
#define ETL_INPUT(name, context, structure, what) ", " #name
#include "inputs.def"
        ;
    for (char *at = all; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return all + strlen(", ");
}
