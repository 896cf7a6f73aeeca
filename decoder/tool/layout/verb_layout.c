/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout: ETW's own structures in memory. Reads the command line into a tool_layout_request, checks it, and calls
 * one of the answers: decode, --list, --diff, --export, --guess, --scan or --extract.
 */
#include "verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/options.h"
#include "io/sandbox.h"
#include "layout/export.h"
#include "layout/layout_request.h"
#include "layout/ranking.h"

static const char help[] =
    "usage: etlproof layout STRUCT --windows VERSION --arch ARCH FILE [--offset N]\n"
    "       etlproof layout STRUCT --list [--windows VERSION --arch ARCH]\n"
    "       etlproof layout STRUCT --diff VERSION VERSION --arch ARCH\n"
    "       etlproof layout [STRUCT] --guess [--windows VERSION] [--arch ARCH] FILE [--offset N]\n"
    "       etlproof layout [STRUCT] --scan [--windows VERSION] [--arch ARCH] FILE [--offset N]\n"
    "       etlproof layout WMI_LOGGER_CONTEXT --extract OUT --windows VERSION --arch ARCH FILE [--offset N]\n"
    "       etlproof layout --export c|json|imhex [STRUCT] [--windows VERSION] [--arch ARCH]\n"
    "       etlproof layout --export markdown [STRUCT [--windows VERSION]]\n"
    "\n"
    "Decodes ETW's own structures from the raw bytes of a memory image or a crash dump: each member of STRUCT with its\n"
    "offset, bytes and value, then the findings. STRUCT is ETW_GUID_ENTRY (a provider) or WMI_LOGGER_CONTEXT (a session),\n"
    "both of the kernel, or ETW_UM_LOGGER_CONTEXT (a session of NTDLL). FILE may be - for standard input.\n"
    "\n"
    "  --windows VERSION       a version (6.1, 1903, 11-25H2), a release of Windows 10 (22H2) or a build (19041,\n"
    "                          10.0.19041.1234). 10.0 is the first release, 1507. --list prints all versions\n"
    "  --arch x86|x64|arm64    architecture of the machine; for ETW_UM_LOGGER_CONTEXT, of the process. --guess and\n"
    "                          --scan name x64 for arm64 unless it is given\n"
    "  --offset N              offset of the structure in FILE, or the start of --scan; decimal, or hexadecimal with 0x\n"
    "                          (default: 0)\n"
    "  --format text|json      text for people, or one JSON object (default: text)\n"
    "  --evidence              print the evidence for every member and bit, not only where sources disagree\n"
    "  --list                  print the members for one version and architecture, or else all known versions. Marks\n"
    "                          a version that a rejected source lays out as another one; see both with --windows\n"
    "  --diff VERSION VERSION  print the members that the second version adds, removes, moves, retypes, or gives other\n"
    "                          bits than the first\n"
    "  --export FORM           print layouts for other tools: a C header, JSON, or an ImHex pattern. markdown: the page\n"
    "                          of a structure for all architectures, or the index of all pages\n"
    "  --guess                 rank the structures, versions and architectures that the bytes at --offset may be, with\n"
    "                          reasons; without --offset, at the most plausible place in FILE. Versions that read the\n"
    "                          bytes alike share a rank\n"
    "  --scan                  find structures in use at multiples of 8 bytes from --offset on (--offset 4: in between).\n"
    "                          Skips providers without references or with an uninitialised registration list, and\n"
    "                          sessions without a name, with a LoggerId of 64 or more, or with an impossible BufferSize\n"
    "                          or start time. Prints for each structure all versions that read its bytes alike, and the\n"
    "                          margin over the best layout that does not\n"
    "  --extract OUT           write the buffers of the session at --offset to OUT, an ETL file. Buffers are found by\n"
    "                          LoggerId, BufferSize and first event, but not if compressed or of Windows 5.x; each ends\n"
    "                          where the next starts. Without a logfile header in FILE, one is made from the session:\n"
    "                          times are raw ticks then, unless the clock is the system time\n"
    "  --force                 with --extract: replace OUT\n"
    "  --threshold BITS        how plausible bytes must be for --guess and --scan: odds of 2^BITS to 1 (default: 28)\n"
    "  --no-sandbox            with FILE: keep the right to write files, start programs and use the network\n"
    "  --help                  print this help\n"
    "\n"
    "Exit status: 0 no errors found, 1 errors found, or OUT is damaged, 2 offset past the end, or nothing found, 3 limit\n"
    "reached, 64 usage error, 66 cannot read, 70 internal error, 74 cannot write.\n";

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
    OPTION_EXTRACT,
    OPTION_FORCE,
    OPTION_THRESHOLD,
    OPTION_NO_SANDBOX
};

