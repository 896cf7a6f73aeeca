/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the values of an in-type are stored, and the out-types by the numbers of their family.
 */
#ifndef ETLPROOF_PAYLOAD_TYPES_H
#define ETLPROOF_PAYLOAD_TYPES_H

#include "etlproof/payload.h"

typedef struct etl_in_type_row {
    const char *name;
    etl_value_form form;
    uint8_t size; /* of a FIXED value, in bytes */
} etl_in_type_row;

/* Form NONE, and no name, for an unknown type. */
/*@ assigns \nothing; */
etl_in_type_row etl_in_type_get(uint16_t type);

/* ETL_OUT_TYPE_NONE for an unknown number. */
/*@ assigns \nothing; */
uint16_t etl_out_type_of_tlg(uint16_t number);
/*@ assigns \nothing; */
uint16_t etl_out_type_of_tdh(uint16_t number);

#endif
