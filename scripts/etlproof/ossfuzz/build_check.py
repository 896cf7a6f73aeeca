# SPDX-License-Identifier: Apache-2.0
"""Checks a folder of built fuzz targets, as OSS-Fuzz does."""
import configparser
import os
import re
import subprocess
import tempfile
import zipfile

# The limits of OSS-Fuzz's own check of builds.
RUNS = 4
FEWEST_EDGES = 100
FEWEST_CALLS = {"address": ("asan", 1000), "memory": ("msan", 1000), "undefined": ("ubsan", 168)}
MOST_CALLS = {"asan": 0, "msan": 3, "ubsan": 200}  # in a build of another sanitizer

# Libraries in the runner's image: the C library. libstdc++ replaces libc++, which the builder's image links statically.
LIBRARIES = re.compile(r"(linux-vdso|ld-linux[-\w]*|libc|libm|libpthread|libdl|librt|libresolv|libgcc_s|libstdc\+\+)\.so")

TIMEOUT = 300  # seconds for a run over the seeds


class Fault(Exception):
    """Why OSS-Fuzz would reject a target, or could not use it."""


class Built:
    """A target in OUT, and its files."""

    def __init__(self, out, target):
        self.target = target
        self.path = os.path.join(out, target.name)
        self.corpus = self.path + "_seed_corpus.zip"
        self.dictionary = self.path + ".dict"
        self.options = self.path + ".options"

    def run(self, *arguments):
        """Status and output of a run in a temporary folder, which takes the artifacts of a crash."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run([self.path, *arguments], cwd=folder, stdin=subprocess.DEVNULL, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT,
                                      env={**os.environ, "UBSAN_OPTIONS": "silence_unsigned_overflow=1"})
            except subprocess.TimeoutExpired as error:
                raise Fault(f"{' '.join(arguments)}: not finished after {TIMEOUT} s") from error
            except OSError as error:
                raise Fault(f"cannot be run: {error.strerror}") from error
        return done.returncode, done.stdout.decode("utf-8", "replace")


def last_lines(output, count=8):
    return "".join(f"\n    {line}" for line in output.strip().splitlines()[-count:])


def covered(output):
    """Edges covered, as libFuzzer prints them at the end of a run."""
    found = re.findall(r"\bcov: (\d+)", output)
    return int(found[-1]) if found else 0


def check_present(built):
    if not os.path.isfile(built.path):
        raise Fault("is not in OUT")
    if not os.access(built.path, os.X_OK):
        raise Fault("is not executable")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", built.target.name):
        raise Fault("has a name of other characters than letters, digits, _ and -")


def check_start(built):
    """Checks that the target starts and has coverage: libFuzzer counts the instrumented edges."""
    status, output = built.run("-seed=1337", f"-runs={RUNS}")
    if "no interesting inputs were found" in output:
        raise Fault("has no coverage instrumentation: it was compiled without CFLAGS")
    if status != 0 or f"Done {RUNS} runs" not in output:
        raise Fault(f"does not start, or exits early (status {status}):{last_lines(output)}")
    edges = re.search(r"INFO: Loaded \d+ modules? +\((\d+) (?:inline 8-bit counters|guards)", output)
    edges = int(edges.group(1)) if edges else 0
    if edges < FEWEST_EDGES:
        raise Fault(f"has only {edges} edges with coverage instrumentation; OSS-Fuzz wants {FEWEST_EDGES}")
    return edges


def calls_in(path):
    """The number of calls of each sanitizer's runtime."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, check=True)
    found = re.findall(rb"\bcallq?\s+[0-9a-f]+\s+<__(asan|msan|ubsan)", done.stdout)
    return {name: found.count(name.encode()) for name in MOST_CALLS}


def check_sanitizer(built, sanitizer):
    calls, (wanted, fewest) = calls_in(built.path), FEWEST_CALLS[sanitizer]
    if calls[wanted] < fewest:
        raise Fault(f"was not built with the sanitizer `{sanitizer}`: {calls[wanted]} calls of its runtime, "
                    f"{fewest} are the fewest")
    for name, most in MOST_CALLS.items():
        if name != wanted and calls[name] > most:
            raise Fault(f"was built with {name} too: {calls[name]} calls of its runtime, at most {most} go with "
                        f"the sanitizer `{sanitizer}`")


