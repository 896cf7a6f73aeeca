# SPDX-License-Identifier: Apache-2.0
"""Runs build.sh with the variables that OSS-Fuzz's builder image sets."""
import os
import shutil
import subprocess

from runner.failure import Writing

# The kinds of undefined behaviour that OSS-Fuzz detects and that end the process. Unsigned overflow is instrumented
# too, but not reported: it is no fault, but its checks add coverage.
_FATAL = ("array-bounds,bool,builtin,enum,integer-divide-by-zero,null,object-size,return,returns-nonnull-attribute,shift,"
          "signed-integer-overflow,unreachable,vla-bound")
SANITIZERS = {
    "address": "-fsanitize=address -fsanitize-address-use-after-scope",
    "undefined": f"-fsanitize={_FATAL},unsigned-integer-overflow -fno-sanitize-recover={_FATAL}",
    "memory": "-fsanitize=memory -fsanitize-memory-track-origins",
}
FLAGS = "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
COVERAGE = "-fsanitize=fuzzer-no-link"
SHOWN = 25  # lines of a failed build


class BuildFailed(Exception):
    pass


def environment(sanitizer, out, work):
    """The environment of a builder's container; from our own, only the variables that find programs."""
    flags = f"{FLAGS} {SANITIZERS[sanitizer]} {COVERAGE}"
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "CMAKE_BUILD_PARALLEL_LEVEL")
            if name in os.environ}
    return {**kept, "SANITIZER": sanitizer, "FUZZING_ENGINE": "libfuzzer", "ARCHITECTURE": "x86_64",
            "FUZZING_LANGUAGE": "c", "CC": "clang", "CXX": "clang++", "CFLAGS": flags, "CXXFLAGS": flags,
            "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer", "UBSAN_OPTIONS": "silence_unsigned_overflow=1",
            "OUT": out, "WORK": work}


def build(root, sanitizer, out, work):
    for folder in (out, work):
        shutil.rmtree(folder, ignore_errors=True)
        with Writing(folder):
            os.makedirs(folder)
    done = subprocess.run([os.path.join(root, ".clusterfuzzlite", "build.sh")], cwd=root, check=False,
                          env=environment(sanitizer, os.path.abspath(out), os.path.abspath(work)),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").splitlines()[-SHOWN:]
        raise BuildFailed(f"build.sh ended with {done.returncode}; its last lines:\n    " + "\n    ".join(lines))
