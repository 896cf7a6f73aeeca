/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof`: runs one of the built-in verbs, or the program etlproof-VERB from the folder of this one.
 * `etlproof build`, `carve` and `mutate` are such programs.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TOOL_POSIX
#include <unistd.h>
#elif defined(_WIN32)
#include <process.h>
#include <wchar.h>
#include <windows.h>
#endif

#include "io/options.h"
#include "verbs/verbs.h"

static const char help[] =
    "usage: etlproof VERB [OPTIONS] [FILE...]\n"
    "\n"
    "Reads Windows Event Trace Log (.etl) files, including damaged ones.\n"
    "\n"
    "  decode FILE         print the records of FILE, as JSON Lines or text\n"
    "  validate FILE...    check each FILE against the format: verdict, inventory, findings\n"
    "  schema FILE         list the schemas that FILE carries for its events\n"
    "  map FILE            print which part of the format each byte of FILE belongs to\n"
    "  explain [RULE]      explain a rule that validate reports, or list all rules\n"
    "  recover IN -o OUT   write a conforming file with every event that can be read from IN\n"
    "  layout STRUCT FILE  decode ETW structures from a memory image; list, compare and export their layouts\n"
    "\n"
    "  build RECIPE        build vectors of the conformance suite from recipes\n"
    "  carve FILE -o DIR   make inputs for the fuzz targets from traces\n"
    "  mutate IN -o OUT    change an ETL file by its structure\n"
    "\n"
    "  -h, --help          print this help\n"
    "  -V, --version       print the version\n"
    "\n"
    "'etlproof VERB --help' describes a verb. FILE may be - for standard input. build, carve, mutate and any other VERB\n"
    "run the program etlproof-VERB from the folder of this one.\n";

static const struct {
    const char *name;
    tool_exit (*run)(char **argv);
} verbs[] = {
    {"decode", tool_verb_decode},
    {"validate", tool_verb_validate},
    {"schema", tool_verb_schema},
    {"map", tool_verb_map},
    {"explain", tool_verb_explain},
    {"recover", tool_verb_recover},
    {"layout", tool_verb_layout},
};

#define PATH_SIZE 4096

#if TOOL_POSIX

/* Cuts `path` behind its last slash. False if it has no slash. */
static bool cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    return true;
}

/* The folder of the first executable `name` on PATH. */
static bool search_path(const char *name, char folder[PATH_SIZE])
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        int printed = snprintf(folder, PATH_SIZE, "%.*s/%s", (int)length, path, name);
        if (length > 0 && printed > 0 && printed < PATH_SIZE && access(folder, X_OK) == 0)
            return cut_to_folder(folder);
        path += length + (path[length] == ':');
    }
    return false;
}

/* The folder of this program, from /proc, or else from the name it was called by. */
static bool own_folder(const char *called, char folder[PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
    if (length > 0) {
        folder[length] = '\0';
        return cut_to_folder(folder);
    }
    if (strchr(called, '/') == NULL)
        return search_path(called, folder);
    int printed = snprintf(folder, PATH_SIZE, "%s", called);
    return printed > 0 && printed < PATH_SIZE && cut_to_folder(folder);
}

/* Replaces this process by etlproof-VERB. Returns only on failure: true, with errno set, if that program exists. */
static bool run_sibling(const char *called, char **argv)
{
    static char folder[PATH_SIZE], path[2 * PATH_SIZE];
    if (strchr(argv[0], '/') != NULL || !own_folder(called, folder))
        return false;
    (void)snprintf(path, sizeof path, "%setlproof-%s", folder, argv[0]);
    if (access(path, F_OK) != 0)
        return false;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    argv[0] = path;
    (void)execv(path, argv);
    return true;
}

#elif defined(_WIN32)

/* The rest of a command line behind its first argument. */
static const wchar_t *after_argument(const wchar_t *line)
{
    for (bool quoted = false; *line != L'\0' && (quoted || (*line != L' ' && *line != L'\t')); line++)
        quoted ^= *line == L'"';
    return line + wcsspn(line, L" \t");
}

/*
 * Runs etlproof-VERB with the remaining arguments as they were quoted, and exits with its status. Returns only on failure:
 * true, with errno set, if that program exists.
 */
static bool run_sibling(const char *called, char **argv)
{
    static wchar_t folder[PATH_SIZE], path[PATH_SIZE], name[2 * PATH_SIZE];
    (void)called;
    const DWORD length = GetModuleFileNameW(NULL, folder, PATH_SIZE);
    wchar_t *slash = wcsrchr(folder, L'\\');
    if (strpbrk(argv[0], "/\\:") != NULL || length == PATH_SIZE || slash == NULL)
        return false;
    slash[1] = L'\0';
    if (swprintf(path, PATH_SIZE, L"%lsetlproof-%hs.exe", folder, argv[0]) < 0)
        return false;
    (void)swprintf(name, 2 * PATH_SIZE, L"\"%ls\"", path);
    const wchar_t *const arguments[] = {name, after_argument(after_argument(GetCommandLineW())), NULL};
    const intptr_t status = _wspawnv(_P_WAIT, path, arguments); /* joins arguments with a space, without quoting */
    if (status != -1)
        exit((int)status);
    return errno != ENOENT;
}

#else

static bool run_sibling(const char *called, char **argv)
{
    (void)called;
    (void)argv;
    return false;
}

#endif

/* Verbs that are programs of their own. */
static const char *const siblings[] = {"build", "carve", "mutate"};

enum { VERBS = sizeof verbs / sizeof verbs[0], SIBLINGS = sizeof siblings / sizeof siblings[0] };

static tool_exit unknown_verb(const char *verb)
{
    const char *names[VERBS + SIBLINGS];
    for (size_t i = 0; i < VERBS + SIBLINGS; i++)
        names[i] = i < VERBS ? verbs[i].name : siblings[i - VERBS];
    const char *close = tool_closest(verb, names, VERBS + SIBLINGS);
    tool_print_error("unknown verb: %s%s%s", verb, close != NULL ? "; did you mean " : "", close != NULL ? close : "");
    tool_print_error("expected decode, validate, schema, map, explain, recover, layout, build, carve or mutate; "
                     "see 'etlproof --help'");
    return TOOL_EXIT_USAGE;
}

static tool_exit usage(const char *message, const char *about)
{
    tool_print_error("%s: %s; see 'etlproof --help'", message, about);
    return TOOL_EXIT_USAGE;
}

static tool_exit run(char **argv)
{
    const char *verb = argv[1];
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return tool_help(help);
    if (strcmp(verb, "--version") == 0 || strcmp(verb, "-V") == 0)
        return argv[2] != NULL ? usage("--version takes no argument", argv[2])
                               : tool_help("etlproof " ETLPROOF_VERSION "\n");
    if (verb[0] == '-')
        return usage("unknown option", verb);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            return verbs[i].run(argv + 1);
    if (!run_sibling(argv[0], argv + 1))
        return unknown_verb(verb);
    tool_print_error("cannot run etlproof-%s: %s", verb, strerror(errno));
    return TOOL_EXIT_INPUT;
}

int main(int argc, char **argv)
{
#if TOOL_POSIX
    /* A closed pipe or a file size limit becomes a write error with its own exit code, instead of ending the process. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
    if (argc < 2) {
        (void)fputs(help, stderr);
        return TOOL_EXIT_USAGE;
    }
    return (int)run(argv);
}
