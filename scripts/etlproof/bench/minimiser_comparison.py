# SPDX-License-Identifier: Apache-2.0
"""Measures how small each minimiser makes crash inputs of planted bugs, and how fast."""
import collections
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from etlproof import ROOT
from etlproof.campaign.engines import AFL_MINIMISING, end_with_parent
from etlproof.planting import patches, planted_build
from etlproof.planting.planted_campaign import told_by
from runner import format_facts
from runner.failure import INPUT, OUTPUT, USAGE, Failure

# (bug, target): some of each kind of failure and of each kind of input.
BUGS = (("event-size-beyond-extent", "fuzz_file"), ("event-counter-mask", "fuzz_buffer"),
        ("item-stack-count", "fuzz_event"), ("traits-chunk-zero", "fuzz_event"),
        ("inflate-literals-past-input", "fuzz_file"), ("buffer-loss-unreported", "fuzz_buffer"),
        ("file-tail-dropped", "fuzz_file"), ("schema-size-trusted", "fuzz_items"), ("message-time-twice", "fuzz_event"),
        ("json-control-written", "fuzz_json"))
# The minimiser was tuned on the list above. This list was never used for tuning.
HELD_OUT = (("buffer-size-unbounded", "fuzz_stream"), ("buffer-saved-offset-trusted", "fuzz_buffer"),
            ("event-counters-trusted", "fuzz_event"), ("context-instance-by-minor", "fuzz_logfile"),
            ("inflate-copy-slop", "fuzz_inflate"), ("json-surrogate-written", "fuzz_json"),
            ("file-blank-run-over-header", "fuzz_stream"), ("logfile-names-without-end", "fuzz_logfile"),
            ("item-count-unbounded", "fuzz_items"), ("message-loss-unreported", "fuzz_buffer"))
PLAIN, LIBFUZZER, AFL = PRESETS = "asan-ubsan", "libfuzzer", "afl-asan"
# libFuzzer's minimiser mutates its input; with the target's mutator it knows the structure. It is measured with the
# mutator and without. `command` is a method of Bench.
Minimiser = collections.namedtuple("Minimiser", "name preset command")
MINIMISERS = (Minimiser("ours", PLAIN, "_ours"), Minimiser("libFuzzer + mutator", LIBFUZZER, "_libfuzzer"),
              Minimiser("libFuzzer alone", LIBFUZZER, "_libfuzzer_alone"), Minimiser("afl-tmin", AFL, "_afl"))

_ITEM_HEADER = format_facts.size_of("EXTENDED_DATA_ITEM")
_TOTAL_SIZE, _LINKAGE = (format_facts.member("EXTENDED_DATA_ITEM", name) for name in ("TotalSize", "Linkage"))
# Bytes of a truncated trace, of a row of events or items, and of the smallest input that fuzzing starts from.
CUT, ROW, LEAST = 65536, 7000, 4000
# Seconds of one campaign for a crash file, the number of campaigns, and the size of a crash file that ends the search.
SEARCH, SEARCHES, ENOUGH = 40, 5, 4096
# Seconds after which an input counts as hanging: all others are far faster.
HANG = 0.25
# Wall-clock limit, as a multiple of processor time: the machine may be shared.
PATIENCE = 20
_MEMORY_MB = 2048
_TICKS = os.sysconf("SC_CLK_TCK")
_SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=0"}

# `curve` has (seconds of processor time, bytes of the smallest file) each time that is smaller.
Made = collections.namedtuple("Made", "size seconds clock same curve")


# Processes

def _session(leader):
    """Seconds of processor time of all processes of a session, including those that they waited for."""
    total = 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            total += sum(map(int, fields[11:15]))
    return total / _TICKS


