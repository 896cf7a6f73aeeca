/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as a C header that stands alone. Members have types of the width that they have in memory, whatever the machine
 * that compiles it; structures are packed, because the padding is written out.
 */
#include <inttypes.h>

#include "etlproof/clock.h"
#include "etlproof/format.h"

#include "layout/declarations.h"
#include "layout/value.h"

static const char preamble[] =
    "/*\n"
    " * ETW's own structures as they lie in memory. Made by etlproof layout --export c.\n"
    " *\n"
    " * Little-endian. A comment has the type that Microsoft declares, the offset, and how sure it is where that is not\n"
    " * plain. Pointers are numbers of the width that they have there. Structures are packed: all padding is written out,\n"
    " * and members may not be aligned as the compiling machine wants it; copy them out with memcpy where that matters.\n"
    " * Masks of bits have the name of their structure and member in front; a structure that is another one has those of\n"
    " * that.\n"
    " */\n"
    "#ifndef ETW_LAYOUTS_H\n"
    "#define ETW_LAYOUTS_H\n"
    "\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "#define ETW_LAYOUT_ASSERT(condition) static_assert(condition, #condition)\n"
    "#else\n"
    "#define ETW_LAYOUT_ASSERT(condition) _Static_assert(condition, #condition)\n"
    "#endif\n"
    "#define ETW_LAYOUT_MEMBER(structure, member, at, size) \\\n"
    "    ETW_LAYOUT_ASSERT(offsetof(structure, member) == (at) && sizeof(((structure *)0)->member) == (size))\n"
    "#define ETW_LAYOUT_SIZE(structure, size) ETW_LAYOUT_ASSERT(sizeof(structure) == (size))\n"
    "\n"
    "#pragma pack(push, 1)\n"
    "\n"
    "typedef struct ETW_LAYOUT_GUID {\n"
    "    uint32_t Data1;\n"
    "    uint16_t Data2;\n"
    "    uint16_t Data3;\n"
    "    uint8_t Data4[8];\n"
    "} ETW_LAYOUT_GUID;\n"
    "ETW_LAYOUT_SIZE(ETW_LAYOUT_GUID, 16);\n";

static const char epilogue[] =
    "\n"
    "#pragma pack(pop)\n"
    "\n"
    "#endif\n";

static void declare(tool_output *out, etl_arch arch, const tool_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const char *sign = member->kind == ETL_MEMORY_KIND_SIGNED ? "int" : "uint";
    if (!tool_put_named_type(out, member, arch, "uint8_t"))
        tool_put_format(out, "%s%" PRIu32 "_t", sign, tool_layout_number_bits(member));
    tool_put_char(out, ' ');
    tool_put_declarator(out, entry);
}

static void comment(tool_output *out, const tool_layout_entry *entry)
{
    tool_put_format(out, " /* %s%s0x%03" PRIx32, entry->member.type, entry->member.type[0] != '\0' ? ", " : "",
                    entry->member.offset);
    tool_layout_evidence_text(out, entry->member.evidence, false);
    tool_put_text(out, " */\n");
}

static void declare_line(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    tool_put_text(out, "    ");
    declare(out, owner->layout.arch, entry);
    comment(out, entry);
}

static void members(tool_output *out, const tool_layout_owner *owner)
{
    tool_layout_view view = tool_layout_view_open(owner->layout);
    tool_layout_entry entry;
    tool_layout_group group;
    while (tool_layout_next_taken(&view, &entry, &group)) {
        if (group.begins)
            tool_put_text(out, "    union {\n");
        tool_put_text(out, group.inside ? "    " : "");
        declare_line(out, owner, &entry);
        if (group.ends)
            tool_put_text(out, "    };\n");
    }
}