def check_libraries(built):
    done = subprocess.run(["ldd", built.path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if "not a dynamic executable" in done.stdout:
        return
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    strange = [name for name in names if not LIBRARIES.match(os.path.basename(name))]
    if strange:
        raise Fault(f"needs shared libraries that a runner does not have: {', '.join(strange)}")


def read_corpus(built):
    if not os.path.isfile(built.corpus):
        raise Fault("has no seed corpus: _seed_corpus.zip is missing")
    try:
        with zipfile.ZipFile(built.corpus) as archive:
            damaged = archive.testzip()
            if damaged:
                raise Fault(f"seed corpus: {damaged} is damaged")
            seeds = {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}
    except (zipfile.BadZipFile, OSError) as error:
        raise Fault(f"seed corpus: not a zip file: {error}") from error
    if not seeds:
        raise Fault("seed corpus: empty")
    large = [name for name, data in seeds.items() if len(data) > built.target.most]
    if large:
        raise Fault(f"seed corpus: {large[0]} has more than the {built.target.most} bytes of harness/targets.tsv")
    return seeds


def check_corpus(built, least):
    """Checks that no seed crashes, and that the seeds cover more than an engine covers at once from nothing."""
    seeds = read_corpus(built)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds.values()):
            with open(os.path.join(folder, str(number)), "wb") as file:
                file.write(data)
        status, output = built.run("-runs=0", f"-max_len={built.target.most}", folder)
    if status != 0:
        raise Fault(f"fails on its seed corpus (status {status}):{last_lines(output)}")
    without = covered(built.run("-runs=0")[1])
    with_seeds = covered(output)
    if with_seeds < least or with_seeds <= without:
        raise Fault(f"seed corpus: covers {with_seeds} edges, {without} are covered without it; {least} are the least")
    return len(seeds), with_seeds


def check_dictionary(built):
    """Checks the dictionary; targets of text and of numbers need none."""
    if not os.path.isfile(built.dictionary):
        return None
    status, output = built.run("-runs=0", f"-dict={built.dictionary}")
    found = re.search(r"^Dictionary: (\d+) entries", output, flags=re.M)
    if status != 0 or not found or found.group(1) == "0":
        raise Fault(f"dictionary: does not parse:{last_lines(output, 3)}")
    return int(found.group(1))


def known_options(built):
    return set(re.findall(r"^ (\w+)\s*\t", built.run("-help=1")[1], flags=re.M))


def check_options(built):
    if not os.path.isfile(built.options):
        raise Fault("has no options: .options is missing")
    parser = configparser.ConfigParser()
    try:
        with open(built.options, encoding="utf-8") as file:
            parser.read_file(file)
        options = dict(parser["libfuzzer"])
    except (configparser.Error, KeyError, UnicodeDecodeError) as error:
        raise Fault(f"options: no section [libfuzzer] that can be read: {error}") from error
    strange = sorted(set(options) - known_options(built) - {"dict"})
    if strange:
        raise Fault(f"options: libFuzzer does not know {', '.join(strange)}")
    wrong = [name for name, value in options.items() if name != "dict" and not value.isdigit()]
    if wrong:
        raise Fault(f"options: {wrong[0]} = {options[wrong[0]]} is no number")
    if options.get("max_len") != str(built.target.most):
        raise Fault(f"options: max_len is {options.get('max_len')}; harness/targets.tsv says {built.target.most}")


def check_target(built, sanitizer, least):
    """Returns a line with the results; adds at most one fault of each check to `faults`."""
    faults, found = [], {}

    def attempt(name, check, *arguments):
        try:
            found[name] = check(built, *arguments)
        except Fault as fault:
            faults.append(f"{built.target.name}: {fault}")

    attempt("present", check_present)
    if not faults:
        attempt("edges", check_start)
        attempt("sanitizer", check_sanitizer, sanitizer)
        attempt("libraries", check_libraries)
        attempt("options", check_options)
        attempt("dictionary", check_dictionary)
    if not faults:
        attempt("corpus", check_corpus, least)
    if faults:
        return faults, None
    tokens = f"{found['dictionary']} tokens" if found["dictionary"] else "no dictionary"
    seeds, edges = found["corpus"]
    return faults, f"{built.target.name}: {seeds} seeds cover {edges} of {found['edges']} edges, {tokens}"


def check_strays(out, targets):
    """Finds files that look like a target's but are not: a name that was changed in one place only."""
    names = {target.name for target in targets}
    for entry in sorted(os.listdir(out)):
        stem = re.sub(r"(_seed_corpus\.zip|\.dict|\.options)$", "", entry)
        if stem not in names:
            yield f"{entry}: is of no target in harness/targets.tsv"


def check_out(out, targets, sanitizer, least):
    faults, lines = list(check_strays(out, targets)), []
    for target in targets:
        wrong, line = check_target(Built(out, target), sanitizer, least)
        faults += wrong
        lines += [line] if line else []
    return faults, lines