def _end(child):
    """Asks a minimiser to end: it then writes its smallest input."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def spend(command, seconds, environment=None, watch=lambda used: None):
    """Runs a command for at most so many seconds of processor time. Returns (processor seconds, wall-clock seconds,
    output). Calls `watch` repeatedly with the seconds so far."""
    begun, used = time.monotonic(), 0.0
    with tempfile.TemporaryFile() as said:
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                                     env={**os.environ, **_SANITIZERS, **(environment or {})}, preexec_fn=end_with_parent())
        except OSError as error:
            raise Failure(INPUT, f"{command[0]}: cannot be started: {error.strerror}") from error
        try:
            while child.poll() is None and used < seconds and time.monotonic() - begun < PATIENCE * seconds:
                time.sleep(0.05)
                used = max(used, _session(child.pid))
                watch(used)
        finally:
            _end(child)
        clock = time.monotonic() - begun
        said.seek(0)
        return used, clock, said.read().decode("utf-8", "replace")


# Large inputs

class Pool:
    """Inputs to fuzz from, DIR/TARGET/NAME."""

    def __init__(self, base, folder, samples):
        self.folder = folder
        if os.path.isdir(folder):
            return
        traces = sorted(glob.glob(os.path.join(samples, "*.etl")))
        if not traces:
            raise Failure(INPUT, f"{samples}: no traces found; name a folder of traces with --samples")
        cut = os.path.join(folder, "cut")
        os.makedirs(cut)
        for trace in traces:
            with open(trace, "rb") as file, open(os.path.join(cut, os.path.basename(trace)), "wb") as out:
                out.write(file.read(CUT))
        carve = os.path.join(base.folder, "bin", "etlproof-carve")
        planted_build.run(["cmake", "--build", base.folder, "--target", "etlproof_carve"])
        subprocess.run([carve, "--quiet", "--targets", os.path.join(ROOT, "harness", "targets.tsv"), "-o", folder, cut,
                        os.path.join(ROOT, "conformance", "golden")], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(cut)
        self._join("fuzz_event", _events)
        self._join("fuzz_items", _items)

    def _join(self, target, take):
        """Joins the rows of several inputs into one input with the context of the first."""
        folder = os.path.join(self.folder, target)
        parts = [_read(path) for path in sorted(glob.glob(os.path.join(folder, "*")))]
        for number in range(20):
            chance, row = random.Random(number), []
            while sum(map(len, row)) < ROW:
                row += take(chance.choice(parts)[8:])
            if target == "fuzz_items":
                _link(row)
            with open(os.path.join(folder, f"row-{number}"), "wb") as file:
                file.write(parts[0][:8] + b"".join(row))

    def large(self, target):
        paths = glob.glob(os.path.join(self.folder, target, "*"))
        return [path for path in paths if os.path.getsize(path) >= LEAST]


def _events(part):
    return [part + b"\0" * (-len(part) % 8)]


def _items(part):
    """Each EXTENDED_DATA_ITEM of a chain, split by its first member, the size."""
    items, at = [], 0
    while at + _ITEM_HEADER <= len(part):
        size = int.from_bytes(part[at:at + _ITEM_HEADER][_TOTAL_SIZE], "little")
        if size < _ITEM_HEADER or at + size > len(part):
            break
        items.append(bytearray(part[at:at + size]))
        at += size
    return items


def _link(items):
    """Sets bit 0 of Linkage, which states that another item follows."""
    for number, item in enumerate(items, 1):
        item[_LINKAGE.start] = item[_LINKAGE.start] & 0xFE | (number < len(items))


def _read(path):
    with open(path, "rb") as file:
        return file.read()


# The bench

def _smallest(folder):
    """(bytes, path) of the smallest complete file, or None. A file that is still being written is empty."""
    sizes = [(entry.stat().st_size, entry.path) for entry in os.scandir(folder) if not entry.name.endswith(".part")]
    return min([found for found in sizes if found[0]], default=None)


class Bench:
    def __init__(self, folder, samples, bugs, seconds, jobs):
        every = dict(BUGS + HELD_OUT)
        unknown = [name for name in bugs if name not in every]
        if unknown:
            raise Failure(USAGE, f"{unknown[0]}: no such bug in this benchmark; choose from: {', '.join(every)}")
        self.folder, self.samples, self.seconds, self.jobs = folder, samples, seconds, jobs
        self.bugs = [(name, every[name]) for name in bugs]
        self.patches = {patch.name: patch for patch in patches.load(os.path.join(ROOT, "harness", "planted"))}
        try:
            os.makedirs(os.path.join(folder, "crashes"), exist_ok=True)
        except OSError as error:
            raise Failure(OUTPUT, f"{folder}: cannot make the folder: {error.strerror}") from error

    def run(self):
        names = sorted({target for _, target in self.bugs})
        self.bases = {}
        for preset in PRESETS:
            planted_build.check(preset)
        for preset in PRESETS:
            print(f"building the targets with {preset}", file=sys.stderr, flush=True)
            self.bases[preset] = planted_build.Base(ROOT, os.path.join(self.folder, preset), names, self.jobs, preset)
        self.pool = Pool(self.bases[LIBFUZZER], os.path.join(self.folder, "pool"), self.samples)
        rows, before = [], []
        self._head()
        for name, target in self.bugs:
            crash, told = self._crash(name, target)
            rows.append([self._measure(minimiser, name, target, crash, told) for minimiser in MINIMISERS])
            before.append(os.path.getsize(crash))
            self._show(name, target, told, before[-1], rows[-1])
        self._foot(rows, before)

    def _program(self, preset, name, target):
        folder = os.path.join(self.folder, "bugs", preset, name)
        planted = planted_build.Planted(self.bases[preset], self.patches[name], folder)
        return planted.fresh(target)

    # Crash files

    def _crash(self, name, target):
        """(path, what detected the failure)"""
        path = os.path.join(self.folder, "crashes", name)
        program = self._program(LIBFUZZER, name, target)
        for seed in range(1, SEARCHES + 1):
            if os.path.exists(path) and (os.path.getsize(path) >= ENOUGH or seed == SEARCHES):
                break
            found = self._search(program, target, seed)
            if found and (not os.path.exists(path) or os.path.getsize(found) > os.path.getsize(path)):
                shutil.copyfile(found, path)
        if not os.path.exists(path):
            raise Failure(INPUT, f"{name}: no crash file found with {target}")
        return path, self._told(program, path)

    def _search(self, program, target, seed):
        work = os.path.join(self.folder, "work")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(os.path.join(work, "corpus"))
        spend([program, "-timeout=2", f"-rss_limit_mb={_MEMORY_MB}", f"-max_len={CUT}", "-len_control=0", f"-seed={seed}",
               f"-artifact_prefix={work}{os.sep}", os.path.join(work, "corpus"), self._start(target)], SEARCH)
        return next(iter(glob.glob(os.path.join(work, "*-*"))), None)

    def _start(self, target):
        start = os.path.join(self.folder, "work", "start")
        os.makedirs(start)
        for path in self.pool.large(target):
            shutil.copy(path, start)
        return start

    def _told(self, program, path):
        folder = os.path.join(self.folder, "work", "")
        os.makedirs(folder, exist_ok=True)
        _, _, said = spend([program, "-timeout=5", f"-rss_limit_mb={_MEMORY_MB}", "-artifact_prefix=" + folder, path], 60)
        return told_by(said)

    # Minimisers

    def _measure(self, minimiser, name, target, crash, told):
        program = self._program(minimiser.preset, name, target)
        work = os.path.join(self.folder, "made", minimiser.name.replace(" ", ""), name)  # libFuzzer does not quote blanks
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        command, environment = getattr(self, minimiser.command)(program, crash, work, told == "timeout")
        curve = []

        def watch(used):
            smallest = _smallest(work)
            if smallest and (not curve or smallest[0] < curve[-1][1]):
                curve.append((used, smallest[0]))

        used, clock, _ = spend(command, self.seconds, environment, watch)
        made = _smallest(work)
        if made is None:
            return Made(os.path.getsize(crash), used, clock, True, curve)
        same = self._told(self._program(LIBFUZZER, name, target), made[1]) == told
        return Made(made[0], used, clock, same, curve)

    def _ours(self, program, crash, work, hangs):
        command = [program, "--trim", crash, "-o", os.path.join(work, "made"), "--minimiser",
                   os.path.join(self.bases[PLAIN].folder, "harness", "etlproof-minimiser")]
        return command + (["--timeout", str(HANG)] if hangs else []), {}

    def _libfuzzer(self, program, crash, work, hangs):
        return [program, "-minimize_crash=1", f"-max_total_time={self.seconds}", f"-timeout={1 if hangs else 5}",
                f"-rss_limit_mb={_MEMORY_MB}", f"-artifact_prefix={work}{os.sep}", crash], {
                    # As with the others, do not spend time on symbol names that nobody reads.
                    "ASAN_OPTIONS": "detect_leaks=0:symbolize=0"}

    def _libfuzzer_alone(self, program, crash, work, hangs):
        command, environment = self._libfuzzer(program, crash, work, hangs)
        return command, {**environment, "ETLPROOF_MUTATOR": "off"}

    def _afl(self, program, crash, work, hangs):
        limit = ["-H", "-t", str(int(HANG * 1000))] if hangs else ["-t", "5000"]
        command = [shutil.which("afl-tmin") or "afl-tmin", "-i", crash, "-o", os.path.join(work, "made"), *limit,
                   "-m", "none", "--", program]
        return command, {**AFL_MINIMISING,
                         "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1",
                         "UBSAN_OPTIONS": "abort_on_error=1:halt_on_error=1:print_stacktrace=0"}

    # The table

    def _head(self):
        names = "".join(f"  {one.name:>21}" for one in MINIMISERS)
        print(f"{'':42} {'bytes':>7}{names}  {'libFuzzer + mutator':>20}")
        columns = "  ".join(f"{'bytes':>9} {'processor':>11}" for _ in MINIMISERS)
        print(f"{'bug, target, failure':42} {'before':>7}  {columns}  {'in our time':>20}", flush=True)

    def _show(self, name, target, told, before, row):
        print(f"{name + ' ' + target:42} {before:>7}  " +
              "  ".join(f"{str(made.size) + ('' if made.same else '!'):>9} {made.seconds:>9.1f} s" for made in row) +
              f"  {so_soon(row, before):>20}  {told}", flush=True)

    def _foot(self, rows, before):
        for column, one in enumerate(MINIMISERS):
            made = [row[column] for row in rows]
            size, seconds = sum(each.size for each in made), sum(each.seconds for each in made)
            print(f"{one.name}: {size} bytes and {seconds:.0f} s in total; "
                  f"{sum(not each.same for each in made)} fail in another way (!)"
                  f"{_beside([row[0] for row in rows], made) if column else ''}")
        soon = sum(so_soon(*both) for both in zip(rows, before))
        print(f"libFuzzer + mutator, in the processor time that ours takes to its smallest input: {soon} bytes in total")


def _beside(ours, theirs):
    """The number of bugs on which our input is smaller than that of another minimiser."""
    pairs = [(a.size, b.size) for a, b in zip(ours, theirs)]
    return (f"; ours is smaller on {sum(a < b for a, b in pairs)}, as large on {sum(a == b for a, b in pairs)}, "
            f"larger on {sum(a > b for a, b in pairs)}")


def so_soon(row, before):
    """The size that libFuzzer with the mutator had reached in the processor time that ours took to reach its smallest."""
    ours, theirs = row[0], row[1]
    until = ours.curve[-1][0] if ours.curve else ours.seconds
    return min([size for used, size in theirs.curve if used <= until], default=before)
