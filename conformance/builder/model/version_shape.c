/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the shapes of headers from the version in the logfile header. Called when events are added, when a recipe names a
 * node to set, and at the start of the layout.
 */
#include "model/version_shape.h"

#include "model/default_values.h"
#include "model/event_layouts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAJOR_MIN = ETL_WINDOWS_VERSION_OLDEST >> 8, MAJOR_MAX = ETL_WINDOWS_VERSION_LATEST >> 8 };

/* SubVersion << 8 | SubMinorVersion. Source: seen in real files. */
enum { SUB_VERSION_COMPRESSED = 0x0200 };

static const struct {
    uint32_t since, sub_version;
} sub_versions[] = {
#define ETL_WINDOWS_VERSION(name, major, minor, sub_version, build) {ETL_WINDOWS_VERSION_##name, sub_version},
#include "format/windows.def"
};

uint32_t build_version_of_logfile(const build_structure *logfile)
{
    if (logfile == NULL)
        return ETL_WINDOWS_VERSION_LATEST;
    const uint32_t major = (uint32_t)build_structure_get(logfile, "MajorVersion");
    if (major < MAJOR_MIN || major > MAJOR_MAX)
        return ETL_WINDOWS_VERSION_LATEST;
    return major << 8 | (uint32_t)build_structure_get(logfile, "MinorVersion");
}

uint32_t build_version_windows(const build_model *model)
{
    return build_version_of_logfile(build_model_first_logfile(model));
}

static uint32_t default_sub_version(const build_model *model, const build_structure *logfile)
{
    size_t i = COUNT(sub_versions) - 1;
    if (build_model_has_compressed(model))
        return SUB_VERSION_COMPRESSED;
    while (i > 0 && build_version_of_logfile(logfile) < sub_versions[i].since)
        i--;
    return sub_versions[i].sub_version;
}

/* If only SubVersion is given, the minor is 0, unless SubVersion is that of the Windows version. */
uint32_t build_version_sub_version(const build_model *model, const build_structure *logfile)
{
    const uint32_t usual = default_sub_version(model, logfile);
    uint32_t major = usual >> 8, minor;
    if (logfile != NULL && build_structure_is_given(logfile, "SubVersion"))
        major = (uint32_t)build_structure_get(logfile, "SubVersion");
    minor = major == usual >> 8 ? usual & 0xFF : 0;
    if (logfile != NULL && build_structure_is_given(logfile, "SubMinorVersion"))
        minor = (uint32_t)build_structure_get(logfile, "SubMinorVersion");
    return major << 8 | minor;
}

etl_structure_id build_version_buffer_header(uint32_t windows)
{
    return windows < ETL_WINDOWS_VERSION_5_2   ? ETL_STRUCTURE_WMI_BUFFER_HEADER_50
           : windows < ETL_WINDOWS_VERSION_6_0 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_52
           : windows < ETL_WINDOWS_VERSION_6_1 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_60
                                               : ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
}

static etl_layout instance_layout(const build_model *model)
{
    const uint32_t version = build_version_sub_version(model, build_model_first_logfile(model));
    return version >= BUILD_SUB_VERSION_INSTANCE_GUID ? ETL_LAYOUT_INSTANCE_GUID : ETL_LAYOUT_INSTANCE;
}

etl_layout build_version_event_layout(const build_model *model, uint8_t header_type)
{
    const etl_layout layout = build_event_layout_of_type(header_type);
    return layout == ETL_LAYOUT_INSTANCE ? instance_layout(model) : layout;
}

static void shape_logfile(const build_model *model, build_model_event *event)
{
    const build_structure shape = build_default_logfile(model->pointer_size);
    event->type = model->pointer_size == 4 ? ETL_HEADER_TYPE_SYSTEM32 : ETL_HEADER_TYPE_SYSTEM64;
    if (event->logfile.id != shape.id)
        build_structure_convert(&event->logfile, &shape);
}

static void shape_instance(build_model_event *event, etl_layout layout)
{
    if (event->layout == layout)
        return;
    const build_structure shape = build_default_event(layout, 0);
    event->layout = layout;
    build_structure_convert(&event->header, &shape);
}

static void shape_event(const build_model *model, build_model_event *event)
{
    if (event->is_logfile)
        shape_logfile(model, event);
    if (event->layout == ETL_LAYOUT_INSTANCE || event->layout == ETL_LAYOUT_INSTANCE_GUID)
        shape_instance(event, instance_layout(model));
}

static void shape_buffer(const build_model *model, build_model_buffer *buffer)
{
    const etl_structure_id structure = build_version_buffer_header(build_version_windows(model));
    if (buffer->is_raw || buffer->header.id == structure)
        return;
    const build_structure shape = build_default_buffer(structure);
    build_structure_convert(&buffer->header, &shape);
}

void build_version_apply_to_node(const build_model *model, const build_model_node *node)
{
    if (node->event == NULL)
        shape_buffer(model, node->buffer);
    else
        shape_event(model, node->event);
}

void build_version_apply(build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++) {
        build_model_buffer *buffer = &model->buffers[i];
        shape_buffer(model, buffer);
        for (size_t k = 0; k < buffer->event_count; k++)
            shape_event(model, &buffer->events[k]);
    }
}

bool build_version_find(build_model *model, const char *name, build_model_node *node)
{
    const bool found = build_model_find(model, name, node);
    if (found)
        build_version_apply_to_node(model, node);
    return found;
}
