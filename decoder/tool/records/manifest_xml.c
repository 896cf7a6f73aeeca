/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of an instrumentation manifest, as libexpat reports them. A DTD ends the document: no manifest has one, and
 * its entities could grow without end. manifest.c calls this.
 */
#include "records/manifest_xml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if ETLPROOF_EXPAT

#include <expat.h>

typedef struct reading {
    XML_Parser parser;
    manifest_model *model;
    uint32_t provider;   /* index of the open one */
    uint32_t structure;  /* index of the open <struct>, plus 1 */
    bool dtd;
} reading;

/* The value of an attribute; "" if it is missing. */
static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2)
        if (strcmp(attributes[i], name) == 0)
            return attributes[i + 1];
    return "";
}

static manifest_text text_of(reading *r, const XML_Char **attributes, const char *name)
{
    return manifest_add_text(r->model, attribute(attributes, name));
}

/* Decimal, or hexadecimal with 0x; 0 if it is neither. */
static uint32_t number_of(const char *text)
{
    return (uint32_t)strtoul(text, NULL, strncmp(text, "0x", 2) == 0 ? 16 : 10);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char small = (char)(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* "{68fdd900-4a3e-11d1-84f4-0000f80464e3}", with or without the braces; zeros if it is no GUID. */
static void guid_of(const char *text, uint8_t guid[16])
{
    static const uint8_t places[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    size_t digits = 0;
    memset(guid, 0, 16);
    for (; *text != '\0' && digits < 32; text++) {
        const int value = digit(*text);
        if (value < 0)
            continue;
        uint8_t *byte = &guid[places[digits++ / 2]];
        *byte = (uint8_t)(*byte << 4 | value);
    }
}

static void add_provider(reading *r, const XML_Char **attributes)
{
    manifest_provider *provider = manifest_add(r->model, &r->model->providers, sizeof *provider);
    if (provider == NULL)
        return;
    guid_of(attribute(attributes, "guid"), provider->guid);
    provider->name = text_of(r, attributes, "name");
    r->provider = r->model->providers.count - 1;
}

static bool in_provider(const reading *r)
{
    return r->model->providers.count > 0;
}

static void add_event(reading *r, const XML_Char **attributes)
{
    manifest_event *event = in_provider(r) ? manifest_add(r->model, &r->model->events, sizeof *event) : NULL;
    if (event == NULL)
        return;
    *event = (manifest_event){.provider = r->provider,
                              .id = (uint16_t)number_of(attribute(attributes, "value")),
                              .version = (uint8_t)number_of(attribute(attributes, "version")),
                              .symbol = text_of(r, attributes, "symbol"),
                              .task = text_of(r, attributes, "task"),
                              .opcode = text_of(r, attributes, "opcode"),
                              .template_name = text_of(r, attributes, "template")};
}

static void add_template(reading *r, const XML_Char **attributes)
{
    manifest_template *template = in_provider(r) ? manifest_add(r->model, &r->model->templates, sizeof *template) : NULL;
    if (template == NULL)
        return;
    template->first = r->model->data.count;
    manifest_add_name(r->model, MANIFEST_TEMPLATE, r->provider, text_of(r, attributes, "tid"),
                      r->model->templates.count - 1);
}

/* The last element of a list; NULL if it has none. */
static void *last(const manifest_list *list, size_t size)
{
    return list->count > 0 ? (uint8_t *)list->at + size * (list->count - 1) : NULL;
}

static void add_data(reading *r, bool structure, const XML_Char **attributes)
{
    manifest_template *template = last(&r->model->templates, sizeof *template);
    manifest_data *data = template != NULL ? manifest_add(r->model, &r->model->data, sizeof *data) : NULL;
    if (data == NULL)
        return;
    *data = (manifest_data){.name = text_of(r, attributes, "name"),
                            .in_type = text_of(r, attributes, "inType"),
                            .out_type = text_of(r, attributes, "outType"),
                            .count = text_of(r, attributes, "count"),
                            .length = text_of(r, attributes, "length"),
                            .map = text_of(r, attributes, "map"),
                            .structure = structure && r->structure == 0,
                            .member = r->structure != 0,
                            .template_id = r->model->templates.count - 1};
    manifest_add_name(r->model, MANIFEST_DATA, data->template_id, data->name, r->model->data.count - 1);
    template->count++;
    if (r->structure != 0)
        ((manifest_data *)r->model->data.at)[r->structure - 1].members++;
    if (structure && r->structure == 0)
        r->structure = r->model->data.count;
}

static void add_map(reading *r, bool bits, const XML_Char **attributes)
{
    manifest_map *map = in_provider(r) ? manifest_add(r->model, &r->model->maps, sizeof *map) : NULL;
    if (map != NULL)
        *map = (manifest_map){r->provider, text_of(r, attributes, "name"), bits, r->model->entries.count, 0};
}

static void add_entry(reading *r, const XML_Char **attributes)
{
    manifest_map *map = last(&r->model->maps, sizeof *map);
    manifest_entry *entry = map != NULL ? manifest_add(r->model, &r->model->entries, sizeof *entry) : NULL;
    if (entry == NULL)
        return;
    *entry = (manifest_entry){number_of(attribute(attributes, "value")), text_of(r, attributes, "message")};
    map->count++;
}

/* The name without the prefix of its namespace. */
static const char *local_name(const XML_Char *name)
{
    const char *colon = strchr(name, ':');
    return colon != NULL ? colon + 1 : name;
}

static void start_element(void *context, const XML_Char *element, const XML_Char **attributes)
{
    reading *r = context;
    const char *name = local_name(element);
    if (strcmp(name, "provider") == 0)
        add_provider(r, attributes);
    else if (strcmp(name, "event") == 0)
        add_event(r, attributes);
    else if (strcmp(name, "template") == 0)
        add_template(r, attributes);
    else if (strcmp(name, "data") == 0 || strcmp(name, "struct") == 0)
        add_data(r, strcmp(name, "struct") == 0, attributes);
    else if (strcmp(name, "valueMap") == 0 || strcmp(name, "bitMap") == 0)
        add_map(r, strcmp(name, "bitMap") == 0, attributes);
    else if (strcmp(name, "map") == 0)
        add_entry(r, attributes);
    else if (strcmp(name, "string") == 0)
        manifest_add_name(r->model, MANIFEST_STRING, 0, text_of(r, attributes, "id"), text_of(r, attributes, "value"));
    if (r->model->failed)
        (void)XML_StopParser(r->parser, XML_FALSE);
}

static void end_element(void *context, const XML_Char *element)
{
    reading *r = context;
    const char *name = local_name(element);
    if (strcmp(name, "struct") == 0 || strcmp(name, "template") == 0)
        r->structure = 0;
}

static void start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public, int internal)
{
    reading *r = context;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    r->dtd = true;
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static manifest_fault fault_of(const reading *r)
{
    const XML_Index at = XML_GetCurrentByteIndex(r->parser);
    const manifest_fault fault = {at >= 0 ? (uint64_t)at : 0,
                                  r->model->failed ? "out of memory"
                                  : r->dtd         ? "a document type declaration"
                                                   : XML_ErrorString(XML_GetErrorCode(r->parser))};
    return fault;
}

bool manifest_xml_supported(void)
{
    return true;
}

manifest_fault manifest_xml_read(etl_span xml, manifest_model *model)
{
    manifest_fault fault = {0, "out of memory"};
    reading r = {.parser = xml.size <= INT_MAX ? XML_ParserCreate(NULL) : NULL, .model = model};
    if (r.parser == NULL)
        return fault;
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(r.parser, start_doctype);
    if (XML_Parse(r.parser, (const char *)xml.at, (int)xml.size, XML_TRUE) == XML_STATUS_OK)
        fault.text = NULL;
    else
        fault = fault_of(&r);
    XML_ParserFree(r.parser);
    return fault;
}

#else

bool manifest_xml_supported(void)
{
    return false;
}

manifest_fault manifest_xml_read(etl_span xml, manifest_model *model)
{
    (void)xml;
    (void)model;
    const manifest_fault fault = {0, "built without libexpat"};
    return fault;
}

#endif
