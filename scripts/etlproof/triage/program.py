# SPDX-License-Identifier: Apache-2.0
"""The programs that triage runs inputs on: a fuzz target of a preset, or someone's parser."""
import collections
import contextlib
import copy
import os
import re
import shlex
import shutil
import tempfile

from etlproof import ROOT, failures
from etlproof.campaign import builds, targets
from etlproof.campaign.children import end_with_parent
from etlproof.campaign.engines import INPUT_MEMORY, INPUT_SECONDS, input_limits
from runner import crash_reports, long_lived, one_shot, parser_under_test
from runner.atomic_file import write
from runner.failure import INPUT, Failure, read_bytes
from runner.limits import WINDOWS, Children, Limits

# `status`: exit status, None after a signal or a limit; `key`: that of the finding of parserfuzz's oracle.
Said = collections.namedtuple("Said", "status signal timed_out out_of_memory text seconds key", defaults=(None,))

TEXT_MAX = 64 << 10
# A wall-clock limit besides the target's own timeout, which prints a stack: in case that fails.
GRACE = 30
# The time of a run where many inputs hang: see in_less_time.
SHORT = 2
# Parsers have the limits of conformance/run.
PARSER_SECONDS, PARSER_MEMORY = 10.0, 1 << 30
PLAIN_HINT = "; with --plain only exit status, signal, time and memory count"

# Options for better reports, by preset. Without an engine that handles signals, the sanitizer prints a stack for abort().
_SANITIZED = {"ETLPROOF_STACK": "1", "UBSAN_OPTIONS": "print_stacktrace=1"}
_ENVIRONMENT = {"libfuzzer": _SANITIZED, "libfuzzer-msan": {"ETLPROOF_STACK": "1"},
                "asan-ubsan": {**_SANITIZED, "ASAN_OPTIONS": "handle_abort=2"},
                "afl-asan": {**_SANITIZED, "ASAN_OPTIONS": "handle_abort=2"},
                "msan": {"ETLPROOF_STACK": "1", "MSAN_OPTIONS": "handle_abort=2"}}
# Breakpoints: a broken promise, a sanitizer's report, and any other way to end the process.
_STOPS = ("oracle_break", "__sanitizer::Die", "abort")


def symbolizer():
    """The path of llvm-symbolizer in any version; None if it is missing: stacks then lack names."""
    found = shutil.which("llvm-symbolizer")
    for version in range(30, 10, -1):
        found = found or shutil.which(f"llvm-symbolizer-{version}")
    return found


def _said(output, key=None):
    status = output.status
    over = output.over[0] if output.over else None
    ended = over is None and status is not None and status < 0
    return Said(None if over or ended else status, -status if ended else None, over == "hang", over == "oom",
                _text(output.stderr), output.seconds, key)


def _text(stderr):
    """Both ends of the output: a sanitizer's report starts it, and that of an uncaught exception ends it."""
    return crash_reports.head_and_tail(stderr.decode("utf-8", "replace").replace("\r\n", "\n"), TEXT_MAX)


def _lines(*parts):
    return "\n".join(part for part in parts if part)


class Subject:
    """`name` for people; `target` or `parser` is None. `keep_running` lets another thread stop the program."""

    target = parser = preset = None
    replay = None  # the target without an engine, if it is not built in the tree
    accepts = (0,)  # exit statuses that are not failures
    alone = False  # one file at a time

    def __init__(self, name, limits, children=None):
        self.name, self.limits = name, limits
        self.children = children or Children()

    def close(self):
        """Closes the subject: no input is run on it afterwards."""

    def blind_to(self, bucket):
        """Why an input of the bucket record may pass here although the bug exists; None if it cannot."""
        if bucket["preset"] != self.preset:
            return f"passes under {self.preset}; the bug is of {bucket['preset']}"
        return None

    def in_less_time(self):
        """The same program with a short time limit: for many runs of an input that hangs."""
        short = copy.copy(self)
        short.limits = Limits(min(SHORT, self.limits.wall), min(SHORT, self.limits.cpu), self.limits.memory)
        return short

    def _run(self, command, limits=None, **popen):
        if not WINDOWS:
            popen["preexec_fn"] = end_with_parent()
        return one_shot.run_process(command, limits or self.limits, self.children, **popen)


class Target(Subject):
    """A fuzz target; `program` replaces the one that the preset builds, and `replay` the same without an engine."""

    def __init__(self, target, preset="libfuzzer", program=None, seconds=INPUT_SECONDS, children=None, replay=None):
        super().__init__(target, Limits(seconds + GRACE, seconds + GRACE, (INPUT_MEMORY + 1024) << 20), children)
        self.target, self.preset, self.seconds, self.replay = target, preset, seconds, replay
        self.program = program or builds.target_path(preset, targets.find(target))
        self._has_engine = preset.startswith("libfuzzer")
        if not self._has_engine:
            self.limits = Limits(seconds, seconds, INPUT_MEMORY << 20)

    def in_less_time(self):
        """An engine has a time limit of its own, at which it prints a stack."""
        short = super().in_less_time()
        if self._has_engine:
            short.seconds, short.limits = min(SHORT, self.seconds), self.limits
        return short

    def build(self, log):
        builds.build(self.preset, self.target, log)

    def check(self):
        if not os.access(self.program, os.X_OK):
            raise Failure(INPUT, f"{self.program}: not built; leave out --no-build")

    def _environment(self):
        environment = dict(_ENVIRONMENT.get(self.preset, {}))
        path = symbolizer()
        if environment and path and os.path.basename(path) != "llvm-symbolizer":
            environment.update(ASAN_SYMBOLIZER_PATH=path, MSAN_SYMBOLIZER_PATH=path)
        return environment

    def _command(self, *paths):
        options = input_limits(self.seconds) if self._has_engine else []
        return [self.program, *options, *paths]

    def run(self, *paths):
        """Runs the inputs one after the other, until one fails."""
        environment = {**os.environ, **self._environment()}
        with tempfile.TemporaryDirectory() as folder:
            command = self._command(*map(os.path.abspath, paths))
            if self._has_engine:
                command.insert(1, f"-artifact_prefix={folder}{os.sep}")
            return _said(self._run(command, env=environment))

    def commands(self, path):
        """Shell lines: one to reproduce the failure, one to debug it under the same conditions."""
        words = [_here(word) for word in self._command(path)]
        environment = [f"{name}={value}" for name, value in self._environment().items()]
        steps = ["set breakpoint pending on", *(f"break {name}" for name in _STOPS), "run"]
        stops = [word for step in steps for word in ("-ex", step)]
        return {"reproduce": shlex.join([*environment, *words]), "debug": shlex.join(["gdb", *stops, "--args", *words])}


