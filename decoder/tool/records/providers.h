/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many events each provider wrote. The table does not grow: what finds no place in it is counted as one sum.
 */
#ifndef ETLPROOF_PROVIDERS_H
#define ETLPROOF_PROVIDERS_H

#include "etlproof/event.h"

/* A power of two. Real files have fewer than 200 providers. */
#define TOOL_PROVIDERS_MAX 4096u

/* The GUID as two words in the order of the file, for comparing. */
typedef struct tool_provider {
    uint64_t low, high;
    uint64_t events; /* 0: the place is free */
} tool_provider;

typedef struct tool_providers {
    tool_provider at[TOOL_PROVIDERS_MAX];
    uint32_t count;
    tool_provider *last;     /* the one of the event before */
    uint64_t others;        /* events of providers that found no place */
    uint64_t groups[0x100]; /* kernel events by hook group */
    uint64_t none;          /* events whose header names no provider */
} tool_providers;

void tool_providers_add_event(tool_providers *providers, const etl_event *event);

etl_guid tool_provider_guid(const tool_provider *provider);

#endif
