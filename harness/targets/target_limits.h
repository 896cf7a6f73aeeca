/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits under which targets read a file.
 */
#ifndef ETLPROOF_TARGETS_TARGET_LIMITS_H
#define ETLPROOF_TARGETS_TARGET_LIMITS_H

#include "etlproof/trace.h"

/*
 * A few thousand bytes may inflate to ETL_LIMITS_DEFAULT's 16 MiB, all of which goes the way of the first. It takes as long
 * as a hundred other inputs.
 */
#define TARGET_LIMITS (ETL_LITERAL(etl_limits){ETL_BUFFER_SIZE_MAX >> 4, ETL_LIMITS_DEFAULT.expansion})

#endif
