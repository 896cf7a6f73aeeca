/* SPDX-License-Identifier: Apache-2.0 */
/* A shim whose answer is the file: what follows its first line is the records, and the line says what to do. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../shim.h"

static bool starts(const uint8_t *bytes, size_t size, const char *word)
{
    return size >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

const char *etlproof_shim_describe(void)
{
    return " {\n \"name\": \"shim\",\n \"records\": {\"end\": [\"verdict\"], \"event\": [\"name\"]}}\n";
}

int etlproof_shim_run(const uint8_t *bytes, size_t size, etlproof_shim_out out, void *context)
{
    const uint8_t *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    if (starts(bytes, size, "abort"))
        abort();
    if (end != NULL) {
        const char *text = (const char *)end + 1;
        size_t length = size - (size_t)(end + 1 - bytes);
        for (size_t i = 0; i < length; i++)
            out(context, text + i, 1);
        out(context, text, 0);
    }
    if (starts(bytes, size, "fail"))
        return 7;
    return starts(bytes, size, "reject") ? ETLPROOF_SHIM_REJECT : ETLPROOF_SHIM_ACCEPT;
}

void etlproof_shim_close(void)
{
}
