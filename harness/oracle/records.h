/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds of the decode records of any file, by their text alone: JSON Lines of known records, whose totals are those of
 * the records before them.
 */
#ifndef ETLPROOF_RECORDS_ORACLE_H
#define ETLPROOF_RECORDS_ORACLE_H

#include <stdint.h>

#include "promise.h"
#include "strict.h"

/*
 * `text`: all that was written of a file of oracle->size bytes; `by_time`: with events behind all other records but the
 * end, sorted. A record that is not as it has to be breaks JSON or RECORDS, at its offset in the text; `*why` then says
 * what is wrong.
 */
bool etl_oracle_records(etl_oracle *oracle, etl_slice text, bool by_time, const char **why);

#endif