static const tool_option options_table[] = {
    {"windows", 0, TOOL_ANY_VALUE, OPTION_WINDOWS},
    {"arch", 0, "x86|x64|arm64", OPTION_ARCH},
    {"offset", 0, TOOL_ANY_VALUE, OPTION_OFFSET},
    {"format", 0, "text|json", OPTION_FORMAT},
    {"evidence", 0, NULL, OPTION_EVIDENCE},
    {"list", 0, NULL, OPTION_LIST},
    {"diff", 0, TOOL_ANY_VALUE, OPTION_DIFF},
    {"export", 0, "c|json|imhex|markdown", OPTION_EXPORT},
    {"guess", 0, NULL, OPTION_GUESS},
    {"scan", 0, NULL, OPTION_SCAN},
    {"extract", 0, TOOL_ANY_VALUE, OPTION_EXTRACT},
    {"force", 0, NULL, OPTION_FORCE},
    {"threshold", 0, TOOL_ANY_VALUE, OPTION_THRESHOLD},
    {"no-sandbox", 0, NULL, OPTION_NO_SANDBOX},
    {NULL, 0, NULL, 0},
};

#define BIT(option) (1u << (option))
#define WHICH (BIT(OPTION_WINDOWS) | BIT(OPTION_ARCH))
#define WHERE (BIT(OPTION_OFFSET) | BIT(OPTION_FORMAT) | BIT(OPTION_NO_SANDBOX))
#define SHOWN (BIT(OPTION_FORMAT) | BIT(OPTION_EVIDENCE))

/* What the command line asks for, and what it requires. */
typedef struct answer {
    tool_exit (*give)(const tool_layout_request *request);
    bool structure, windows, arch, file; /* required; FILE is rejected where it is not required */
    unsigned options;                    /* allowed, one bit each */
} answer;

static const answer decode = {tool_layout_decode, true, true, true, true, WHICH | WHERE | SHOWN};
static const answer answers[] = {
    [OPTION_LIST] = {tool_layout_list, true, false, false, false, WHICH | SHOWN},
    [OPTION_DIFF] = {tool_layout_diff, true, false, true, false, BIT(OPTION_ARCH) | SHOWN},
    [OPTION_EXPORT] = {tool_layout_export, false, false, false, false, WHICH},
    [OPTION_GUESS] = {tool_layout_guess, false, false, false, true, WHICH | WHERE | BIT(OPTION_THRESHOLD)},
    [OPTION_SCAN] = {tool_layout_scan, false, false, false, true, WHICH | WHERE | BIT(OPTION_THRESHOLD)},
    [OPTION_EXTRACT] = {tool_layout_extract, true, true, true, true, WHICH | BIT(OPTION_OFFSET) | BIT(OPTION_FORCE)},
};

typedef struct command_line {
    tool_layout_request request;
    const answer *answer;
    unsigned given; /* options other than answers, one bit each */
    tool_options options;
} command_line;

static tool_exit unknown_structure(const char *text)
{
    tool_exit code = tool_usage("layout", "no such structure", text);
    for (etl_memory_structure i = 0; i < ETL_MEMORY_STRUCTURE_COUNT; i++)
        tool_print_error("  %s: %s", etl_memory_structure_get(i)->name, etl_memory_structure_get(i)->what);
    return code;
}

/* True if several rows of the tables belong to this version of Windows. Rows of exactly that name were tried before. */
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
        return "ambiguous: it matches several of these versions";
    if (build > etl_windows_get(ETL_WINDOWS_COUNT - 1)->last_build)
        return "newer than every known version, so its layout is unknown";
    if (build >= etl_windows_get(0)->first_build)
        return "no layout is known for this version and build";
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
        return tool_usage("layout", "--diff needs two versions", NULL);
    return *windows < ETL_WINDOWS_COUNT ? TOOL_EXIT_CONFORMING : unknown_windows(text);
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