def _here(word):
    """Paths of the tree relative to the current folder."""
    return word[len(ROOT) + 1:] if word.startswith(ROOT + os.sep) else word


@contextlib.contextmanager
def _copy_of(path):
    """A vector with a copy of the file: a parser may change or remove its input."""
    name = os.path.basename(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, name)
        write(copy, read_bytes(path))
        yield {"id": name, "path": copy}


class Parser(Subject):
    """Another parser, an adapter.Parser, judged by exit status and output. If it prints records, they are compared with the
    reference decode as in scripts/fuzz-parser: `pair` runs both; None for a parser without records. A long-lived parser is
    restarted for each file, so that a crash is due to that file."""

    def __init__(self, command, name=None, limits=None, children=None):
        self.parser = name or re.sub(r"\.(exe|py)$", "", os.path.basename(_program(command.command)))
        super().__init__(self.parser, limits or Limits(PARSER_SECONDS, PARSER_SECONDS, PARSER_MEMORY), children)
        self.command = command
        self.stays = command.mode == "long-lived"
        self.is_named = name is not None
        self.pair = None
        self.accepts = (0, 1)  # accept and reject, unless the description lists others

    def check(self):
        program = self.command.command[0]
        if shutil.which(program) is None:
            raise Failure(INPUT, f"{program}: the parser cannot be started: not found")

    def describe(self):
        """Whether the parser answers --describe. A wrong or late answer is an error, since such a parser would otherwise
        seem to have no bugs; a command that gives no answer at all has no description."""
        try:
            if self.stays:
                long_lived.ask_description(self.command, self.limits, self.children)
            elif self.command.description is None:
                one_shot.ask_description(self.command, self.limits, self.children)
        except one_shot.NotDescribed:
            return False
        except Failure as failure:
            if self.stays or isinstance(failure, parser_under_test.CannotStart):
                raise
            raise Failure(failure.code, f"{failure}{PLAIN_HINT}") from failure
        self.accepts = (0,) if self.stays else (0, *self.command.reject_codes())  # long-lived: rejects in its answers
        if not self.is_named:
            self.name = self.parser = self.command.description["name"]
        return True

    def compare_with_reference(self, job):
        """From now on, records are compared too. `job` is that of scripts/fuzz-parser for the same parser."""
        self.pair, self.alone = job.ready_pair(), True

    def close(self):
        if self.pair:
            self.pair.close()

    def blind_to(self, bucket):
        if self.pair is None and failures.is_by_comparison(bucket):
            return "passes without the comparison with the reference decode, which showed the bug"
        if bucket["what"] in [f"exit-{status}" for status in self.accepts]:
            return "passes where its exit status is no failure"
        return super().blind_to(bucket)

    def run(self, path):
        return self._ask(path) if self.stays else self._start(path)

    def _start(self, path):
        """How the parser ended; if that is no failure, the result of the comparison."""
        with _copy_of(path) as vector:
            said = _said(self._run(self.command.for_vector(vector)))
        if self.pair is None or said.timed_out or said.out_of_memory or said.signal:
            return said
        result = self._result(path)
        return said._replace(key=result["key"], text=_lines(result["detail"], said.text))

    def _result(self, path):
        with _copy_of(path) as vector:
            _, result = self.pair.result_alone(vector["id"], vector["path"])
        return result

    def _ask(self, path):
        """The result of the comparison; if the parser died, how it ended."""
        result = self._result(path)
        verdict = result["verdict"]
        if verdict != "crash":
            return Said(0, None, verdict == "hang", verdict == "oom", _lines(result["detail"], result.get("stderr", "")),
                        result["seconds"], result["key"])
        with _copy_of(path) as vector, tempfile.TemporaryFile() as requests:
            requests.write("".join(request + "\n" for request in self.command.requests(vector)).encode())
            requests.seek(0)
            return _said(self._run(self.command.command, self.limits.to_start(), stdin=requests), result["key"])

    def commands(self, path):
        if self.stays:
            return {"reproduce": self.command.reproduce({"id": os.path.basename(path), "path": path}), "debug": None}
        words = self.command.for_file(path)
        debug = None if WINDOWS else ["gdb", "--args", *words]
        if re.match(r"python[\d.]*(\.exe)?$", os.path.basename(words[0])):
            debug = [words[0], "-m", "pdb", *words[1:]]
        return {"reproduce": parser_under_test.shell_line(words), "debug": debug and parser_under_test.shell_line(debug)}


def _program(words):
    """The word that names a command: in `python3 reader.py {file}` the second."""
    interpreted = re.match(r"(python|ruby|perl|node|java|wine|sh|bash)[\d.]*(\.exe)?$", os.path.basename(words[0]))
    plain = [word for word in words[1:] if not word.startswith("-") and "{file}" not in word]
    return plain[0] if interpreted and plain else words[0]
