# SPDX-License-Identifier: Apache-2.0
"""Runs all that counts as coverage: the unit tests, the tests of the command, the vectors and the real traces."""
import glob
import json
import os
import shutil
import subprocess
import tempfile

from etlproof import ROOT
from runner.failure import INPUT, Failure

FOLDERS = ("src", "memory", "recover")
# Tests whose programs have the library. The host of conformance/run is killed at its end, and then leaves no profile.
TESTS = "unit|command|samples"
# These read the vectors, each as a whole: the findings and the recovery of each.
TARGETS = ("fuzz_recover", "fuzz_layout")


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                          check=False, cwd=ROOT, **more)
    return done.returncode, done.stdout


def need(*words, **more):
    code, said = run(*words, **more)
    if code != 0:
        raise Failure(INPUT, f"{' '.join(words[:4])} … failed: {said[-2000:]}")


def in_library(path):
    path = os.path.relpath(os.path.normpath(path), os.path.join(ROOT, "decoder"))
    return path if path.split(os.sep)[0] in FOLDERS else None


class Runs:
    """The runs of a build with coverage: the name of a preset, and what its version of LLVM adds to the names of tools."""

    def __init__(self, preset, suffix=""):
        self.preset = preset
        self.build = os.path.join(ROOT, "build", preset)
        self.profiles = os.path.join(self.build, "profiles")
        self.cov, self.profdata = f"llvm-cov{suffix}", f"llvm-profdata{suffix}"
        for tool in (self.cov, self.profdata):
            if shutil.which(tool) is None:
                raise Failure(INPUT, f"{tool} is not installed (scripts/bootstrap nightly matrix)")

    def execute(self):
        """Builds and runs all that counts. Profiles of programs are merged as they end."""
        need("cmake", "--preset", self.preset)
        need("cmake", "--build", self.build)
        shutil.rmtree(self.profiles, ignore_errors=True)
        counted = {**os.environ, "LLVM_PROFILE_FILE": os.path.join(self.profiles, "%m.profraw")}
        for chosen in (("-L", TESTS), ("-R", "^conformance-layout$")):
            need("ctest", "--test-dir", self.build, "--output-on-failure", *chosen, "-j", str(os.cpu_count()), env=counted)
        tool = os.path.join(self.build, "bin", "etlproof")
        for folder in glob.glob(os.path.join(ROOT, "corpus", "regressions", "*")):
            if os.path.basename(folder) in TARGETS:
                need(os.path.join(self.build, "harness", os.path.basename(folder)), folder, env=counted)
        with tempfile.TemporaryDirectory() as vectors:
            for kind in ("recipes", "recipes-large"):
                into = os.path.join(vectors, kind)
                recipes = glob.glob(os.path.join(ROOT, "conformance", kind, "*", "*.recipe"))
                need(tool + "-build", "--all", into, *sorted(recipes), env=counted)
                run(tool, "validate", "--quiet", into, env=counted)
                for target in TARGETS:
                    for folder in glob.glob(os.path.join(into, "*", "")):
                        need(os.path.join(self.build, "harness", target), folder, env=counted)

    def _programs(self):
        """The programs with the library: unit tests, the command, and the targets."""
        tests = glob.glob(os.path.join(self.build, "decoder", "tests", "*_test"))
        return tests + [os.path.join(self.build, "bin", "etlproof"),
                        *(os.path.join(self.build, "harness", name) for name in TARGETS)]

    def functions(self):
        """The counts of llvm-cov for each function, in each program."""
        profile = os.path.join(self.build, "all.profdata")
        need(self.profdata, "merge", "-sparse", *glob.glob(os.path.join(self.profiles, "*.profraw")), "-o", profile)
        for program in self._programs():
            done = subprocess.run([self.cov, "export", f"-instr-profile={profile}", program,
                                   *(os.path.join(ROOT, "decoder", folder) for folder in FOLDERS)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
            if done.stdout:
                yield from json.loads(done.stdout)["data"][0]["functions"]
