/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout: ETW's own structures, from the bytes of a memory image or a crash dump.
 */
#include "verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/export.h"
#include "layout/layout_request.h"
#include "layout/ranking.h"
#include "io/options.h"

static const char help[] =
    "usage: etlproof layout STRUCT --windows VERSION --arch x86|x64 FILE [--offset N]\n"
    "       etlproof layout STRUCT --list [--windows VERSION --arch x86|x64]\n"
    "       etlproof layout STRUCT --diff VERSION VERSION --arch x86|x64\n"
    "       etlproof layout [STRUCT] --guess [--windows VERSION] [--arch x86|x64] FILE [--offset N]\n"
    "       etlproof layout [STRUCT] --scan [--windows VERSION] [--arch x86|x64] FILE [--offset N]\n"
    "       etlproof layout --export c|json|imhex [STRUCT] [--windows VERSION] [--arch x86|x64]\n"
    "       etlproof layout --export markdown [STRUCT [--windows VERSION]]\n"
    "\n"
    "Reads ETW's own structures from the raw bytes of a memory image or a crash dump: every member of STRUCT, as it lies\n"
    "there and what it says, then what is wrong with it. STRUCT is ETW_GUID_ENTRY (a provider), WMI_LOGGER_CONTEXT (a\n"
    "session), both of the kernel, or ETW_UM_LOGGER_CONTEXT (a session of NTDLL). FILE may be - for standard input.\n"
    "\n"
    "  --windows VERSION       6.1, 1903, a release of Windows 10 as 22H2 (not that of Windows 11), or a build as 19041\n"
    "                          or 10.0.19041.1234; 10.0 alone is its first release, 1507. --list says which there are\n"
    "  --arch x86|x64          of the machine; for ETW_UM_LOGGER_CONTEXT, of the process\n"
    "  --offset N              where in FILE the structure, or --scan, begins, decimal or with 0x; 0 unless given\n"
    "  --format text|json      for people, or one JSON object; text unless given\n"
    "  --evidence              says of every member, and every bit, how sure it is, and not only of those where sources\n"
    "                          disagree\n"
    "  --list                  the members of a version and architecture, or which versions there are; needs no FILE.\n"
    "                          Where a source lays a version out as another, and is not gone by, it says so: --windows\n"
    "                          and that other show what it means\n"
    "  --diff VERSION VERSION  what the second has that the first has not, or elsewhere, of another type or with other\n"
    "                          bits; needs no FILE\n"
    "  --export FORM           layouts for other tools: a C header, JSON, an ImHex pattern; as Markdown, the page of a\n"
    "                          structure, with both architectures, or the index of all pages\n"
    "  --guess                 which structure, version and architecture the bytes are, and why, best first: at --offset,\n"
    "                          or where FILE looks most like one. Nothing tells apart versions that are laid out alike,\n"
    "                          or that read these bytes alike, as all that one has and the other has not is zeros: those\n"
    "                          share a rank\n"
    "  --scan                  where in FILE such structures lie, of a version and architecture, or of any: in use, at\n"
    "                          multiples of 8 bytes from --offset on (4 for those in between). A provider without\n"
    "                          references, or with a list of registrations that was never set up, is passed over, and so\n"
    "                          is a session without a name, with a LoggerId of 64 or more, or with a BufferSize or a time\n"
    "                          of start that cannot be. Of each, all versions that read its bytes alike, and how far they\n"
    "                          are ahead of the next best layout that does not\n"
    "  --threshold BITS        how plausible bytes have to be for --guess and --scan: 2 to the power of BITS to 1; 28\n"
    "                          unless given\n"
    "  --help                  this text\n"
    "\n"
    "Exit status: 0 nothing wrong, 1 findings of severity error, 2 no byte of the structure is there, or none was\n"
    "found, 64 wrong usage, 66 cannot read, 70 internal error, 74 cannot write.\n";

enum {
    OPTION_WINDOWS,
    OPTION_ARCH,
    OPTION_OFFSET,
    OPTION_FORMAT,
    OPTION_EVIDENCE,
    OPTION_LIST,
    OPTION_DIFF,
    OPTION_EXPORT,
    OPTION_GUESS,
    OPTION_SCAN,
    OPTION_THRESHOLD
};

