/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from the version of the logfile: the shapes of buffer headers and INSTANCE events, and the sub-version.
 */
#include "model/model_internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAJOR_MIN = ETL_WINDOWS_VERSION_OLDEST >> 8, MAJOR_MAX = ETL_WINDOWS_VERSION_LATEST >> 8 };

/* SubVersion << 8 | SubMinorVersion. Source: phnt ntwmi.h, seen in real files. */
enum { SUB_VERSION_INSTANCE_GUID = 0x0101, SUB_VERSION_COMPRESSED = 0x0200 };

static const struct {
    uint32_t since, sub_version;
} sub_versions[] = {
#define ETL_WINDOWS_VERSION(name, major, minor, sub_version, build) {ETL_WINDOWS_VERSION_##name, sub_version},
#include "format/windows.def"
};

const build_structure *build_model_first_logfile(const build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        for (size_t k = 0; k < model->buffers[i].event_count; k++)
            if (model->buffers[i].events[k].is_logfile)
                return &model->buffers[i].events[k].logfile;
    return NULL;
}

/* A file of no known version is one of the latest. */
static uint32_t windows_of(const build_structure *logfile)
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
    return windows_of(build_model_first_logfile(model));
}

bool build_model_has_compressed(const build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        if (!model->buffers[i].is_raw && model->buffers[i].compression != BUILD_MODEL_PLAIN)
            return true;
    return false;
}

static uint32_t default_sub_version(const build_model *model, const build_structure *logfile)
{
    size_t i = COUNT(sub_versions) - 1;
    if (build_model_has_compressed(model))
        return SUB_VERSION_COMPRESSED;
    while (i > 0 && windows_of(logfile) < sub_versions[i].since)
        i--;
    return sub_versions[i].sub_version;
}

/* A SubVersion that is given alone is one that starts at minor 0, unless it is the one of this version of Windows. */
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

etl_structure_id build_version_buffer_header(const build_model *model)
{
    const uint32_t windows = build_version_windows(model);
    return windows < ETL_WINDOWS_VERSION_5_2   ? ETL_STRUCTURE_WMI_BUFFER_HEADER_50
           : windows < ETL_WINDOWS_VERSION_6_0 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_52
           : windows < ETL_WINDOWS_VERSION_6_1 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_60
                                               : ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
}

static etl_layout instance_layout(const build_model *model)
{
    const uint32_t version = build_version_sub_version(model, build_model_first_logfile(model));
    return version >= SUB_VERSION_INSTANCE_GUID ? ETL_LAYOUT_INSTANCE_GUID : ETL_LAYOUT_INSTANCE;
}

etl_layout build_version_event_layout(const build_model *model, uint8_t type)
{
    etl_layout layout = ETL_LAYOUT_OPAQUE;
    switch (type) {
#define ETL_HEADER_TYPE(value, name, type_layout, pointer_size, since, source)                                             \
    case value:                                                                                                            \
        layout = ETL_LAYOUT_##type_layout;                                                                                 \
        break;
#include "format/header_types.def"
    default: break;
    }
    return layout == ETL_LAYOUT_INSTANCE ? instance_layout(model) : layout;
}

bool build_event_layout_has_counters(etl_layout layout)
{
    return layout == ETL_LAYOUT_SYSTEM || layout == ETL_LAYOUT_COMPACT || layout == ETL_LAYOUT_PERFINFO;
}

static void shape_logfile(const build_model *model, build_model_event *event)
{
    const build_structure shape = build_default_logfile(model->pointer_size);
    event->type = model->pointer_size == 4 ? ETL_HEADER_TYPE_SYSTEM32 : ETL_HEADER_TYPE_SYSTEM64;
    if (event->logfile.structure != shape.structure)
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
    const etl_structure_id structure = build_version_buffer_header(model);
    if (buffer->is_raw || buffer->header.structure == structure)
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
