/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the function at an address in this program. Called by failure.c.
 */
#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__ELF__) && defined(__linux__)

#include <link.h>

typedef struct function {
    uintptr_t from, to; /* addresses in the file */
    const char *name;
} function;

static function *functions; /* sorted by `from` */
static size_t count;
static uintptr_t bias;      /* added to addresses in the file */
static bool loaded;

/* The whole file; NULL if it cannot be read. It stays in memory: names point into it. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)end);
    if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    *size = bytes ? (size_t)end : 0;
    return bytes;
}

static int by_address(const void *left, const void *right)
{
    const function *a = left, *b = right;
    return a->from < b->from ? -1 : a->from > b->from;
}

static void add_functions(const char *bytes, const ElfW(Shdr) *table, const ElfW(Shdr) *names)
{
    const size_t symbols = table->sh_size / sizeof(ElfW(Sym));
    functions = malloc((symbols ? symbols : 1) * sizeof *functions);
    for (size_t i = 0; functions && i < symbols; i++) {
        ElfW(Sym) symbol;
        memcpy(&symbol, bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size)
            functions[count++] = (function){symbol.st_value, symbol.st_value + symbol.st_size,
                                            bytes + names->sh_offset + symbol.st_name};
    }
    if (count != 0)
        qsort(functions, count, sizeof *functions, by_address);
}

/* Reads the file of the running program, as the linker wrote it. */
static void load(void)
{
    size_t size;
    char *bytes = read_file("/proc/self/exe", &size);
    loaded = true;
    if (!bytes)
        return;
    ElfW(Ehdr) header;
    memcpy(&header, bytes, sizeof header);
    ElfW(Shdr) *sections = malloc(header.e_shnum * sizeof *sections);
    if (sections && header.e_shoff + header.e_shnum * sizeof *sections <= size) {
        memcpy(sections, bytes + header.e_shoff, header.e_shnum * sizeof *sections);
        for (size_t i = 0; i < header.e_shnum; i++)
            if (sections[i].sh_type == SHT_SYMTAB)
                add_functions(bytes, &sections[i], &sections[sections[i].sh_link]);
    }
    free(sections);
    for (size_t i = 0; i < count; i++)
        if (strcmp(functions[i].name, "minimise_symbols_find") == 0)
            bias = (uintptr_t)minimise_symbols_find - functions[i].from;
    if (count == 0)
        free(bytes);
}

static bool is_ours(const char *name)
{
    return strncmp(name, "__", 2) != 0 && strncmp(name, "_Z", 2) != 0;
}

/* NULL if the address is in no function. Of several names at one address, a name that is not ours decides. */
static const function *find(uintptr_t address)
{
    if (!loaded)
        load();
    const function *found = NULL;
    const uintptr_t at = address - bias;
    for (size_t i = 0; i < count && functions[i].from <= at; i++)
        if (at < functions[i].to && (!found || is_ours(found->name)))
            found = &functions[i];
    return found;
}

const char *minimise_symbols_find(uintptr_t address)
{
    const function *found = find(address);
    if (count == 0)
        return "?";
    return found && is_ours(found->name) ? found->name : NULL;
}

uintptr_t minimise_symbols_start(uintptr_t address)
{
    const function *found = find(address);
    return found ? found->from + bias : address;
}

#else

const char *minimise_symbols_find(uintptr_t address)
{
    (void)address;
    return "?";
}

uintptr_t minimise_symbols_start(uintptr_t address)
{
    return address;
}

#endif
