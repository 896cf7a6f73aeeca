# SPDX-License-Identifier: Apache-2.0
"""The engines, libFuzzer and AFL++: how each is started on a target, and how its statistics are read."""
import contextlib
import os
import re
import signal
import subprocess

from etlproof import ROOT
from runner.limits import usage_of
from . import builds
from .children import end_marked, end_with_parent, marked

# Seconds and MiB of memory for one input: the time is hundreds of times that of the slowest seed.
INPUT_SECONDS = 25
INPUT_MEMORY = 4096
END_SECONDS = 10

# Switches off the checks of the machine at the start of the packaged AFL++; none of them matters here.
AFL_ENVIRONMENT = {"AFL_SKIP_CPUFREQ": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1", "AFL_NO_UI": "1",
                   "AFL_NO_COLOR": "1", "AFL_NO_AFFINITY": "1", "AFL_AUTORESUME": "1"}
# Minimisers run all checks on each input; afl-fuzz runs a share of them (engine/share.h).
AFL_MINIMISING = {**AFL_ENVIRONMENT, "AFL_ALLOW_TMP": "1", "ETLPROOF_SHARE": "off"}

# libFuzzer prefers inputs with rare features, and by default keeps an account of 100 of them for each input, up to 255
# executions each: a fifth of the time of a session here. With these values it finds as much for each second, or more.
RARE_FEATURES = ["-entropic_number_of_rarest_features=10", "-entropic_feature_frequency_threshold=16"]


def input_limits(seconds=INPUT_SECONDS):
    """The options of libFuzzer that set limits, for fuzzing and for running inputs again: findings depend on them."""
    return [f"-timeout={seconds}", f"-rss_limit_mb={INPUT_MEMORY}"]


class Engine:
    """One process. `folder` is that of the campaign, `plan` the requested Plan."""

    preset = None  # of the target
    extra_builds = ()  # (preset, CMake target) besides it
    popen: dict = {"cwd": ROOT}  # more for subprocess.Popen

    def __init__(self, target, plan, folder, name):
        self.target, self.plan, self.folder, self.name = target, plan, folder, name
        self.log = os.path.join(folder, name + ".log")
        self.process = None
        self._mark = os.path.join(folder, name)

    def binary(self):
        return builds.target_path(self.preset, self.target)

    def forget_said(self):
        """Removes the output of an earlier campaign, which would be mistaken for output of this one."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.log)

    def start(self, seconds):
        environment = {**os.environ, **self.environment(), **marked(self._mark)}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command(seconds), env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, preexec_fn=end_with_parent(), **self.popen)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def how_ended(self):
        """How an engine that is not alive ended, in words."""
        code = self.process.returncode
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"

    def used(self):
        """Seconds of processor time so far, of a running engine and of the processes that it started."""
        return usage_of(self.process.pid)[0]

    def interrupt(self):
        """Interrupts the engine like Ctrl-C: libFuzzer then prints its totals before it exits."""
        self.stop(signal.SIGINT)

    def stop(self, number=signal.SIGTERM):
        if self.alive():
            self._end(number)
        self.end_left()

    def _end(self, number):
        self.process.send_signal(number)
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def end_left(self):
        """Kills the processes that the engine left, also in a campaign that was killed."""
        end_marked(self._mark)

    def log_end(self, lines=15):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:])

    def environment(self):
        return {}


class LibFuzzer(Engine):
    """libFuzzer, with the sanitizers of its preset. It exits at each finding and is restarted."""

    def __init__(self, target, plan, folder, name="libfuzzer"):
        super().__init__(target, plan, folder, name)
        self.preset = name
        self.corpus = os.path.join(folder, "corpus")

    def environment(self):
        return {} if self.plan.mutator else {"ETLPROOF_MUTATOR": "off"}

    def command(self, seconds):
        options = [f"-max_total_time={seconds}", *input_limits(), f"-max_len={self.plan.size}",
                   f"-report_slow_units={INPUT_SECONDS}", "-print_final_stats=1", "-print_funcs=0", "-use_value_profile=0",
                   *RARE_FEATURES, f"-artifact_prefix={os.path.join(self.folder, 'findings', '')}"]
        if self.plan.dictionary:
            options.append(f"-dict={self.plan.dictionary}")
        seeds = [self.plan.seeds] if self.plan.seeds else []
        return [self.binary(), *options, self.corpus, *seeds]

    def stats(self):
        """Executions over all starts; edges, features and inputs as the last line has them; None if it has none yet."""
        executions, last, found = 0, 0, {}
        with open(self.log, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("stat::number_of_executed_units:"):
                    executions, last = executions + int(line.split(":")[-1]), 0
                elif line.startswith("#") and (number := re.match(r"#(\d+)\s", line)):
                    last = int(number[1])
                    found.update(re.findall(r"\b(cov|ft|corp): (\d+)", line))
        total = None
        with open(self.log, encoding="utf-8", errors="replace") as file:
            if tables := re.search(r"Loaded \d+ PC tables \((\d+)", file.read(1 << 16)):
                total = int(tables[1])
        return {"executions": executions + last, "edges": _number(found.get("cov")), "edges_total": total,
                "features": _number(found.get("ft")), "corpus": _number(found.get("corp"))}


class Afl(Engine):
    """One instance of afl-fuzz. The first of a campaign is the main instance, which imports libFuzzer's corpus."""

    preset = "afl"
    extra_builds = (("release", "etlproof_mutator_afl"),)  # loaded by afl-fuzz itself, so not instrumented

    def __init__(self, target, plan, folder, name="main"):
        super().__init__(target, plan, folder, "afl-" + name)
        self.instance = name
        self._stats = os.path.join(folder, "afl", name, "fuzzer_stats")

    def environment(self):
        environment = dict(AFL_ENVIRONMENT)
        if self.plan.mutator:
            environment["AFL_CUSTOM_MUTATOR_LIBRARY"] = os.path.join(
                ROOT, "build", "release", "lib", "libetlproof-mutator-afl.so")
            environment["ETLPROOF_INPUT"] = self.target.input.lower()
        return environment

    def role(self):
        return ["-M", self.instance, "-F", os.path.join(self.folder, "corpus")]

    def command(self, seconds):
        options = ["-o", os.path.join(self.folder, "afl"), "-t", f"{INPUT_SECONDS}000+", "-m", "none",
                   "-G", str(self.plan.size), "-V", str(seconds)]
        if self.plan.dictionary:
            options += ["-x", self.plan.dictionary]
        return ["afl-fuzz", *self.role(), "-i", self.plan.start, *options, "--", self.binary()]

    def forget_said(self):
        """A resumed AFL++ continues its old counts."""
        super().forget_said()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._stats)

    def stats(self):
        if not os.path.exists(self._stats):
            return {"executions": 0, "edges": None, "edges_total": None, "features": None, "corpus": None}
        with open(self._stats, encoding="utf-8", errors="replace") as file:
            said = dict(re.findall(r"^(\w+) *: (\S+)", file.read(), re.M))
        return {"executions": _number(said.get("execs_done")) or 0, "edges": _number(said.get("edges_found")),
                "edges_total": _number(said.get("total_edges")), "features": None,
                "corpus": _number(said.get("corpus_count"))}


