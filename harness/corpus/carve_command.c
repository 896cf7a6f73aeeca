/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `etlproof-carve`, which `etlproof carve` runs: traces to inputs of the fuzz targets.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carve.h"
#include "io/files.h"
#include "io/folders.h"
#include "io/options.h"
#include "io/paths.h"
#include "io/command.h"

/* A target got no input that these files could give. */
#define EXIT_NOTHING TOOL_EXIT_DAMAGED

static const char help[] =
    "usage: etlproof carve [--targets FILE] [--quiet] FILE-OR-DIRECTORY... -o DIR\n"
    "\n"
    "Makes inputs of the fuzz targets, DIR/TARGET/HASH, from traces (*.etl): whole files, buffers, events, items,\n"
    "messages, logfile headers, XPRESS streams, clocks. Recipes (*.recipe) are inputs of the targets that read text.\n"
    "Structures in memory (*.bin) come from vectors, whose expectations (*.jsonl) lie beside them; one of each\n"
    "layout, all zeros, is added.\n"
    "Other files of a directory are skipped, and so are inputs that are too large for their target.\n"
    "FILE may be -, a trace on standard input.\n"
    "\n"
    "  --targets FILE  other targets, in the format of harness/targets.tsv\n"
    "  -o DIR          where the inputs go; folders are made\n"
    "  --quiet         does not print the number of inputs of each target\n"
    "  --help\n"
    "\n"
    "Exit status: 0 done, 1 there was no file to carve, or a target got no input although files of these kinds may give\n"
    "one, 64 wrong usage, 66 cannot read, 70 an internal error, 74 cannot write.\n";

#define TARGETS_MAX 64u
#define TARGET_NAME_MAX 64u

typedef struct target {
    char name[TARGET_NAME_MAX];
    input_kind input;
    size_t most;
    size_t count; /* inputs found, duplicates included */
} target;

typedef struct options {
    const char *targets; /* NULL: those of harness/targets.tsv */
    const char *folder;
    bool quiet;
    char **files;
    size_t file_count;
} options;

/* A process carves once. */
static struct {
    target targets[TARGETS_MAX];
    size_t target_count;
    const char *folder;
    unsigned inputs; /* bits of the kinds that the files may give */
    tool_exit code;
} run;

static bool fail(tool_exit code, const char *path, const char *why)
{
    tool_print_error("%s: %s", path, why);
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
        sscanf(line, "%63[a-z_0-9]\t%31[A-Z]\t%zu\t", t->name, input, &t->most) != 3 || !input_find(input, &t->input)) {
        (void)snprintf(why, sizeof why, "line %u: expected name, input, most and takes; found \"%.60s\"", number,
                       line);
        return fail(TOOL_EXIT_INPUT, path, why);
    }
    run.target_count++;
    return true;
}

static bool read_targets(const char *path)
{
    static char line[4096];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return fail(TOOL_EXIT_INPUT, path, strerror(errno));
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, file) != NULL; number++)
        good = read_target(path, number, line);
    if (good && ferror(file))
        good = fail(TOOL_EXIT_INPUT, path, strerror(errno));
    (void)fclose(file);
    if (good && run.target_count == 0)
        good = fail(TOOL_EXIT_INPUT, path, "has no target");
    return good;
}

/* Those of a file, or of harness/targets.tsv if there is none. */
static bool find_targets(const char *path)
{
    static const target own[] = {
#define CARVE_TARGET(name, input, most) {#name, INPUT_##input, most, 0},
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

/* Two FNV-1a hashes, 128 bits together: a name that no other content has. */
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
    if (tool_files_make_folder(path))
        return true;
    run.code = TOOL_EXIT_OUTPUT;
    return false;
}

/* Whether the file exists in full size: an earlier process may have left a partial one under the same name. */
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
        return fail(TOOL_EXIT_OUTPUT, path, strerror(errno));
    const bool whole = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) == 0 && whole)
        return true;
    fail(TOOL_EXIT_OUTPUT, path, strerror(errno));
    (void)remove(path); /* a partial file must not keep the name of the whole */
    return false;
}

static bool take(void *context, input_kind input, const uint8_t *bytes, size_t size)
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

static bool read_file(const char *path, tool_file_bytes *bytes)
{
    if (tool_files_read(path, bytes))
        return true;
    run.code = TOOL_EXIT_INPUT;
    return false;
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0; /* TRACE.ETL too */
}

static bool carve_trace(const char *path, etl_span bytes)
{
    (void)path;
    return carve_file(bytes, take, NULL);
}

static bool carve_recipe(const char *path, etl_span bytes)
{
    (void)path;
    return take(NULL, INPUT_RECIPE, bytes.at, bytes.size) && take(NULL, INPUT_TEXT, bytes.at, bytes.size);
}

/* The structure in memory whose expectation the line is, from ID.bin beside the file of the line. */
static bool carve_vector(const char *path, const carve_vector_line *vector)
{
    char bin[4096];
    tool_file_bytes bytes;
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    if ((size_t)snprintf(bin, sizeof bin, "%.*s%s.bin", folder, path, vector->id) >= sizeof bin || !read_file(bin, &bytes))
        return false;
    const bool done = carve_structure(vector->layout, (etl_span){bytes.at, bytes.size}, take, NULL);
    free(bytes.at);
    return done;
}

