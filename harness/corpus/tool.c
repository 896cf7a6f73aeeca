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
#include <unistd.h>

#include "carve.h"
#include "tool.h"

/* Exit codes, part of the contract with scripts; those of `etlproof`. */
typedef enum exit_code {
    DONE = 0,
    NOTHING = 1, /* a target got no input that these files could give */
    USAGE = 64,
    INPUT = 66,
    INTERNAL = 70,
    OUTPUT = 74
} exit_code;

static const char help[] =
    "usage: etlproof carve [--targets FILE] [--quiet] FILE-OR-DIRECTORY... -o DIR\n"
    "\n"
    "Takes traces (*.etl) apart into inputs of the fuzz targets, DIR/TARGET/HASH: whole files, buffers, events, items,\n"
    "messages, logfile headers, XPRESS streams, clocks. Recipes (*.recipe) are inputs of the targets that read text.\n"
    "Structures in memory come from vectors (*.bin, with their *.json); there is one of each layout besides, all zeros.\n"
    "Other files of a directory are left out, and so are inputs of more bytes than their target takes.\n"
    "FILE may be -, a trace on standard input.\n"
    "\n"
    "  --targets FILE  other targets, as in harness/targets.tsv\n"
    "  -o DIR          where the inputs go; folders are made\n"
    "  --quiet         does not say how many inputs each target has been given\n"
    "  --help\n"
    "\n"
    "Exit status: 0 done, 1 there was nothing to take apart, or a target got no input that files of these kinds may\n"
    "give, 64 wrong usage, 66 cannot read, 70 an internal error, 74 cannot write.\n";

#define TARGETS_MAX 64u
#define TARGET_NAME_MAX 64u

typedef struct target {
    char name[TARGET_NAME_MAX];
    etl_input input;
    size_t most;
    size_t count; /* inputs found, the same ones included */
} target;

typedef struct options {
    const char *targets; /* NULL: those of harness/targets.tsv */
    bool quiet, help;
    char **files;
    size_t file_count;
} options;

/* One run a process. */
static struct {
    target targets[TARGETS_MAX];
    size_t target_count;
    const char *folder;
    unsigned inputs; /* bits of those that the files may give */
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

/* Those of a file, or of harness/targets.tsv without one. */
static bool find_targets(const char *path)
{
    static const target own[] = {
#define ETL_TARGET(name, input, most) {#name, ETL_INPUT_##input, most, 0},
#include "targets.def"
    };
    _Static_assert(sizeof own <= sizeof run.targets, "TARGETS_MAX is too small");
    if (path != NULL)
        return read_targets(path);
    memcpy(run.targets, own, sizeof own);
    run.target_count = sizeof own / sizeof own[0];
    return true;
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

/* The same bytes with other room; NULL after a complaint. */
static uint8_t *resize(uint8_t *bytes, size_t room, const char *path)
{
    uint8_t *other = realloc(bytes, room);
    if (other == NULL) {
        free(bytes);
        fail(INPUT, path, "does not fit in memory");
    }
    return other;
}

/* All that is in the stream, in memory that the caller frees and that ends with it; NULL after a complaint. */
static uint8_t *read_all(FILE *stream, const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    size_t room = 0;
    *size = 0;
    do {
        room = room != 0 ? 2 * room : 65536;
        bytes = resize(bytes, room, path);
        if (bytes == NULL)
            return NULL;
        *size += fread(bytes + *size, 1, room - *size, stream);
    } while (*size == room);
    if (ferror(stream) == 0)
        return resize(bytes, *size != 0 ? *size : 1, path);
    fail(INPUT, path, strerror(errno));
    free(bytes);
    return NULL;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(INPUT, path, strerror(errno));
        return NULL;
    }
    uint8_t *bytes = read_all(file, path, size);
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
    size_t size = 0;
    const int length = snprintf(beside, sizeof beside, "%.*s.json", (int)(strlen(path) - strlen(".bin")), path);
    if ((size_t)length >= sizeof beside || access(beside, F_OK) != 0)
        return false;
    uint8_t *json = read_file(beside, &size);
    const bool said = json != NULL && etl_carve_layout_of((etl_span){json, size}, layout);
    free(json);
    return said;
}

static bool carve_trace(const char *path, etl_span bytes)
{
    (void)path;
    return etl_carve(bytes, take, NULL);
}

static bool carve_recipe(const char *path, etl_span bytes)
{
    (void)path;
    return take(NULL, ETL_INPUT_TEXT, bytes.at, bytes.size);
}

static bool carve_memory(const char *path, etl_span bytes)
{
    etl_memory_layout layout;
    return !layout_beside(path, &layout) || etl_carve_structure(layout, bytes, take, NULL);
}

#define INPUT_BIT(name) (1u << ETL_INPUT_##name)

/* What is taken apart, by the ends of names, and which inputs it may give. Standard input is as the first. */
typedef struct source {
    const char *ending;
    unsigned inputs;
    bool (*carve)(const char *path, etl_span bytes);
} source;

static const source sources[] = {
    {".etl", ~(INPUT_BIT(TEXT) | INPUT_BIT(MEMORY)), carve_trace},
    {".recipe", INPUT_BIT(TEXT), carve_recipe},
    {".bin", INPUT_BIT(MEMORY), carve_memory},
};

/* Frees the bytes, which are NULL after a complaint. */
static bool carve(const char *path, const source *of, uint8_t *bytes, size_t size)
{
    run.inputs |= of->inputs;
    const bool done = bytes != NULL && of->carve(path, (etl_span){bytes, size});
    free(bytes);
    return done || (run.code == DONE && fail(INTERNAL, path, "no memory to take it apart"));
}

/* NULL for what is not taken apart. */
static const source *source_of(const char *path)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (ends_in(path, sources[i].ending))
            return &sources[i];
    return NULL;
}

