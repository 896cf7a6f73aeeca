/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof`: runs a verb of this room, or one of another, which is an executable etlproof-VERB beside this.
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
    "Reads Windows Event Trace Log (.etl) files, damaged ones too.\n"
    "\n"
    "  decode FILE        prints everything that FILE holds, as JSON Lines or text\n"
    "  validate FILE...   says whether each FILE conforms to the format, what it holds, and what is wrong with it\n"
    "  map FILE           prints what each byte of FILE is for\n"
    "  explain [RULE]     explains a rule that validate names, or lists all rules\n"
    "  recover IN -o OUT  writes a file that conforms, with all events that can be read of a damaged one\n"
    "  layout STRUCT FILE reads ETW's own structures from a memory image, and prints or exports their layouts\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "'etlproof VERB --help' tells more. FILE may be - for standard input. Any other VERB runs the program etlproof-VERB\n"
    "from the folder of this one.\n";

static const struct {
    const char *name;
    tool_exit (*run)(char **argv);
} verbs[] = {
    {"decode", tool_verb_decode},
    {"validate", tool_verb_validate},
    {"map", tool_verb_map},
    {"explain", tool_verb_explain},
    {"recover", tool_verb_recover},
    {"layout", tool_verb_layout},
};

#define PATH_SIZE 4096

#if TOOL_POSIX

/* The folder of the file at `path`, with its slash: cuts what follows. False if there is none. */
static bool cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    return true;
}

/* The folder of the first `name` on PATH that can be run. */
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

/* Where this program is: the system says, or else the way it was called. */
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

/* Becomes etlproof-VERB. Returns only if it cannot, true if it is there: errno says why then. */
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

/* What follows the first argument of a command line. */
static const wchar_t *after_argument(const wchar_t *line)
{
    for (bool quoted = false; *line != L'\0' && (quoted || (*line != L' ' && *line != L'\t')); line++)
        quoted ^= *line == L'"';
    return line + wcsspn(line, L" \t");
}

/*
 * Runs etlproof-VERB, with the other arguments quoted as they were, and ends as it does. Returns only if it cannot, true
 * if it is there: errno says why then.
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
    const intptr_t status = _wspawnv(_P_WAIT, path, arguments); /* joins them with a space, and quotes nothing */
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

static tool_exit usage(const char *message, const char *about)
{
    tool_print_error("%s: %s; 'etlproof --help' lists what there is", message, about);
    return TOOL_EXIT_USAGE;
}

static tool_exit run(char **argv)
{
    const char *verb = argv[1];
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return tool_help(help);
    if (strcmp(verb, "--version") == 0 && argv[2] != NULL)
        return usage("--version takes no argument", argv[2]);
    if (strcmp(verb, "--version") == 0)
        return tool_help("etlproof " ETLPROOF_VERSION "\n");
    if (verb[0] == '-')
        return usage("unknown option", verb);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            return verbs[i].run(argv + 1);
    if (!run_sibling(argv[0], argv + 1))
        return usage("unknown verb", verb);
    tool_print_error("etlproof-%s: cannot be run: %s", verb, strerror(errno));
    return TOOL_EXIT_INPUT;
}

int main(int argc, char **argv)
{
#if TOOL_POSIX
    /* So that a reader that goes away, or a file that may not grow, is a write error, and what the exit code says of it. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
    if (argc < 2) {
        (void)fputs(help, stderr);
        return TOOL_EXIT_USAGE;
    }
    return (int)run(argv);
}