class AflSecondary(Afl):
    """A further instance with its own build: CmpLog learns the operands of comparisons, ASan detects memory errors that do
    not crash."""

    def __init__(self, target, plan, folder, name):
        super().__init__(target, plan, folder, name)
        self.preset = "afl-asan" if name == "asan" else "afl"
        self.extra_builds = ((("afl-cmplog", target.name),) if name == "cmplog" else ()) + Afl.extra_builds

    def role(self):
        role = ["-S", self.instance]
        if self.instance == "cmplog":
            role += ["-c", builds.target_path("afl-cmplog", self.target)]
        return role


def _number(text):
    return None if text is None else int(text)


# The configurations of a night: one engine, with the sanitizers in the name.
CONFIGURATIONS = ("libfuzzer", "afl", "libfuzzer-msan", "afl-cmplog", "afl-asan")


def engine_of(configuration, target, plan, folder):
    """The only process of a configuration."""
    if configuration.startswith("libfuzzer"):
        return LibFuzzer(target, plan, folder, configuration)
    return AflSecondary(target, plan, folder, configuration.removeprefix("afl").lstrip("-") or "plain")


def builds_of(configuration, target):
    """(preset, CMake target) of all that the configuration runs."""
    engine = engine_of(configuration, target, None, "")
    return {(engine.preset, target.name), *engine.extra_builds}


def engines_of(names, target, plan, folder, jobs):
    """The processes of a campaign: each engine once, then AFL++ secondaries while there are processors."""
    engines = [Afl(target, plan, folder) if name == "afl" else LibFuzzer(target, plan, folder, name) for name in names]
    if "afl" in names:
        for name in ("cmplog", "asan")[:max(0, jobs - len(engines))]:
            engines.append(AflSecondary(target, plan, folder, name))
    return engines
