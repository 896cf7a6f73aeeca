/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of members of format/layouts/ as C arrays, for etl_memory_rows_of in layout_tables.c. They have a file of
 * their own because Frama-C puts the values of all tables of a file into its goals: these are too many.
 */
#include "layout_tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A word of the tables. */
enum { NONE = ETL_MEMORY_NONE };

#define ROW(member, type, since, until, x86, x64, evidence) \
    {member, ETL_MEMORY_TYPE_##type, ETL_WINDOWS_##since, ETL_WINDOWS_##until, ETL_EVIDENCE_##evidence, \
     ETL_ARCHES(x86, x64)},

static const etl_memory_row etw_guid_entry[] = {
#define ETL_MEMORY_MEMBER ROW
#include "format/layouts/etw_guid_entry.def"
};

static const etl_memory_row wmi_logger_context[] = {
#define ETL_MEMORY_MEMBER ROW
#include "format/layouts/wmi_logger_context.def"
};

static const etl_memory_row etw_um_logger_context[] = {
#define ETL_MEMORY_MEMBER ROW
#include "format/layouts/etw_um_logger_context.def"
};

const etl_memory_rows etl_memory_all_rows[ETL_MEMORY_STRUCTURE_COUNT] = {
    [ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY] = {etw_guid_entry, COUNT(etw_guid_entry)},
    [ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT] = {wmi_logger_context, COUNT(wmi_logger_context)},
    [ETL_MEMORY_STRUCTURE_ETW_UM_LOGGER_CONTEXT] = {etw_um_logger_context, COUNT(etw_um_logger_context)},
};
