/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETLPROOF_BUFFER_STRUCTURE_H
#define ETLPROOF_BUFFER_STRUCTURE_H

#include "etlproof/buffer.h"

/* The row of structures.def for a buffer shape. */
static inline etl_structure_id etl_buffer_structure(etl_buffer_shape shape)
{
    switch (shape) {
    case ETL_BUFFER_SHAPE_50: return ETL_STRUCTURE_WMI_BUFFER_HEADER_50;
    case ETL_BUFFER_SHAPE_52: return ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    case ETL_BUFFER_SHAPE_60: return ETL_STRUCTURE_WMI_BUFFER_HEADER_60;
    case ETL_BUFFER_SHAPE_61: break;
    }
    return ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
}

#endif
