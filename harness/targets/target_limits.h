/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits under which targets read a file.
 */
#ifndef ETLPROOF_TARGETS_TARGET_LIMITS_H
#define ETLPROOF_TARGETS_TARGET_LIMITS_H

#include "etlproof/trace.h"

/*
 * Under ETL_LIMITS_DEFAULT, a few thousand bytes may inflate to 16 MiB, which find nothing new but take as long as a
 * hundred other inputs.
 */
#define TARGET_LIMITS                                                                                                      \
    (ETL_LITERAL(etl_limits){ETL_BUFFER_SIZE_MAX >> 4, ETL_LIMITS_DEFAULT.expansion, ETL_LIMITS_DEFAULT.average})

#endif
