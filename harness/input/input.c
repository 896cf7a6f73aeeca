/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define ETL_INPUT(name, context, trace, what) #name,
#include "inputs.def"
};

bool etl_input_has_context(etl_input input)
{
    static const bool rows[] = {
#define ETL_INPUT(name, context, trace, what) (context) != 0,
#include "inputs.def"
    };
    return rows[input];
}

etl_input_context etl_input_context_read(const uint8_t bytes[ETL_INPUT_CONTEXT_SIZE])
{
    const unsigned bits = bytes[0];
    return (etl_input_context){
        .events = {
            .pointer_size = bits & ETL_INPUT_POINTERS_64 ? 8 : 4,
            .known = (bits & ETL_INPUT_KNOWN) != 0,
            .instance_guid = (bits & ETL_INPUT_INSTANCE_GUID) != 0,
            .thread_id_64 = (bits & ETL_INPUT_THREAD_ID_64) != 0,
            .compact_allowed = (bits & ETL_INPUT_COMPACT_ALLOWED) != 0,
            .processor_time = (bits & ETL_INPUT_PROCESSOR_TIME) != 0,
        },
        .shape = (etl_buffer_shape)(bytes[1] & 3),
        .room = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16,
    };
}

void etl_input_context_write(const etl_input_context *context, uint8_t bytes[ETL_INPUT_CONTEXT_SIZE])
{
    const etl_context *c = &context->events;
    memset(bytes, 0, ETL_INPUT_CONTEXT_SIZE);
    bytes[0] = (uint8_t)((c->pointer_size == 8 ? ETL_INPUT_POINTERS_64 : 0) | (c->known ? ETL_INPUT_KNOWN : 0) |
                         (c->instance_guid ? ETL_INPUT_INSTANCE_GUID : 0) |
                         (c->thread_id_64 ? ETL_INPUT_THREAD_ID_64 : 0) |
                         (c->compact_allowed ? ETL_INPUT_COMPACT_ALLOWED : 0) |
                         (c->processor_time ? ETL_INPUT_PROCESSOR_TIME : 0));
    bytes[1] = (uint8_t)context->shape;
    for (size_t i = 0; i < 3; i++)
        bytes[4 + i] = (uint8_t)(context->room >> 8 * i);
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
#define ETL_INPUT(name, context, trace, what) ", " #name
#include "inputs.def"
        ;
    for (char *at = all; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return all + strlen(", ");
}
