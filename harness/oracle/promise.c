/* SPDX-License-Identifier: Apache-2.0 */
#include "promise.h"

#include <string.h>

const char *etl_promise_name(etl_promise promise)
{
    static const char *const names[] = {
#define ETL_ORACLE(name, text, promise) text,
        ETL_ORACLES(ETL_ORACLE)
#undef ETL_ORACLE
    };
    return promise < ETL_PROMISE_COUNT ? names[promise] : "none";
}

const char *etl_promise_text(etl_promise promise)
{
    static const char *const texts[] = {
#define ETL_ORACLE(name, text, promise) promise,
        ETL_ORACLES(ETL_ORACLE)
#undef ETL_ORACLE
    };
    return promise < ETL_PROMISE_COUNT ? texts[promise] : "no promise is broken";
}

const char *etl_oracle_failed = "";

bool etl_oracle_break(etl_oracle *oracle, etl_promise promise, uint64_t offset)
{
    if (oracle->broken == ETL_PROMISE_COUNT) {
        oracle->broken = promise;
        oracle->broken_at = offset;
        oracle->part = etl_oracle_failed;
        etl_oracle_failed = "";
        if (etl_oracle_noticed)
            etl_oracle_noticed();
    }
    return false;
}

void etl_oracle_mix(etl_oracle *oracle, uint64_t value)
{
    uint64_t h = (oracle->hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    oracle->hash = h ^ h >> 32;
}

void etl_oracle_mix_bytes(etl_oracle *oracle, etl_span bytes)
{
    if (!oracle->deep)
        return;
    size_t at = 0;
    for (; bytes.size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes.at + at, sizeof word);
        etl_oracle_mix(oracle, word);
    }
    for (; at < bytes.size; at++)
        etl_oracle_mix(oracle, bytes.at[at]);
}