static void checks(tool_output *out, etl_memory_layout layout)
{
    tool_layout_view view = tool_layout_view_open(layout);
    tool_layout_entry entry;
    tool_layout_group group;
    while (tool_layout_next_taken(&view, &entry, &group)) {
        tool_put_text(out, "ETW_LAYOUT_MEMBER(");
        tool_put_layout_name(out, layout);
        tool_put_text(out, ", ");
        tool_put_member_name(out, &entry);
        tool_put_format(out, ", 0x%03" PRIx32 ", %" PRIu32 ");\n", entry.member.offset, entry.member.size);
    }
    tool_put_text(out, "ETW_LAYOUT_SIZE(");
    tool_put_layout_name(out, layout);
    tool_put_format(out, ", 0x%" PRIx32 ");\n", etl_memory_size(layout));
}

static void define(tool_output *out, const char *name, uint32_t value)
{
    tool_put_format(out, "_%s 0x%08" PRIx32 "u", name, value);
}

/* LoggerMode and ClockType, which are the same in all versions. */
static void values(tool_output *out)
{
    const etl_names modes = etl_logger_mode_names();
    tool_put_text(out, "\n/* LoggerMode */\n");
    for (size_t i = 0; i < modes.count; i++) {
        tool_put_text(out, "#define ETW_LAYOUT_LOGGER_MODE");
        define(out, modes.at[i].name, modes.at[i].value);
        tool_put_char(out, '\n');
    }
    tool_put_text(out, "\n/* ClockType */\n");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++) {
        tool_put_text(out, "#define ETW_LAYOUT_CLOCK_TYPE");
        define(out, etl_clock_type_name(type), type);
        tool_put_char(out, '\n');
    }
}

/* The bits of a member, but for those of LoggerMode. */
static void define_bits(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    etl_memory_bits bits;
    uint32_t at = 0;
    if (entry->member.meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        return;
    while (tool_layout_next_taken_bits(owner->layout, &entry->member, &at, &bits)) {
        tool_put_text(out, "#define ");
        tool_put_owned_name(out, owner, entry);
        define(out, bits.name, bits.mask);
        if (!tool_layout_is_plain(bits.evidence))
            tool_put_format(out, " /* %s */", etl_evidence_get(bits.evidence)->text);
        tool_put_char(out, '\n');
    }
}

static void all_bits(tool_output *out, const tool_layout_owner *owner)
{
    tool_layout_view view = tool_layout_view_open(owner->layout);
    tool_layout_entry entry;
    tool_layout_group group;
    while (tool_layout_next_taken(&view, &entry, &group))
        define_bits(out, owner, &entry);
}

static void structure(tool_output *out, etl_memory_layout layout)
{
    const tool_layout_owner owner = {layout, ETL_MEMORY_KIND_COUNT};
    all_bits(out, &owner);
    tool_put_text(out, "typedef struct ");
    tool_put_layout_name(out, layout);
    tool_put_text(out, " {\n");
    members(out, &owner);
    tool_put_text(out, "} ");
    tool_put_layout_name(out, layout);
    tool_put_text(out, ";\n");
    checks(out, layout);
}

static void alias(tool_output *out, etl_memory_layout layout, etl_memory_layout same)
{
    tool_put_text(out, "typedef ");
    tool_put_layout_name(out, same);
    tool_put_char(out, ' ');
    tool_put_layout_name(out, layout);
    tool_put_text(out, ";\n");
}

static void kind_type(tool_output *out, const tool_layout_owner *owner)
{
    tool_put_char(out, '\n');
    (void)tool_layout_declare_parts(out, owner, define_bits);
    tool_put_text(out, "typedef struct ");
    tool_put_owner_name(out, owner);
    tool_put_text(out, " {\n");
    const uint32_t size = tool_layout_declare_parts(out, owner, declare_line);
    tool_put_text(out, "} ");
    tool_put_owner_name(out, owner);
    tool_put_text(out, ";\nETW_LAYOUT_SIZE(");
    tool_put_owner_name(out, owner);
    tool_put_format(out, ", 0x%" PRIx32 ");\n", size);
}

void tool_layout_export_c(tool_output *out, etl_memory_layout wanted)
{
    static const tool_layout_language c = {preamble, epilogue, "/* ", " */", values, kind_type, structure, alias};
    tool_layout_declare(out, wanted, &c);
}
