/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C++ wants of headers that are in C: functions are declared between ETL_C_BEGIN and ETL_C_END, and the type of a
 * compound literal, which C has in parentheses, is ETL_LITERAL.
 */
#ifndef ETLPROOF_LINKAGE_H
#define ETLPROOF_LINKAGE_H

#ifdef __cplusplus
#define ETL_C_BEGIN extern "C" {
#define ETL_C_END }
#define ETL_LITERAL(type) type
#else
#define ETL_C_BEGIN
#define ETL_C_END
#define ETL_LITERAL(type) (type)
#endif

#endif
