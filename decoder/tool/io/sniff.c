/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises common file formats by their signature, for the message that a file is not an ETL file.
 */
#include "io/sniff.h"

#include <stdbool.h>
#include <string.h>

#include "span.h"

typedef struct signature {
    const char *bytes;
    size_t size;
    tool_file_kind is;
} signature;

#define WINDBG_HINT "save the buffers of its loggers with !wmitrace.logsave of WinDbg first"

#define SIGNATURE(bytes, what, hint) {(bytes), sizeof(bytes) - 1, {(what), (hint)}}

/* A longer signature comes before its own prefix. Sources: the documentation of each format. */
static const signature signatures[] = {
    SIGNATURE("\x1f\x8b", "a gzip file", "try: zcat FILE | etlproof validate -"),
    SIGNATURE("PK\x03\x04", "a zip file", "try: unzip -p FILE NAME.etl | etlproof validate -"),
    SIGNATURE("PK\x05\x06", "an empty zip file", NULL),
    SIGNATURE("MSCF", "a cabinet file", "try: cabextract -p FILE -F NAME.etl | etlproof validate -"),
    SIGNATURE("ElfFile\0", "a Windows event log (.evtx)", NULL),
    SIGNATURE("\x30\0\0\0LfLe", "a Windows NT event log (.evt)", NULL),
    SIGNATURE("PAGEDU64", "a 64-bit Windows crash dump", WINDBG_HINT),
    SIGNATURE("PAGEDUMP", "a 32-bit Windows crash dump", WINDBG_HINT),
    SIGNATURE("MDMP", "a Windows minidump", NULL),
    SIGNATURE("7z\xbc\xaf\x27\x1c", "a 7z file", "try: 7z e -so FILE NAME.etl | etlproof validate -"),
    SIGNATURE("\xfd"
              "7zXZ\0",
              "an xz file", "try: xzcat FILE | etlproof validate -"),
    SIGNATURE("\x28\xb5\x2f\xfd", "a zstd file", "try: zstdcat FILE | etlproof validate -"),
    SIGNATURE("BZh", "a bzip2 file", "try: bzcat FILE | etlproof validate -"),
    SIGNATURE("Rar!\x1a\x07", "a rar file", "try: unrar p -inul FILE NAME.etl | etlproof validate -"),
    SIGNATURE("\x0a\x0d\x0d\x0a", "a pcapng file", NULL),
    SIGNATURE("regf", "a Windows registry hive", NULL),
    SIGNATURE("MZ", "a Windows program", NULL),
    SIGNATURE("\x7f"
              "ELF",
              "an ELF program", NULL),
    SIGNATURE("<?xml", "an XML file", NULL),
};

static bool starts_with(etl_span head, const signature *s)
{
    if (!etl_span_has(head, 0, s->size))
        return false;
    for (size_t i = 0; i < s->size; i++)
        if (etl_load_u8(head, i) != (uint8_t)s->bytes[i])
            return false;
    return true;
}

tool_file_kind tool_sniff(etl_span head)
{
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (starts_with(head, &signatures[i]))
            return signatures[i].is;
    return (tool_file_kind){0};
}