/* Of a folder, other files are left out; one that was `asked` for is not. */
static bool visit_file(const char *path, bool asked)
{
    const source *of = source_of(path);
    size_t size = 0;
    if (of == NULL)
        return !asked || fail(INPUT, path, "is no *.etl, *.recipe or *.bin, which can be taken apart");
    uint8_t *bytes = read_file(path, &size);
    return carve(path, of, bytes, size);
}

static bool visit_standard_input(void)
{
    size_t size = 0;
    uint8_t *bytes = read_all(stdin, "standard input", &size);
    return carve("standard input", &sources[0], bytes, size);
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
    return S_ISDIR(status.st_mode) ? visit_folder(path) : visit_file(path, asked);
}

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool visit_all(const options *o)
{
    bool good = true;
    for (size_t i = 0; good && i < o->file_count; i++)
        good = is_dash(o->files[i]) ? visit_standard_input() : visit(o->files[i], true);
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

/* A target that takes what these files are not taken apart into lacks nothing. */
static void report(const options *o)
{
    for (size_t i = 0; i < run.target_count; i++) {
        const target *t = &run.targets[i];
        if (!o->quiet)
            (void)printf("%-16s %6zu inputs\n", t->name, t->count);
        if (t->count == 0 && (run.inputs >> t->input & 1u) != 0)
            fail(NOTHING, t->name, "nothing in the files is an input of this target");
    }
    for (size_t i = 0; i < o->file_count && run.inputs == 0; i++)
        fail(NOTHING, o->files[i], "has no *.etl, *.recipe or *.bin, which can be taken apart");
    if (fflush(stdout) != 0)
        fail(OUTPUT, "standard output", strerror(errno));
}

/* Options. */

static exit_code usage(const char *why, const char *about)
{
    etl_complain("%s%s%s", why, about ? ": " : "", about ? about : "");
    etl_complain("'etlproof carve --help' lists what there is");
    return USAGE;
}

/* Where the value of an option goes; NULL for one that has none. */
static const char **value_of(options *o, const char *name)
{
    return strcmp(name, "--targets") == 0 ? &o->targets : strcmp(name, "-o") == 0 ? &run.folder : NULL;
}

static bool *switch_of(options *o, const char *name)
{
    return strcmp(name, "--quiet") == 0                             ? &o->quiet
           : strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ? &o->help
                                                                    : NULL;
}

/* Files are moved to the front of `argv`. */
static exit_code read_options(options *o, char **argv)
{
    bool ended = false;
    o->files = argv;
    for (size_t i = 0; argv[i] != NULL; i++) {
        char *argument = argv[i];
        if (ended || argument[0] != '-' || argument[1] == '\0') {
            o->files[o->file_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            ended = true;
        } else if (value_of(o, argument) != NULL) {
            if (argv[i + 1] == NULL)
                return usage("the option wants a value", argument);
            *value_of(o, argument) = argv[++i];
        } else if (switch_of(o, argument) != NULL) {
            *switch_of(o, argument) = true;
        } else {
            return usage("unknown option", argument);
        }
    }
    return DONE;
}

static exit_code check_options(const options *o)
{
    size_t dashes = 0;
    for (size_t i = 0; i < o->file_count; i++)
        dashes += is_dash(o->files[i]);
    if (o->file_count == 0)
        return usage("nothing to take apart", NULL);
    if (run.folder == NULL)
        return usage("-o is missing", NULL);
    if (dashes > 1)
        return usage("standard input can be read once", "-");
    return DONE;
}

int main(int argc, char **argv)
{
    options o = {0};
    if (argc < 2) {
        (void)fputs(help, stderr);
        return USAGE;
    }
    exit_code code = read_options(&o, argv + 1);
    if (code != DONE)
        return (int)code;
    if (o.help)
        return fputs(help, stdout) >= 0 && fflush(stdout) == 0 ? DONE : OUTPUT;
    code = check_options(&o);
    if (code != DONE)
        return (int)code;
    if (find_targets(o.targets) && make_folders() && etl_carve_layouts(take, NULL) && visit_all(&o))
        report(&o);
    return (int)run.code;
}