static const tool_option options_table[] = {
    {"windows", 0, true, OPTION_WINDOWS},
    {"arch", 0, true, OPTION_ARCH},
    {"offset", 0, true, OPTION_OFFSET},
    {"format", 0, true, OPTION_FORMAT},
    {"evidence", 0, false, OPTION_EVIDENCE},
    {"list", 0, false, OPTION_LIST},
    {"diff", 0, true, OPTION_DIFF},
    {"export", 0, true, OPTION_EXPORT},
    {"guess", 0, false, OPTION_GUESS},
    {"scan", 0, false, OPTION_SCAN},
    {"threshold", 0, true, OPTION_THRESHOLD},
    {NULL, 0, false, 0},
};

#define BIT(option) (1u << (option))
#define WHICH (BIT(OPTION_WINDOWS) | BIT(OPTION_ARCH))
#define WHERE (BIT(OPTION_OFFSET) | BIT(OPTION_FORMAT))
#define SHOWN (BIT(OPTION_FORMAT) | BIT(OPTION_EVIDENCE))

/* What is asked for, and what it takes. */
typedef struct answer {
    tool_exit (*give)(const tool_layout_request *request);
    bool structure, windows, arch, file; /* has to be given; a FILE that need not be given is not taken */
    unsigned options;                    /* that may be given, a bit each */
} answer;

static const answer decode = {tool_layout_decode, true, true, true, true, WHICH | WHERE | SHOWN};
static const answer answers[] = {
    [OPTION_LIST] = {tool_layout_list, true, false, false, false, WHICH | SHOWN},
    [OPTION_DIFF] = {tool_layout_diff, true, false, true, false, BIT(OPTION_ARCH) | SHOWN},
    [OPTION_EXPORT] = {tool_layout_export, false, false, false, false, WHICH},
    [OPTION_GUESS] = {tool_layout_guess, false, false, false, true, WHICH | WHERE | BIT(OPTION_THRESHOLD)},
    [OPTION_SCAN] = {tool_layout_scan, false, false, false, true, WHICH | WHERE | BIT(OPTION_THRESHOLD)},
};

typedef struct command_line {
    tool_layout_request request;
    const answer *answer;
    unsigned given; /* options that are no answer, a bit each */
    tool_options options;
} command_line;

static tool_exit unknown_structure(const char *text)
{
    tool_exit code = tool_usage("layout", "no such structure", text);
    for (etl_memory_structure i = 0; i < ETL_MEMORY_STRUCTURE_COUNT; i++)
        tool_print_error("  %s: %s", etl_memory_structure_get(i)->name, etl_memory_structure_get(i)->what);
    return code;
}

/* True if several rows of the tables are of this version of Windows, and none is called so. */
static bool is_ambiguous(const char *text)
{
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++)
        if (strcmp(etl_windows_get(i)->version, text) == 0)
            return true;
    return false;
}

static const char *why_unknown(const char *text)
{
    const uint32_t build = etl_windows_build(text);
    if (is_ambiguous(text))
        return "ambiguous: several of these versions are meant";
    if (build > etl_windows_get(ETL_WINDOWS_COUNT - 1)->last_build)
        return "newer than all that the tables know, and may be laid out in any way";
    if (build >= etl_windows_get(0)->first_build)
        return "no release of Windows has this version and build";
    return "no such version of Windows";
}

static tool_exit unknown_windows(const char *text)
{
    tool_exit code = tool_usage("layout", why_unknown(text), text);
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++) {
        const etl_windows_info *info = etl_windows_get(i);
        tool_print_error("  %s: %s, builds %u to %u", info->text, info->title, (unsigned)info->first_build,
                         (unsigned)info->last_build);
    }
    return code;
}

static tool_exit read_windows(const char *text, etl_windows *windows)
{
    *windows = text != NULL ? etl_windows_find(text) : ETL_WINDOWS_COUNT;
    if (text == NULL)
        return tool_usage("layout", "--diff wants two versions", NULL);
    return *windows < ETL_WINDOWS_COUNT ? TOOL_EXIT_CONFORMING : unknown_windows(text);
}

