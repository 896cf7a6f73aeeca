# SPDX-License-Identifier: Apache-2.0
"""Batches of mutants from etlproof-mutate. The mutants of a batch depend only on its number, the seeds and --seed."""
import hashlib
import os
import shutil
import subprocess

from runner.failure import INPUT, INTERNAL, OUTPUT, Failure, Writing, read_bytes
from runner.vectors import MANIFEST
from runner.atomic_file import write

# Mutants per seed, and seeds per batch. Mutants of different seeds with the same number are alike, so batches share no
# numbers.
EACH, SEEDS_AT_ONCE = 16, 16
# Rounds after which the seeds are crossed with one of them.
CROSS_EVERY = 3
_NOT_SEEDS = (".json", ".jsonl", ".tsv", ".md", ".txt")


def find_seeds(folder, golden):
    """Paths of the seeds in a folder and its subfolders; of the golden vectors only the accepted ones."""
    if not os.path.isdir(folder):
        raise Failure(INPUT, f"{folder}: no such folder of seeds")
    if os.path.exists(os.path.join(folder, MANIFEST)) and os.path.samefile(folder, golden.folder):
        return [vector["path"] for vector in golden.traces if vector["verdict"] == "accept"]
    found = []
    for place, folders, names in os.walk(folder, onerror=_refuse):
        folders.sort()
        found += [os.path.join(place, name) for name in sorted(names)
                  if not name.startswith(".") and not name.endswith(_NOT_SEEDS)]
    if not found:
        raise Failure(INPUT, f"{folder}: no seeds in it: ETL files expected")
    return found


def _refuse(error):
    raise Failure(INPUT, f"{error.filename}: cannot read: {error.strerror}") from error


def digest(paths):
    """A hash of the names and sizes of the seeds."""
    text = "\n".join(f"{os.path.basename(path)} {os.path.getsize(path)}" for path in paths)
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


def parts_of(paths, size=SEEDS_AT_ONCE):
    """Splits the seeds so that names are unique in each part: their mutants would otherwise have equal names."""
    parts, names = [[]], set()
    for path in paths:
        name = os.path.basename(path)
        if len(parts[-1]) >= size or name in names:
            parts.append([])
            names = set()
        parts[-1].append(path)
        names.add(name)
    return parts


def copies(files, folder):
    """[(name, path)] of copies of the files [(name, path)], in a folder that is emptied first: a parser may change or
    remove its input."""
    clear(folder)
    copied = [(name, os.path.join(folder, name)) for name, _ in files]
    for (_, copy), (_, path) in zip(copied, files):
        with Writing(copy):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
        write(copy, read_bytes(path))
    return copied


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)


class Source:
    """Makes batches. The first batches, one for each part of the seeds, are the seeds themselves: faults that they show
    need no mutant."""

    def __init__(self, command, seeds, seed, most, folder):
        self.command, self.seeds, self.seed, self.most, self.folder = command, seeds, seed, most, folder
        self.parts = parts_of(seeds)

    def batch(self, number):
        """[(name, path)] of a batch."""
        turn, part = divmod(number, len(self.parts))
        if turn == 0:
            return copies([(os.path.basename(path), path) for path in self.parts[part]], self.folder)
        clear(self.folder)
        self._make(self.parts[part], self._first(number), self._other(turn, part))
        return [(name, os.path.join(self.folder, name)) for name in sorted(os.listdir(self.folder))]

    def origin(self, number):
        """The command that makes the mutants again, for people; the name of each ends with its own --seed."""
        turn, part = divmod(number, len(self.parts))
        other = self._other(turn, part)
        if turn == 0:
            return "a seed"
        return f"etlproof mutate --most {self.most}" + (f" --cross {other}" if other else "")

    def _first(self, number):
        """The first number of a batch: no other batch of this --seed has the same numbers, nor does another --seed below
        2^32."""
        return (self.seed << 32) + number * EACH

    def _other(self, turn, part):
        if turn % CROSS_EVERY:
            return None
        chosen = hashlib.sha256(f"{self.seed} {turn} {part}".encode()).digest()
        return self.seeds[int.from_bytes(chosen[:8], "little") % len(self.seeds)]

    def _make(self, seeds, seed, other):
        cross = ["--cross", other] if other else []
        command = [self.command, "--count", str(EACH), "--seed", str(seed), "--most", str(self.most), *cross, *seeds,
                   "-o", self.folder]
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True,
                                  errors="replace")
        except OSError as error:
            raise Failure(INPUT, f"{self.command}: cannot be started: {error.strerror}") from error
        if done.returncode != 0:
            code = done.returncode if done.returncode in (INPUT, OUTPUT) else INTERNAL
            raise Failure(code, f"etlproof-mutate, exit status {done.returncode}: {done.stderr.strip()[-500:]}")
