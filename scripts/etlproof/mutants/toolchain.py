# SPDX-License-Identifier: Apache-2.0
"""Builds the host program from a copy of the tree, with one file changed."""
import os
import shutil
import subprocess

from runner.failure import INPUT, Failure
from .worlds import TRACES, WORLDS

_ROOMS = ("decoder", "conformance")
_INCLUDES = ("-Idecoder/include", "-Idecoder", "-Idecoder/src")


def copy_tree(root, folder):
    """Copies the sources of the host, and the vectors: the tree may change during the run."""
    for room in _ROOMS:
        shutil.copytree(os.path.join(root, room), os.path.join(folder, room),
                        ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(os.path.join(root, "CMakeLists.txt"), folder)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Toolchain:
    """A compiler with its flags, and the objects and host built with them from the unchanged sources."""

    def __init__(self, compiler, flags, tree, folder, sanitize=""):
        self.command = [compiler, "-std=c11", "-w", "-ffunction-sections", "-fdata-sections", *flags, *_INCLUDES]
        # The linker drops functions that the host does not call, so that changing them changes no byte of the program.
        self.link = [compiler, *flags, "-Wl,--gc-sections,--build-id=none"]
        self.tree, self.folder, self.sanitize = tree, folder, sanitize
        self.compiler = compiler
        self.objects = {}
        self.host = self.program = None

    def build(self):
        """Builds the host with CMake, and the objects of the decode path directly, as those of mutants are."""
        self._run(["cmake", "-S", self.tree, "-B", self.folder, "-G", "Ninja", f"-DCMAKE_C_COMPILER={self.compiler}",
                   "-DCMAKE_BUILD_TYPE=Release", f"-DETLPROOF_SANITIZE={self.sanitize}", "-DETLPROOF_TESTS=OFF",
                   "-DETLPROOF_HARNESS=OFF", "-DETLPROOF_WERROR=OFF"])
        self._run(["cmake", "--build", self.folder, "--target", "etlproof_host"])
        for source in self._sources():
            self.objects[source] = self.compile(self.tree, source)
            if self.objects[source] is None:
                raise Failure(INPUT, f"{source}: does not compile with {' '.join(self.command)}")
        self.host = self.link_host(self.folder, {})
        if self.host is None:
            raise Failure(INPUT, f"the host does not link with {' '.join(self.link)}")
        self.program = read_bytes(self.host)

    def _sources(self):
        return [os.path.join(world.sources, name) for world in WORLDS
                for name in sorted(os.listdir(os.path.join(self.tree, world.sources))) if name.endswith(".c")]

    @staticmethod
    def _run(command):
        try:
            done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
        except OSError as error:
            raise Failure(INPUT, f"{command[0]}: cannot be started: {error.strerror}") from error
        if done.returncode != 0:
            raise Failure(INPUT, f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")

    def compile(self, tree, source):
        """The bytes of the object; None if the source has errors. Other failures of the compiler, such as lack of memory,
        raise."""
        target = os.path.join(tree, os.path.basename(source) + ".o")
        done = subprocess.run([*self.command, "-c", source, "-o", target], cwd=tree, capture_output=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})
        if done.returncode == 0:
            return read_bytes(target)
        if done.returncode == 1 and b": error: " in done.stderr:
            return None
        said = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise Failure(INPUT, f"{source}: {self.compiler} failed with status {done.returncode} without an error in the "
                             f"source: {said}")

    def link_host(self, folder, changed):
        """The path of a host linked with the objects of `changed` (bytes by source) in place of its own; None if linking
        fails."""
        paths = []
        for source, data in (self.objects | changed).items():
            paths.append(os.path.join(folder, os.path.basename(source) + ".o"))
            with open(paths[-1], "wb") as file:
                file.write(data)
        own = os.path.join(self.folder, "conformance", "CMakeFiles", "etlproof_host.dir")
        rest = [os.path.join(own, "runner", "host.c.o"), os.path.join(own, "adapters", "etlproof", "shim.c.o"),
                *(os.path.join(self.folder, "decoder", "tool", f"libetlproof_{name}.a") for name in ("records", "command"))]
        target = os.path.join(folder, "host")
        done = subprocess.run([*self.link, *paths, *rest, "-lexpat", "-o", target], cwd=folder, capture_output=True,
                              check=False)
        return target if done.returncode == 0 else None

    def users(self):
        """For each file of the decode path, the sources that include it."""
        users = {}
        for source in self.objects:
            done = subprocess.run([*self.command, "-MM", source], cwd=self.tree, capture_output=True, check=True,
                                  encoding="utf-8")
            for name in done.stdout.replace("\\\n", " ").split(":", 1)[1].split():
                users.setdefault(os.path.normpath(name), []).append(source)
        return users


class Workshop:
    """A worker's copy of the decode path, in which one file at a time is changed."""

    def __init__(self, tree, folder):
        self.folder = folder
        for part in (os.path.join("decoder", "include"), TRACES.tables, *(world.sources for world in WORLDS)):
            shutil.copytree(os.path.join(tree, part), os.path.join(folder, part))
        self.tree = tree

    def objects(self, toolchain, mutant, sources):
        """The objects of `sources` with the mutant applied; None if one does not compile."""
        path = os.path.join(self.folder, mutant.file)
        text = read(path)
        write(path, mutant.apply(text))
        try:
            objects = {}
            for source in sources:
                objects[source] = toolchain.compile(self.folder, source)
                if objects[source] is None:
                    return None
            return objects
        finally:
            write(path, text)