static tool_exit read_arch(const char *text, etl_arch *arch)
{
    *arch = etl_arch_find(text);
    return *arch < ETL_ARCH_COUNT ? TOOL_EXIT_CONFORMING
                                  : tool_usage("layout", "the architecture is x86 or x64, not", text);
}

static tool_exit read_offset(tool_layout_request *request, const char *text)
{
    char *end = NULL;
    errno = 0;
    request->has_offset = text[0] >= '0' && text[0] <= '9';
    request->offset = strtoull(text, &end, strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? 16 : 10);
    if (!request->has_offset || errno != 0 || *end != '\0')
        return tool_usage("layout", "not an offset", text);
    return TOOL_EXIT_CONFORMING;
}

static tool_exit read_format(tool_layout_request *request, const char *text)
{
    request->json = strcmp(text, "json") == 0;
    if (!request->json && strcmp(text, "text") != 0)
        return tool_usage("layout", "the format is text or json, not", text);
    return TOOL_EXIT_CONFORMING;
}

/* Bits, at most as many as points can count. */
static tool_exit read_threshold(tool_layout_request *request, const char *text)
{
    char *end = NULL;
    const unsigned long bits = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || bits > INT32_MAX / ETL_GUESS_BIT)
        return tool_usage("layout", "not a number of bits", text);
    request->threshold = (int32_t)bits * ETL_GUESS_BIT;
    return TOOL_EXIT_CONFORMING;
}

static tool_exit read_export(tool_layout_request *request, const char *text)
{
    static const char *const names[] = {"c", "json", "imhex", "markdown"};
    for (request->form = 0; request->form < TOOL_LAYOUT_EXPORT_COUNT; request->form++)
        if (strcmp(text, names[request->form]) == 0)
            return TOOL_EXIT_CONFORMING;
    return tool_usage("layout", "the form is c, json, imhex or markdown, not", text);
}

/* The option parser gives one value; the second version of --diff is the argument behind it. */
static tool_exit read_diff(command_line *r)
{
    tool_exit code = read_windows(r->options.value, &r->request.from);
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    const char *second = r->options.arguments[r->options.at];
    r->options.at += second != NULL;
    return read_windows(second, &r->request.to);
}

static bool is_answer(int id)
{
    return id < (int)(sizeof answers / sizeof answers[0]) && answers[id].give != NULL;
}

static tool_exit read_answer(command_line *r, int id)
{
    if (r->answer != &decode && r->answer != &answers[id])
        return tool_usage("layout", "only one of --list, --diff, --export, --guess and --scan", NULL);
    r->answer = &answers[id];
    switch (id) {
    case OPTION_DIFF: return read_diff(r);
    case OPTION_EXPORT: return read_export(&r->request, r->options.value);
    default: return TOOL_EXIT_CONFORMING;
    }
}

static tool_exit read_option(command_line *r, int id)
{
    const char *value = r->options.value;
    r->given |= is_answer(id) ? 0 : BIT(id);
    switch (id) {
    case OPTION_WINDOWS: return read_windows(value, &r->request.layout.windows);
    case OPTION_ARCH: return read_arch(value, &r->request.layout.arch);
    case OPTION_OFFSET: return read_offset(&r->request, value);
    case OPTION_FORMAT: return read_format(&r->request, value);
    case OPTION_THRESHOLD: return read_threshold(&r->request, value);
    case OPTION_EVIDENCE: r->request.evidence = true; return TOOL_EXIT_CONFORMING;
    default: return read_answer(r, id);
    }
}

/* STRUCT and FILE, of which either may be left out where the answer does without: FILE is the last. */
static tool_exit read_operands(command_line *r)
{
    const answer *a = r->answer;
    int left = r->options.files;
    if (a->file && left > 0)
        r->request.file = r->options.arguments[--left];
    if (left > 1)
        return tool_usage("layout", "too many arguments", r->options.arguments[1]);
    if (left == 0 && a->structure)
        return tool_usage("layout", a->file ? "STRUCT and FILE have to be given" : "no STRUCT given", NULL);
    if (a->file && r->request.file == NULL)
        return tool_usage("layout", "no FILE given", NULL);
    if (left == 0)
        return TOOL_EXIT_CONFORMING;
    r->request.layout.structure = etl_memory_structure_find(r->options.arguments[0]);
    if (r->request.layout.structure == ETL_MEMORY_STRUCTURE_COUNT)
        return unknown_structure(r->options.arguments[0]);
    return TOOL_EXIT_CONFORMING;
}

