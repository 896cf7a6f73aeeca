/* SPDX-License-Identifier: Apache-2.0 */
#include "input_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define ETL_INPUT(name, context, what) #name,
    ETL_INPUTS(ETL_INPUT)
#undef ETL_INPUT
};

static bool same(const char *name, const char *typed)
{
    for (; *name != '\0' && toupper((unsigned char)*typed) == *name; name++)
        typed++;
    return *name == '\0' && *typed == '\0';
}

bool etl_input_find(const char *name, etl_input *input)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!same(names[i], name))
            continue;
        *input = (etl_input)i;
        return true;
    }
    return false;
}

const char *etl_input_names(void)
{
#define ETL_INPUT(name, context, what) ", " #name
    static char all[] = ETL_INPUTS(ETL_INPUT);
#undef ETL_INPUT
    for (char *at = all; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return all + strlen(", ");
}