/* The number of bits is limited by the range of points. */
static tool_exit read_threshold(tool_layout_request *request, const char *text)
{
    char *end = NULL;
    const unsigned long bits = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || bits > INT32_MAX / ETL_GUESS_BIT)
        return tool_usage("layout", "not a number of bits", text);
    request->threshold = (int32_t)bits * ETL_GUESS_BIT;
    return TOOL_EXIT_CONFORMING;
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
        return tool_usage("layout", "--list, --diff, --export, --guess, --scan and --extract exclude each other", NULL);
    r->answer = &answers[id];
    r->request.form = (tool_layout_export_form)r->options.choice;
    r->request.extract = id == OPTION_EXTRACT ? r->options.value : NULL;
    return id == OPTION_DIFF ? read_diff(r) : TOOL_EXIT_CONFORMING;
}

static tool_exit read_option(command_line *r, int id)
{
    const char *value = r->options.value;
    r->given |= is_answer(id) ? 0 : BIT(id);
    switch (id) {
    case OPTION_WINDOWS: return read_windows(value, &r->request.layout.windows);
    case OPTION_ARCH: r->request.layout.arch = (etl_arch)r->options.choice; return TOOL_EXIT_CONFORMING;
    case OPTION_OFFSET: return read_offset(&r->request, value);
    case OPTION_FORMAT: r->request.json = r->options.choice == 1; return TOOL_EXIT_CONFORMING;
    case OPTION_THRESHOLD: return read_threshold(&r->request, value);
    case OPTION_EVIDENCE: r->request.evidence = true; return TOOL_EXIT_CONFORMING;
    case OPTION_FORCE: r->request.force = true; return TOOL_EXIT_CONFORMING;
    case OPTION_NO_SANDBOX: return TOOL_EXIT_CONFORMING;
    default: return read_answer(r, id);
    }
}

/* Reads STRUCT and FILE, as far as the answer requires them. FILE is the last operand. */
static tool_exit read_operands(command_line *r)
{
    const answer *a = r->answer;
    int left = r->options.files;
    if (a->file && left > 0)
        r->request.file = r->options.arguments[--left];
    if (left > 1)
        return tool_usage("layout", "too many arguments", r->options.arguments[1]);
    if (left == 0 && a->structure)
        return tool_usage("layout", a->file ? "STRUCT and FILE are required" : "no STRUCT given", NULL);
    if (a->file && r->request.file == NULL)
        return tool_usage("layout", "no FILE given", NULL);
    if (left == 0)
        return TOOL_EXIT_CONFORMING;
    r->request.layout.structure = etl_memory_structure_find(r->options.arguments[0]);
    if (r->request.layout.structure == ETL_MEMORY_STRUCTURE_COUNT)
        return unknown_structure(r->options.arguments[0]);
    return TOOL_EXIT_CONFORMING;
}

/* Checks that a layout exists for the structure, version and architecture given. */
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
    tool_print_error("'etlproof layout %s --list' lists the known versions",
                     named ? etl_memory_structure_get(wanted.structure)->name : "STRUCT");
    return TOOL_EXIT_USAGE;
}

/* The options that the answer uses. A Markdown page has all architectures, and the index of pages all versions too. */
static unsigned options_of(const command_line *r)
{
    if (r->answer != &answers[OPTION_EXPORT] || r->request.form != TOOL_LAYOUT_EXPORT_MARKDOWN)
        return r->answer->options;
    return r->request.layout.structure < ETL_MEMORY_STRUCTURE_COUNT ? BIT(OPTION_WINDOWS) : 0;
}

/* Rejects options that the answer would ignore. */
static tool_exit check_options(const command_line *r)
{
    const unsigned unused = r->given & ~options_of(r);
    char name[32];
    for (const tool_option *option = options_table; option->name != NULL; option++) {
        (void)snprintf(name, sizeof name, "--%s", option->name);
        if ((unused & BIT(option->id)) != 0)
            return tool_usage("layout", "option not allowed here", name);
    }
    return TOOL_EXIT_CONFORMING;
}

static tool_exit check_request(const command_line *r)
{
    etl_memory_layout from = r->request.layout, to = r->request.layout;
    if (r->answer->windows && r->request.layout.windows == ETL_WINDOWS_COUNT)
        return tool_usage("layout", "--windows is required; 'etlproof layout STRUCT --list' lists the versions",
                          NULL);
    if (r->answer->arch && r->request.layout.arch == ETL_ARCH_COUNT)
        return tool_usage("layout", "--arch is required: x86, x64 or arm64", NULL);
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
    if (code != TOOL_EXIT_CONFORMING)
        return code;
    /* In the sandbox, --extract could not write. */
    if (r.answer->file && r.request.extract == NULL && (r.given & BIT(OPTION_NO_SANDBOX)) == 0)
        tool_sandbox_enter((char *const *)&r.request.file, 1);
    return r.answer->give(&r.request);
}
