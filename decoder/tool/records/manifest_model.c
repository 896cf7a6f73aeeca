/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of a manifest that grow, and its names in a hash table. manifest_xml.c fills them, manifest_schemas.c reads them.
 */
#include "records/manifest_model.h"

#include <stdlib.h>
#include <string.h>

/* Room for `more` elements. */
static bool grow(manifest_model *model, manifest_list *list, uint32_t more, size_t size)
{
    if (list->room - list->count >= more)
        return true;
    const uint64_t room = 2 * ((uint64_t)list->count + more);
    void *at = room <= UINT32_MAX ? realloc(list->at, (size_t)room * size) : NULL;
    if (at == NULL) {
        model->failed = true;
        return false;
    }
    list->at = at;
    list->room = (uint32_t)room;
    return true;
}

void *manifest_add(manifest_model *model, manifest_list *list, size_t size)
{
    if (!grow(model, list, 1, size))
        return NULL;
    uint8_t *at = (uint8_t *)list->at + size * list->count++;
    memset(at, 0, size);
    return at;
}

manifest_text manifest_add_text(manifest_model *model, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (size == 1 || size > UINT32_MAX / 4)
        return 0;
    if (model->texts.count == 0 && grow(model, &model->texts, 1, 1))
        ((char *)model->texts.at)[model->texts.count++] = '\0';
    if (!grow(model, &model->texts, (uint32_t)size, 1))
        return 0;
    memcpy((char *)model->texts.at + model->texts.count, text, size);
    model->texts.count += (uint32_t)size;
    return model->texts.count - (uint32_t)size;
}

const char *manifest_text_at(const manifest_model *model, manifest_text text)
{
    return text < model->texts.count ? (const char *)model->texts.at + text : "";
}

/* FNV-1a */
static uint32_t hash_of(manifest_kind kind, uint32_t scope, const char *text)
{
    uint64_t hash = (UINT64_C(0xCBF29CE484222325) ^ ((uint64_t)scope << 8 | (uint64_t)kind)) * UINT64_C(0x100000001B3);
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
    return (uint32_t)(hash >> 32);
}

static uint32_t *slot_of(const manifest_model *model, manifest_kind kind, uint32_t scope, const char *text)
{
    const manifest_name *names = model->names.at;
    for (uint32_t i = hash_of(kind, scope, text);; i++) {
        uint32_t *slot = &model->slots[i & (model->slot_count - 1)];
        const manifest_name *name = *slot != 0 ? &names[*slot - 1] : NULL;
        if (name == NULL || (name->kind == kind && name->scope == scope &&
                             strcmp(manifest_text_at(model, name->text), text) == 0))
            return slot;
    }
}

/* Doubles the table when half of it is used. */
static bool make_room(manifest_model *model)
{
    if (model->names.count + 1 < model->slot_count / 2)
        return true;
    const uint32_t count = model->slot_count > 0 ? 2 * model->slot_count : 64;
    uint32_t *old = model->slots;
    model->slots = calloc(count, sizeof *model->slots);
    if (model->slots == NULL) {
        model->slots = old;
        model->failed = true;
        return false;
    }
    model->slot_count = count;
    free(old);
    const manifest_name *names = model->names.at;
    for (uint32_t i = 0; i < model->names.count; i++)
        *slot_of(model, names[i].kind, names[i].scope, manifest_text_at(model, names[i].text)) = i + 1;
    return true;
}

void manifest_add_name(manifest_model *model, manifest_kind kind, uint32_t scope, manifest_text text, uint32_t value)
{
    if (!make_room(model))
        return;
    uint32_t *slot = slot_of(model, kind, scope, manifest_text_at(model, text));
    manifest_name *name = *slot == 0 ? manifest_add(model, &model->names, sizeof *name) : NULL;
    if (name == NULL)
        return;
    *name = (manifest_name){kind, scope, text, value};
    *slot = model->names.count;
}

const manifest_name *manifest_find(const manifest_model *model, manifest_kind kind, uint32_t scope, const char *text)
{
    if (model->slot_count == 0)
        return NULL;
    const uint32_t slot = *slot_of(model, kind, scope, text);
    return slot != 0 ? (const manifest_name *)model->names.at + (slot - 1) : NULL;
}

void manifest_free(manifest_model *model)
{
    manifest_list *lists[] = {&model->texts,   &model->providers, &model->events,    &model->data,
                              &model->maps,    &model->entries,   &model->templates, &model->names};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->at);
    free(model->slots);
    memset(model, 0, sizeof *model);
}
