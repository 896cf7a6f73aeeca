/* SPDX-License-Identifier: Apache-2.0 */
/* A shim whose answer is the file: what follows its first line is the records, and the line says what to do. */
#include <stdbool.h>
#include <stdio.h>
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

/* A record that says which structure in memory it is. */
static void tell_structure(const etlproof_shim_file *file, etlproof_shim_out out, void *context)
{
    char text[256];
    const int length = snprintf(text, sizeof text, "{\"rec\":\"member\",\"name\":\"%s of %s, %s\"}\n", file->structure,
                                file->windows, file->arch);
    out(context, text, (size_t)length);
}

int etlproof_shim_run(const etlproof_shim_file *file, etlproof_shim_out out, void *context)
{
    const uint8_t *bytes = file->bytes;
    const size_t size = file->size;
    const uint8_t *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    if (starts(bytes, size, "abort"))
        abort();
    if (file->structure != NULL)
        tell_structure(file, out, context);
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
