# SPDX-License-Identifier: Apache-2.0
"""Builds fuzz targets of the tree, and of the tree with a planted bug: only the changed files are compiled again."""
import json
import os
import re
import shlex
import shutil
import subprocess

from etlproof.campaign import machine
from runner.failure import INPUT, Failure

# The source of libFuzzer's hooks for the mutator, which targets with a mutator are linked with.
MUTATOR = "harness/engine/libfuzzer_mutator.c"


def run(command, folder=None):
    """The output of a command that has to succeed."""
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              encoding="utf-8", errors="replace")
    except OSError as error:
        raise Failure(INPUT, f"{command[0]}: cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise Failure(INPUT, f"{shlex.join(command)} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def own_commands(commands, root):
    """The compiler command of each source, from CMake. A source that a program of another folder compiles too has a second
    command, with an object outside its own folder and other flags (no sanitizers): that one is skipped."""
    return {os.path.relpath(entry["file"], root): entry for entry in commands if "/__/" not in entry["command"]}


def check(preset):
    """Raises, before anything is built, if a tool for building is missing."""
    machine.check_engine("afl" if preset.startswith("afl") else "libfuzzer")


class Base:
    """All targets of the unchanged tree, built as a preset says, in a folder of their own."""

    def __init__(self, root, folder, names, jobs, preset="libfuzzer"):
        self.root, self.folder = root, folder
        check(preset)
        run(["cmake", "--preset", preset, "-B", folder], root)
        run(["cmake", "--build", folder, "-j", str(jobs), "--target", *names], root)
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
        self._compile = own_commands(commands, root)
        self._link = {name: self._link_command(name) for name in names}
        self._users = self._find_users()

    def program(self, target):
        return os.path.join(self.folder, "harness", target)

    def dictionary(self, target):
        """The path of the target's dictionary, None if it has none."""
        path = self.program(target) + ".dict"
        return path if os.path.exists(path) else None

    def has_mutator(self, target):
        """Whether the target brings a mutator of its own."""
        return any(word.endswith(f"{os.path.basename(MUTATOR)}.o") for word in self._link[target])

    def seeds(self):
        """The folder of the seeds that the build makes, with one folder for each target; None if it makes none."""
        help_text = run(["cmake", "--build", self.folder, "--target", "help"])
        if "etlproof_seeds:" not in help_text:
            return None
        run(["cmake", "--build", self.folder, "--target", "etlproof_seeds"])
        return os.path.join(self.folder, "corpus", "seeds")

    def _link_command(self, name):
        line = run(["ninja", "-C", self.folder, "-t", "commands", os.path.join("harness", name)]).strip().split("\n")[-1]
        words = shlex.split(line)
        return [word for word in words if word not in (":", "&&")]

    def _find_users(self):
        """By header, the sources of the library that include it."""
        users, source = {}, None
        library = re.compile(r"decoder/CMakeFiles/etlproof\.dir/((?:src|memory|recover)/[a-z_]+\.c)\.o: ")
        for line in run(["ninja", "-C", self.folder, "-t", "deps"]).split("\n"):
            if not line.startswith(" "):
                found = library.match(line)
                source = f"decoder/{found.group(1)}" if found else None
            elif source:
                header = os.path.relpath(os.path.join(self.folder, line.strip()), self.root)
                users.setdefault(header, set()).add(source)
        return users

    def sources_of(self, files):
        """The sources that must be compiled again when these files change."""
        sources = set()
        for file in files:
            sources |= {file} if file.endswith(".c") else self._users.get(file, set())
        return sorted(sources)

    def compile(self, source, tree, target):
        """Compiles a source of another tree with the command of the same source in this tree."""
        entry = self._compile.get(source)
        if entry is None:
            raise Failure(INPUT, f"{source}: is not a source of this tree")
        here, there = os.path.join(self.root, "decoder"), os.path.join(tree, "decoder")
        words = [word.replace(here, there) for word in shlex.split(entry["command"])]
        words[words.index("-o") + 1] = target
        run(words, self.folder)

    def link(self, name, objects, program):
        """Links a target with these objects before the library, so that they replace the library's own. The mutator has a
        decoder without the bug (harness/mutator/CMakeLists.txt), so only the target can fail."""
        words = list(self._link[name])
        at = words.index("-o")
        words[at + 1] = program
        words[at + 2:at + 2] = objects
        run(words, self.folder)


def apply_patch(patch, folder, *options):
    """Applies a patch to the tree in a folder; "--dry-run" among the options only tries it."""
    said = run(["patch", "-p1", "--batch", *options, "-i", patch.path], folder)
    if "fuzz" in said:
        raise Failure(INPUT, f"{patch.path}: applies only with fuzz: {said.strip()}")


class Planted:
    """A copy of the decoder with one bug, and the targets built from it."""

    def __init__(self, base, patch, folder):
        self.base, self.patch, self.folder = base, patch, folder
        self._objects = None

    def _compile(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        shutil.copytree(os.path.join(self.base.root, "decoder"), os.path.join(self.folder, "decoder"))
        apply_patch(self.patch, self.folder)
        objects = []
        for source in self.base.sources_of(self.patch.files):
            objects.append(os.path.join(self.folder, os.path.basename(source) + ".o"))
            self.base.compile(source, self.folder, objects[-1])
        return objects

    def program(self, target):
        """The path of a target with the bug, built on the first call."""
        if self._objects is None:
            self._objects = self._compile()
        program = os.path.join(self.folder, target)
        if not os.path.exists(program):
            self.base.link(target, self._objects, program)
        return program

    def fresh(self, target):
        """The same, but a program of an earlier run is used if it is newer than the unchanged target."""
        path = os.path.join(self.folder, target)
        if os.path.exists(path) and os.path.getmtime(path) > os.path.getmtime(self.base.program(target)):
            return path
        return self.program(target)

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
