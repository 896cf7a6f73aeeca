/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events by provider. The table does not grow: providers that find no slot are counted as one sum.
 */
#ifndef ETLPROOF_RECORDS_PROVIDERS_H
#define ETLPROOF_RECORDS_PROVIDERS_H

#include "etlproof/event.h"

/* A power of two. Real files have fewer than 200 providers. */
#define TOOL_PROVIDERS_MAX 4096u

/* How many payloads were read. */
typedef struct tool_payload_counts {
    uint64_t whole;   /* as fields */
    uint64_t cut;     /* not all of their fields: they do not fit their schema */
    uint64_t schemas; /* as a schema of others */
} tool_payload_counts;

/* The GUID as two words in file order, to compare it fast. */
typedef struct tool_provider {
    uint64_t low, high;
    uint64_t events; /* 0: the slot is free */
    tool_payload_counts payloads;
} tool_provider;

typedef struct tool_providers {
    tool_provider at[TOOL_PROVIDERS_MAX];
    uint32_t count;
    tool_provider *last;     /* the provider of the previous event */
    uint64_t others;        /* events of providers without a slot */
    uint64_t groups[0x100]; /* kernel events by hook group */
    uint64_t none;          /* events whose header has no provider */
} tool_providers;

/* Counts the event. Returns its provider; NULL if it has none, or none with a slot. */
tool_provider *tool_providers_add_event(tool_providers *providers, const etl_event *event);

etl_guid tool_provider_guid(const tool_provider *provider);

#endif
