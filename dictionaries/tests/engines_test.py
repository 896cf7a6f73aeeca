#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: engines_test.py libfuzzer|afl

Gives each dictionary to an engine, which must accept every token, and broken dictionaries, which it must refuse. Exits 77,
which ctest shows as skipped, if the engine is not installed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60  # timeout of an engine
BROKEN = (b'name="unfinished\n', b"name=bare\n")
TARGET = """#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { (void)data; return size > (size_t)-2; }
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          timeout=SECONDS, env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def target_of(compiler, folder):
    """Returns a target that was built with the engine's compiler in the folder, and that takes every input."""
    source, target = os.path.join(folder, "target.c"), os.path.join(folder, "target")
    with open(source, "w", encoding="ascii") as file:
        file.write(TARGET)
    if not shutil.which(compiler):
        skip(f"{compiler} is not installed")
    status, output = run([compiler, "-fsanitize=fuzzer", source, "-o", target])
    if status != 0:
        skip(f"{compiler} builds no target: {output.strip()}")
    return target


class LibFuzzer:
    def __init__(self, folder):
        self.target = target_of("clang", folder)

    def taken(self, path):
        """Returns the number of tokens that the engine accepted, or None, and its output."""
        status, output = run([self.target, f"-dict={path}", "-runs=0"])
        found = re.search(r"^Dictionary: (\d+) entries", output, flags=re.M)
        return int(found.group(1)) if status == 0 and found else None, output


class Afl:
    def __init__(self, folder):
        self.folder = folder
        self.target = target_of("afl-clang-fast", folder)
        self.seeds = os.path.join(folder, "seeds")
        os.mkdir(self.seeds)
        with open(os.path.join(self.seeds, "seed"), "w", encoding="ascii") as file:
            file.write("seed")

    def taken(self, path):
        """Fuzzes for a second, the shortest time that afl-fuzz knows. Without instrumentation (-n), version 4.09 does not
        end, not even at a signal."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            status, output = run(["afl-fuzz", "-i", self.seeds, "-o", out, "-x", path, "-V", "1", "--", self.target],
                                 AFL_SKIP_CPUFREQ="1", AFL_NO_UI="1", AFL_NO_AFFINITY="1",
                                 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1", AFL_NO_COLOR="1")
        found = re.search(r"Loaded (\d+) extra tokens", output)
        return int(found.group(1)) if status == 0 and found else None, output


def tokens_in(path):
    with open(path, "rb") as file:
        return sum(1 for line in file if line.strip() and not line.startswith(b"#"))


def main():
    engines = {"libfuzzer": LibFuzzer, "afl": Afl}
    if len(sys.argv) != 2 or sys.argv[1] not in engines:
        print(__doc__, file=sys.stderr)
        return 64
    dictionaries = sorted(glob.glob(os.path.join(HERE, "..", "*.dict")))
    failures = [] if dictionaries else ["no dictionary found"]
    with tempfile.TemporaryDirectory() as folder:
        engine = engines[sys.argv[1]](folder)
        for path in dictionaries:
            taken, output = engine.taken(path)
            print(f"{os.path.basename(path)}: {taken} of {tokens_in(path)} tokens accepted")
            if taken != tokens_in(path):
                failures.append(f"{path}: not all tokens accepted\n{output}")
        for text in BROKEN:
            path = os.path.join(folder, "broken.dict")
            with open(path, "wb") as file:
                file.write(text)
            if engine.taken(path)[0] is not None:
                failures.append(f"a broken dictionary was accepted: {text}")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
