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
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) [ETL_OUT_TYPE_##name] = #name,
#include "format/payload/out_types.def"
};

/* The numbers of out-types in each family are smaller. */
enum { TLG_NUMBERS = 0x80, TDH_NUMBERS = 0x200 };

/*
 * Out-types by their numbers. Behind the numbers, each type without a number in this family has a place that nothing reads.
 */
static const uint8_t by_tlg[TLG_NUMBERS + ETL_OUT_TYPE_COUNT] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) \
    [(tlg) != 0 ? (tlg) : TLG_NUMBERS + ETL_OUT_TYPE_##name] = ETL_OUT_TYPE_##name,
#include "format/payload/out_types.def"
};

static const uint8_t by_tdh[TDH_NUMBERS + ETL_OUT_TYPE_COUNT] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) \
    [(tdh) != 0 ? (tdh) : TDH_NUMBERS + ETL_OUT_TYPE_##name] = ETL_OUT_TYPE_##name,
#include "format/payload/out_types.def"
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

etl_in_type_row etl_in_type_get(uint16_t type)
{
    const etl_in_type_row unknown = {NULL, ETL_VALUE_FORM_NONE, 0};
    return type < COUNT(in_types) ? in_types[type] : unknown;
}

uint16_t etl_out_type_of_tlg(uint16_t number)
{
    return number < TLG_NUMBERS ? by_tlg[number] : ETL_OUT_TYPE_NONE;
}

uint16_t etl_out_type_of_tdh(uint16_t number)
{
    return number < TDH_NUMBERS ? by_tdh[number] : ETL_OUT_TYPE_NONE;
}

const char *etl_in_type_name(uint16_t type)
{
    return etl_in_type_get(type).name;
}

const char *etl_out_type_name(uint16_t type)
{
    return type < COUNT(out_types) ? out_types[type] : NULL;
}
