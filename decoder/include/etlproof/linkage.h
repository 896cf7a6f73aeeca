/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets C++ include the headers: ETL_C_BEGIN and ETL_C_END enclose declarations of functions, and ETL_LITERAL is the type of
 * a compound literal, which C puts in parentheses. The functions enclosed are those that the shared library exports.
 */
#ifndef ETLPROOF_LINKAGE_H
#define ETLPROOF_LINKAGE_H

#if defined(__GNUC__) && !defined(_WIN32)
#define ETL_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define ETL_EXPORT_END _Pragma("GCC visibility pop")
#else
#define ETL_EXPORT_BEGIN
#define ETL_EXPORT_END
#endif

#ifdef __cplusplus
#define ETL_C_BEGIN ETL_EXPORT_BEGIN extern "C" {
#define ETL_C_END } ETL_EXPORT_END
#define ETL_LITERAL(type) type
#else
#define ETL_C_BEGIN ETL_EXPORT_BEGIN
#define ETL_C_END ETL_EXPORT_END
#define ETL_LITERAL(type) (type)
#endif

#endif
