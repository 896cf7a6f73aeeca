/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits under which targets read a file.
 */
#ifndef ETLPROOF_TARGETS_TARGET_LIMITS_H
#define ETLPROOF_TARGETS_TARGET_LIMITS_H

#include "etlproof/trace.h"

/*
 * Under ETL_LIMITS_DEFAULT, a few thousand bytes may inflate to 16 MiB, which find nothing new but take as long as a
 * hundred other inputs. 80 KiB are more than the 64 KiB to which limits.expansion does not apply, and less than what
 * AddressSanitizer maps anew for each allocation, which took half of the time of fuzz_recover.
 */
#define TARGET_LIMITS                                                                                                      \
    (ETL_LITERAL(etl_limits){80 * 1024, ETL_LIMITS_DEFAULT.expansion, ETL_LIMITS_DEFAULT.average})

#endif
