/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof-carve`, which `etlproof carve` runs: traces to inputs of the fuzz targets.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "carve.h"
#include "tool.h"

/* Exit codes, part of the contract with scripts; those of `etlproof`. */
typedef enum exit_code {
    DONE = 0,
    NOTHING = 1, /* a target got no input */
    USAGE = 64,
    INPUT = 66,
    INTERNAL = 70,
    OUTPUT = 74
} exit_code;

static const char help[] =
    "usage: etlproof carve --targets FILE -o DIR [--quiet] FILE-OR-DIRECTORY...\n"
    "\n"
    "Takes traces (*.etl) apart into inputs of the fuzz targets, DIR/TARGET/HASH: whole files, buffers, events, items,\n"
    "messages, logfile headers, XPRESS streams, clocks. Recipes (*.recipe) are inputs of the targets that read text.\n"
    "Structures in memory come from vectors (*.bin, with their *.json); there is one of each layout besides, all zeros.\n"
    "Other files of a directory are left out, and so are inputs of more bytes than their target takes.\n"
    "\n"
    "  --targets FILE  the targets: harness/targets.tsv\n"
    "  -o DIR          where the inputs go; folders are made\n"
    "  --quiet         does not say how many inputs each target has been given\n"
    "  --help\n"
    "\n"
    "Exit status: 0 done, 1 a target got no input, 64 wrong usage, 66 cannot read, 70 an internal error,\n"
    "74 cannot write.\n";

#define TARGETS_MAX 64u
#define TARGET_NAME_MAX 64u

typedef struct target {
    char name[TARGET_NAME_MAX];
    etl_input input;
    size_t most;
    size_t count; /* inputs found, the same ones included */
} target;

/* One run a process. */
static struct {
    target targets[TARGETS_MAX];
    size_t target_count;
    const char *folder;
    exit_code code;
} run;

static bool fail(exit_code code, const char *path, const char *why)
{
    etl_complain("%s: %s", path, why);
    run.code = code;
    return false;
}

/* The targets. */

static bool read_target(const char *path, unsigned number, char *line)
{
    char why[160], input[32];
    target *t = &run.targets[run.target_count];
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return true;
    if (run.target_count == TARGETS_MAX ||
        sscanf(line, "%63[a-z_0-9]\t%31[A-Z]\t%zu\t", t->name, input, &t->most) != 3 || !etl_input_find(input, &t->input)) {
        (void)snprintf(why, sizeof why, "line %u: expected name, input, most and what it takes, found \"%.60s\"", number,
                       line);
        return fail(INPUT, path, why);
    }
    run.target_count++;
    return true;
}

static bool read_targets(const char *path)
{
    static char line[4096];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return fail(INPUT, path, strerror(errno));
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, file) != NULL; number++)
        good = read_target(path, number, line);
    if (good && ferror(file))
        good = fail(INPUT, path, strerror(errno));
    (void)fclose(file);
    if (good && run.target_count == 0)
        good = fail(INPUT, path, "no target in it");
    return good;
}

/* Inputs. */

/* Two FNV-1a in one, of 128 bits: a name that no other content has. */
static void name_of(const uint8_t *bytes, size_t size, char name[33])
{
    uint64_t a = UINT64_C(0xCBF29CE484222325), b = ~a;
    for (size_t i = 0; i < size; i++) {
        a = (a ^ bytes[i]) * UINT64_C(0x100000001B3);
        b = (b ^ bytes[i] ^ a >> 56) * UINT64_C(0x100000001B3);
    }
    (void)snprintf(name, 33, "%016" PRIx64 "%016" PRIx64, a, b);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail(OUTPUT, path, strerror(errno));
}

/* Whole: its name says what it is, and one that was ended may have left a part. */
static bool is_there(const char *path, size_t size)
{
    struct stat status;
    return stat(path, &status) == 0 && (uint64_t)status.st_size == size;
}

static bool write_input(target *t, const uint8_t *bytes, size_t size)
{
    static char path[4096];
    char name[33];
    name_of(bytes, size, name);
    (void)snprintf(path, sizeof path, "%s/%s/%s", run.folder, t->name, name);
    t->count++;
    if (is_there(path, size))
        return true;
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return fail(OUTPUT, path, strerror(errno));
    const bool whole = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) == 0 && whole)
        return true;
    fail(OUTPUT, path, strerror(errno));
    (void)remove(path); /* under its name it would be taken for the whole from then on */
    return false;
}

static bool take(void *context, etl_input input, const uint8_t *bytes, size_t size)
{
    (void)context;
    for (size_t i = 0; i < run.target_count; i++) {
        target *t = &run.targets[i];
        if (t->input == input && size <= t->most && !write_input(t, bytes, size))
            return false;
    }
    return true;
}

/* Files. */

static uint8_t *read_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(INPUT, path, strerror(errno));
        return NULL;
    }
    uint8_t *bytes = malloc(size != 0 ? size : 1);
    if (bytes == NULL || fread(bytes, 1, size, file) != size) {
        fail(INPUT, path, bytes == NULL ? "does not fit in memory" : "cannot be read whole");
        free(bytes);
        bytes = NULL;
    }
    (void)fclose(file);
    return bytes;
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0; /* TRACE.ETL too */
}

/* What the JSON beside a vector says that it is; false if there is none, or it is no structure in memory. */
static bool layout_beside(const char *path, etl_memory_layout *layout)
{
    char beside[4096];
    struct stat status;
    const int length = snprintf(beside, sizeof beside, "%.*s.json", (int)(strlen(path) - strlen(".bin")), path);
    if ((size_t)length >= sizeof beside || stat(beside, &status) != 0)
        return false;
    uint8_t *json = read_file(beside, (size_t)status.st_size);
    const bool said = json != NULL && etl_carve_layout_of((etl_span){json, (size_t)status.st_size}, layout);
    free(json);
    return said;
}

static bool carve_file(const char *path, etl_span bytes)
{
    etl_memory_layout layout;
    if (ends_in(path, ".etl"))
        return etl_carve(bytes, take, NULL);
    if (ends_in(path, ".recipe"))
        return take(NULL, ETL_INPUT_TEXT, bytes.at, bytes.size);
    return !layout_beside(path, &layout) || etl_carve_structure(layout, bytes, take, NULL);
}

/* Of a folder, other files are left out; one that was `asked` for is not. */
static bool visit_file(const char *path, size_t size, bool asked)
{
    if (!ends_in(path, ".etl") && !ends_in(path, ".recipe") && !ends_in(path, ".bin"))
        return !asked || fail(INPUT, path, "is no *.etl, *.recipe or *.bin, which can be taken apart");
    uint8_t *bytes = read_file(path, size);
    if (bytes == NULL)
        return false;
    const bool done = carve_file(path, (etl_span){bytes, size});
    free(bytes);
    return done || (run.code == DONE && fail(INTERNAL, path, "no memory to take it apart"));
}

static bool visit(const char *path, bool asked);

static bool visit_folder(const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return fail(INPUT, path, strerror(errno));
    bool good = true;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (good && entries[i]->d_name[0] != '.')
            good = (size_t)length < sizeof inner ? visit(inner, false) : fail(INPUT, path, strerror(ENAMETOOLONG));
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool visit(const char *path, bool asked)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(INPUT, path, strerror(errno));
    return S_ISDIR(status.st_mode) ? visit_folder(path) : visit_file(path, (size_t)status.st_size, asked);
}

static bool visit_all(char **paths)
{
    bool good = true;
    for (; good && *paths != NULL; paths++)
        good = visit(*paths, true);
    return good;
}

static bool make_folders(void)
{
    static char path[4096];
    if (!make_folder(run.folder))
        return false;
    for (size_t i = 0; i < run.target_count; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", run.folder, run.targets[i].name);
        if (!make_folder(path))
            return false;
    }
    return true;
}

static void report(bool quiet)
{
    for (size_t i = 0; i < run.target_count; i++) {
        const target *t = &run.targets[i];
        if (!quiet)
            (void)printf("%-16s %6zu inputs\n", t->name, t->count);
        if (t->count == 0)
            fail(NOTHING, t->name, "nothing in the files is an input of this target");
    }
    if (fflush(stdout) != 0)
        fail(OUTPUT, "standard output", strerror(errno));
}

static int usage(const char *why, const char *about)
{
    etl_complain("%s%s%s", why, about ? ": " : "", about ? about : "");
    etl_complain("'etlproof carve --help' lists what there is");
    return USAGE;
}

int main(int argc, char **argv)
{
    const char *targets = NULL;
    bool quiet = false;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0)
            return fputs(help, stdout) >= 0 && fflush(stdout) == 0 ? DONE : OUTPUT;
        if (strcmp(argv[at], "--quiet") == 0)
            quiet = true;
        else if (strcmp(argv[at], "--targets") == 0 && at + 1 < argc)
            targets = argv[++at];
        else if (strcmp(argv[at], "-o") == 0 && at + 1 < argc)
            run.folder = argv[++at];
        else
            return usage("unknown option, or one without its value", argv[at]);
    }
    if (targets == NULL || run.folder == NULL)
        return usage(targets == NULL ? "--targets is missing" : "-o is missing", NULL);
    if (at == argc)
        return usage("nothing to take apart", NULL);
    if (read_targets(targets) && make_folders() && etl_carve_layouts(take, NULL) && visit_all(argv + at))
        report(quiet);
    return (int)run.code;
}
