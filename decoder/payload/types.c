/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In-types and out-types of fields, from their tables. payload.c reads values by them; users of the library print names.
 */
#include "types.h"

static const etl_in_type_row in_types[] = {
#define ETL_IN_TYPE(value, name, form, size, source) [value] = {#name, ETL_VALUE_FORM_##form, size},
#include "format/payload/in_types.def"
};

static const char *const out_types[] = {
#define ETL_OUT_TYPE(value, name, form, sizes, source) [value] = #name,
#include "format/payload/out_types.def"
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

etl_in_type_row etl_in_type_get(uint16_t type)
{
    const etl_in_type_row unknown = {NULL, ETL_VALUE_FORM_NONE, 0};
    return type < COUNT(in_types) ? in_types[type] : unknown;
}

const char *etl_in_type_name(uint16_t type)
{
    return etl_in_type_get(type).name;
}

const char *etl_out_type_name(uint16_t type)
{
    return type < COUNT(out_types) ? out_types[type] : NULL;
}
