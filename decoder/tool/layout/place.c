/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the member, element or part of a structure at the offset of a finding. structure_text.c and structure_json.c call
 * this.
 */
#include "layout/place.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/view.h"

tool_layout_places tool_layout_places_of(etl_memory_layout layout, uint64_t offset, const etl_finding *finding)
{
    return (tool_layout_places){.walk = etl_memory_members(layout),
                               .offset = finding->offset - offset,
                               .none = finding->rule == ETL_RULE_LAY_002};
}

/* Finds the part of an element that begins at `offset`; for an element without parts, the element itself. */
static bool find_at(const etl_memory_member *element, etl_arch arch, uint64_t offset, const char **part)
{
    etl_memory_member found;
    *part = "";
    for (uint32_t i = 0; etl_memory_part(element, arch, i, &found); i++) {
        *part = found.name;
        if (found.offset == offset)
            return true;
    }
    return *part[0] == '\0' && element->offset == offset;
}

static bool name_of(const tool_layout_places *places, const etl_memory_member *member, char name[TOOL_LAYOUT_NAME_MAX])
{
    const uint64_t offset = places->offset;
    char index[16] = "";
    const char *part;
    if (offset < member->offset || offset - member->offset >= member->size)
        return false;
    const uint32_t number = (uint32_t)(offset - member->offset) / (member->size / member->count);
    const etl_memory_member element = etl_memory_element(member, number);
    if (!find_at(&element, places->walk.layout.arch, offset, &part))
        return false;
    if (member->count > 1)
        (void)snprintf(index, sizeof index, "[%" PRIu32 "]", number);
    (void)snprintf(name, TOOL_LAYOUT_NAME_MAX, "%s%s%s%s", member->name, index, part[0] != '\0' ? "." : "", part);
    return true;
}

bool tool_layout_places_next(tool_layout_places *places, char name[TOOL_LAYOUT_NAME_MAX])
{
    etl_memory_member member;
    while (!places->none && tool_layout_next_member(&places->walk, &member))
        if (name_of(places, &member, name))
            return true;
    return false;
}
