/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

etl_exit etl_layout_export(const etl_layout_request *request)
{
    (void)request;
    return ETL_EXIT_INTERNAL;
}