static bool carve_expectations(const char *path, etl_span lines)
{
    while (lines.size > 0) {
        carve_vector_line vector;
        const uint8_t *newline = memchr(lines.at, '\n', lines.size);
        const size_t size = newline != NULL ? (size_t)(newline - lines.at) : lines.size;
        if (carve_read_line((etl_span){lines.at, size}, &vector) && !carve_vector(path, &vector))
            return false;
        lines = (etl_span){lines.at + size, lines.size - size};
        if (newline != NULL)
            lines = (etl_span){lines.at + 1, lines.size - 1};
    }
    return true;
}

#define INPUT_BIT(name) (1u << INPUT_##name)

/* The files that can be carved, by the ends of their names, and the kinds of input that they may give. Standard input is a
   trace. */
typedef struct source {
    const char *ending;
    unsigned inputs;
    bool (*carve)(const char *path, etl_span bytes);
} source;

static const source sources[] = {
    {".etl", ~(INPUT_BIT(RECIPE) | INPUT_BIT(TEXT) | INPUT_BIT(MEMORY)), carve_trace},
    {".recipe", INPUT_BIT(RECIPE) | INPUT_BIT(TEXT), carve_recipe},
    {".jsonl", INPUT_BIT(MEMORY), carve_expectations},
};

static bool carve(const char *path, const source *of)
{
    tool_file_bytes bytes;
    run.inputs |= of->inputs;
    if (!read_file(path, &bytes))
        return false;
    const bool done = of->carve(path, (etl_span){bytes.at, bytes.size});
    free(bytes.at);
    return done || (run.code == TOOL_EXIT_DONE && fail(TOOL_EXIT_INTERNAL, path, "out of memory"));
}

/* NULL for other files. */
static const source *source_of(const char *path)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (ends_in(path, sources[i].ending))
            return &sources[i];
    return NULL;
}

/* Other files are skipped in a folder, but an error if `asked` for. */
static bool visit_file(const char *path, bool asked)
{
    const source *of = source_of(path);
    if (of != NULL)
        return carve(path, of);
    return !asked || fail(TOOL_EXIT_INPUT, path, "is not a *.etl, *.recipe or *.jsonl file");
}

static bool visit_inner(void *unused, const char *path)
{
    (void)unused;
    return visit_file(path, false);
}

static bool visit(const char *path)
{
    if (!tool_path_exists(path))
        return fail(TOOL_EXIT_INPUT, path, strerror(ENOENT));
    if (!tool_folder_here(path))
        return visit_file(path, true);
    if (!tool_folder_walk(path, visit_inner, NULL) && run.code == TOOL_EXIT_DONE)
        run.code = TOOL_EXIT_INPUT;
    return run.code == TOOL_EXIT_DONE;
}

static bool visit_all(const options *o)
{
    bool good = true;
    for (size_t i = 0; good && i < o->file_count; i++)
        good = tool_files_is_dash(o->files[i]) ? carve(o->files[i], &sources[0]) : visit(o->files[i]);
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

/* A target whose kind of input these files cannot give lacks nothing. */
static void report(const options *o)
{
    for (size_t i = 0; i < run.target_count; i++) {
        const target *t = &run.targets[i];
        if (!o->quiet)
            (void)printf("%-16s %6zu inputs\n", t->name, t->count);
        if (t->count == 0 && (run.inputs >> t->input & 1u) != 0)
            fail(EXIT_NOTHING, t->name, "no file has an input for this target");
    }
    for (size_t i = 0; i < o->file_count && run.inputs == 0; i++)
        fail(EXIT_NOTHING, o->files[i], "has no *.etl, *.recipe or *.jsonl file");
    if (fflush(stdout) != 0)
        fail(TOOL_EXIT_OUTPUT, "standard output", strerror(errno));
}

/* Options. */

enum { OPTION_TARGETS, OPTION_OUTPUT, OPTION_QUIET };

static const tool_option options_table[] = {
    {"targets", 0, TOOL_ANY_VALUE, OPTION_TARGETS},
    {"output", 'o', TOOL_ANY_VALUE, OPTION_OUTPUT},
    {"quiet", 0, NULL, OPTION_QUIET},
    {NULL, 0, NULL, 0},
};

static void read_option(options *o, int id, const char *value)
{
    switch (id) {
    case OPTION_TARGETS: o->targets = value; break;
    case OPTION_OUTPUT: o->folder = value; break;
    default: o->quiet = true; break;
    }
}

static tool_exit usage(const char *message, const char *about)
{
    return tool_usage("carve", message, about);
}

static tool_exit check_options(const options *o)
{
    size_t dashes = 0;
    for (size_t i = 0; i < o->file_count; i++)
        dashes += tool_files_is_dash(o->files[i]);
    if (o->file_count == 0)
        return usage("FILE is missing", NULL);
    if (o->folder == NULL)
        return usage("-o DIR is missing", NULL);
    if (dashes > 1)
        return usage("standard input can be read only once", "-");
    return TOOL_EXIT_DONE;
}

static tool_exit carve_all(const options *o)
{
    run.folder = o->folder;
    if (find_targets(o->targets) && make_folders() && carve_layouts(take, NULL) && visit_all(o))
        report(o);
    return run.code;
}

int main(int argc, char **argv)
{
    options o = {0};
    tool_options read;
    if (argc < 2) {
        (void)fputs(help, stderr);
        return TOOL_EXIT_USAGE;
    }
    tool_options_open(&read, "carve", argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&read)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return (int)read.exit;
        read_option(&o, id, read.value);
    }
    o.files = read.arguments;
    o.file_count = (size_t)read.files;
    const tool_exit code = check_options(&o);
    return (int)(code != TOOL_EXIT_DONE ? code : carve_all(&o));
}
