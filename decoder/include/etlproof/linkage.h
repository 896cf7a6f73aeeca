/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets C++ include the headers: ETL_C_BEGIN and ETL_C_END enclose declarations of functions, and ETL_LITERAL is the type of
 * a compound literal, which C puts in parentheses.
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
