/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the context of an input, and finds kinds of input by name. Called by targets, mutator and carve.
 */
#include "fuzz_input.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define INPUT_KIND(name, context, structure, what) #name,
#include "inputs.def"
};

bool input_has_context(input_kind input)
{
    static const bool rows[] = {
#define INPUT_KIND(name, context, structure, what) (context) != 0,
#include "inputs.def"
    };
    return rows[input];
}

static bool has(unsigned bits, input_bit bit)
{
    return (bits >> bit & 1) != 0;
}

input_context input_context_read(const uint8_t bytes[INPUT_CONTEXT_SIZE])
{
    const unsigned bits = bytes[INPUT_BITS_AT];
    input_context context = {
        .events = {
            .pointer_size = has(bits, INPUT_POINTERS_64) ? 8 : 4,
            .known = has(bits, INPUT_KNOWN),
            .instance_guid = has(bits, INPUT_INSTANCE_GUID),
            .thread_id_64 = has(bits, INPUT_THREAD_ID_64),
            .compact_allowed = has(bits, INPUT_COMPACT_ALLOWED),
            .processor_time = has(bits, INPUT_PROCESSOR_TIME),
        },
        .shape = (etl_buffer_shape)(bytes[INPUT_SHAPE_AT] & 3),
    };
    for (size_t i = 0; i < INPUT_INFLATED_SIZE_BYTES; i++)
        context.inflated_size |= (uint32_t)bytes[INPUT_INFLATED_SIZE_AT + i] << 8 * i;
    return context;
}

void input_context_write(const input_context *context, uint8_t bytes[INPUT_CONTEXT_SIZE])
{
    const etl_context *c = &context->events;
    memset(bytes, 0, INPUT_CONTEXT_SIZE);
    bytes[INPUT_BITS_AT] =
        (uint8_t)((c->pointer_size == 8) << INPUT_POINTERS_64 | c->known << INPUT_KNOWN |
                  c->instance_guid << INPUT_INSTANCE_GUID | c->thread_id_64 << INPUT_THREAD_ID_64 |
                  c->compact_allowed << INPUT_COMPACT_ALLOWED | c->processor_time << INPUT_PROCESSOR_TIME);
    bytes[INPUT_SHAPE_AT] = (uint8_t)context->shape;
    for (size_t i = 0; i < INPUT_INFLATED_SIZE_BYTES; i++)
        bytes[INPUT_INFLATED_SIZE_AT + i] = (uint8_t)(context->inflated_size >> 8 * i);
}

static bool same(const char *name, const char *typed)
{
    for (; *name != '\0' && toupper((unsigned char)*typed) == *name; name++)
        typed++;
    return *name == '\0' && *typed == '\0';
}

bool input_find(const char *name, input_kind *input)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!same(names[i], name))
            continue;
        *input = (input_kind)i;
        return true;
    }
    return false;
}

const char *input_names(void)
{
    static char all[] =
#define INPUT_KIND(name, context, structure, what) ", " #name
#include "inputs.def"
        ;
    for (char *at = all; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return all + strlen(", ");
}