/* That there is such a layout, as far as it is said which. */
static tool_exit check_known(etl_memory_layout wanted)
{
    const bool named = wanted.structure < ETL_MEMORY_STRUCTURE_COUNT;
    etl_memory_layout layout = {0, 0, 0};
    char version[128] = "";
    if (tool_layout_next_wanted(&layout, wanted))
        return TOOL_EXIT_CONFORMING;
    if (wanted.windows < ETL_WINDOWS_COUNT)
        (void)snprintf(version, sizeof version, " of %s (%s)", etl_windows_get(wanted.windows)->text,
                       etl_windows_get(wanted.windows)->title);
    tool_print_error("layout: no %s%s for %s is known",
                     named ? etl_memory_structure_get(wanted.structure)->name : "structure", version,
                     wanted.arch < ETL_ARCH_COUNT ? etl_arch_text(wanted.arch) : "any architecture");
    tool_print_error("'etlproof layout %s --list' lists what there is",
                     named ? etl_memory_structure_get(wanted.structure)->name : "STRUCT");
    return TOOL_EXIT_USAGE;
}

/* What the answer has a use for: a page has both architectures side by side, and the index of pages all versions too. */
static unsigned options_of(const command_line *r)
{
    if (r->answer != &answers[OPTION_EXPORT] || r->request.form != TOOL_LAYOUT_EXPORT_MARKDOWN)
        return r->answer->options;
    return r->request.layout.structure < ETL_MEMORY_STRUCTURE_COUNT ? BIT(OPTION_WINDOWS) : 0;
}

/* What would be passed over is not meant. */
static tool_exit check_options(const command_line *r)
{
    const unsigned unused = r->given & ~options_of(r);
    char name[32];
    for (const tool_option *option = options_table; option->name != NULL; option++) {
        (void)snprintf(name, sizeof name, "--%s", option->name);
        if ((unused & BIT(option->id)) != 0)
            return tool_usage("layout", "what is asked for has no use for this", name);
    }
    return TOOL_EXIT_CONFORMING;
}

static tool_exit check_request(const command_line *r)
{
    etl_memory_layout from = r->request.layout, to = r->request.layout;
    if (r->answer->windows && r->request.layout.windows == ETL_WINDOWS_COUNT)
        return tool_usage("layout", "--windows has to be given; 'etlproof layout STRUCT --list' says which there are",
                          NULL);
    if (r->answer->arch && r->request.layout.arch == ETL_ARCH_COUNT)
        return tool_usage("layout", "--arch has to be given: x86 or x64", NULL);
    from.windows = r->request.from;
    to.windows = r->request.to;
    if (r->answer != &answers[OPTION_DIFF])
        return check_known(r->request.layout);
    const tool_exit code = check_known(from);
    return code == TOOL_EXIT_CONFORMING ? check_known(to) : code;
}

tool_exit tool_verb_layout(char **argv)
{
    command_line r = {.answer = &decode,
                      .request = {.layout = {ETL_MEMORY_STRUCTURE_COUNT, ETL_WINDOWS_COUNT, ETL_ARCH_COUNT},
                                  .threshold = TOOL_RANK_THRESHOLD}};
    tool_exit code = TOOL_EXIT_CONFORMING;
    tool_options_open(&r.options, argv[0], argv + 1, options_table, help);
    for (int id; code == TOOL_EXIT_CONFORMING && (id = tool_options_next(&r.options)) != TOOL_OPTION_END;)
        if (id == TOOL_OPTION_STOP)
            return r.options.exit;
        else
            code = read_option(&r, id);
    if (code == TOOL_EXIT_CONFORMING)
        code = read_operands(&r);
    if (code == TOOL_EXIT_CONFORMING)
        code = check_options(&r);
    if (code == TOOL_EXIT_CONFORMING)
        code = check_request(&r);
    return code == TOOL_EXIT_CONFORMING ? r.answer->give(&r.request) : code;
}
