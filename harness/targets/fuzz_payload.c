/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames an event in the context that the input chooses, and decodes its payload to fields: by the metadata in it, or as
 * that of a classic event.
 */
#include "broken_promise.h"
#include "context_input.h"
#include "exact_copy.h"
#include "step_checks.h"
#include "target.h"

static void decode(etl_span data, etl_context context)
{
    static etl_findings findings;
    etl_event event = {.space = ETL_SPACE_FILE, .context = context};
    etl_metadata metadata;
    oracle_watch oracle;
    findings.count = 0;
    if (data.size < ETL_SIZE(OPAQUE_HEADER) || !etl_event_frame(data, 0, (uint32_t)data.size, &event, &findings))
        return;
    oracle_init(&oracle, data.size, ETL_LIMITS_DEFAULT, false);
    if (etl_metadata_read(&event, &metadata) || etl_metadata_classic(&event, &metadata))
        oracle_payload(&oracle, &event, &metadata);
    target_hold(&oracle, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    const etl_span copy = target_copy(part.bytes);
    decode(copy, part.context);
    target_copy_free(copy);
    target_context_input_free(&part);
    return 0;
}
