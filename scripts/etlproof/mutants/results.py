# SPDX-License-Identifier: Apache-2.0
"""The results of mutants: the report, the explained survivors, the score."""
import collections
import hashlib
import json
import os
import time

from runner.failure import INPUT, Failure, Writing, read_text
from runner.progress import Line
from runner.atomic_file import Journal

# killed: a vector fails. explained: survives, with a reason. equivalent: same machine code. unused: in a function that a
# decode does not call. invalid: does not compile.
OUTCOMES = ("killed", "survived", "explained", "equivalent", "unused", "invalid")


def hash_of(vector):
    """The hash of a vector's file and its expectation."""
    told = {name: value for name, value in vector.items() if name != "path"}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


class Explained:
    """The file of survivors that are equivalent to the original: lines of four columns separated by tabs: file, hash of the
    line, change, reason."""

    def __init__(self, path, concerns=lambda file: True):
        """`concerns(file)`: whether rows of a file belong to the mutants of this run."""
        self.path = path
        self.rows = {}
        for number, line in enumerate(read_text(path, "the explained survivors") if path else (), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) != 4 or not cells[3].strip():
                raise Failure(INPUT, f"{path}:{number}: expected 4 columns separated by tabs (file, hash of the line, "
                                     f"change, reason), found {len(cells)}")
            key = "|".join(cells[:3])
            if key in self.rows:
                raise Failure(INPUT, f"{path}:{number}: the same mutant as in line {self.rows[key][0]}")
            if concerns(cells[0]):
                self.rows[key] = (number, cells[3])

    def stale(self, chosen, all_keys, results):
        """A message for each entry whose mutant no longer exists or no longer survives."""
        lines = []
        for key, (number, _) in self.rows.items():
            outcome = results[key]["outcome"] if key in results else None
            if key not in all_keys:
                lines.append(f"{self.path}:{number}: this mutant no longer exists")
            elif key in chosen and outcome != "explained":
                lines.append(f"{self.path}:{number}: the mutant no longer survives: it is {outcome}")
        return lines


def _unexplained(result):
    """Reverts `explained` results of older reports to survivors: the explanation may have been removed."""
    return {**result, "outcome": "survived"} if result["outcome"] == "explained" else result


class Report(Journal):
    """A JSON Lines file: a line that identifies decoder and vectors, then one for each tried mutant."""

    def __init__(self, path, of, vectors):
        """`of` identifies the decoder and the vectors of the results; `vectors` are the hashes of the vectors, by id."""
        super().__init__(path)
        self.of, self.vectors = of, vectors

    def resume(self):
        """The results that still hold, by key; None if the report is of another decoder."""
        try:
            lines = self.read()
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise Failure(INPUT, f"{self.path}: cannot resume: {error}") from error
        if not lines:
            return {}
        if lines[0].get("program") != self.of["program"]:
            return None
        same = lines[0] == self.of
        found = map(_unexplained, lines[1:])
        return {result["key"]: result for result in found if same or self._holds(result)}

    def _holds(self, result):
        """Whether an earlier result holds with other vectors: a mutant stays killed while its vector is unchanged; a result
        that does not depend on vectors always holds."""
        if result["outcome"] == "killed":
            return result["by_hash"] is not None and self.vectors.get(result["by"]) == result["by_hash"]
        return result["outcome"] != "survived"

    def open(self, results):
        with Writing(self.path):
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        super().open((self.of, *results))


class Progress:
    """A line on a terminal that each result overwrites; otherwise a line from time to time."""

    def __init__(self, total):
        self._total, self._started = total, time.monotonic()
        self._line = Line()
        self._next = self._every = 0.5 if self._line.live else 30.0

    def show(self, done, counts):
        now = time.monotonic() - self._started
        if now < self._next or not done:
            return
        self._next = now + self._every
        left = now / done * (self._total - done)
        text = (f"{done}/{self._total} mutants, {counts['killed']} killed, {counts['survived']} survived, "
                f"{left / 60:.0f} min left")
        self._line.say(text)

    def clear(self):
        self._line.clear()


def score(counts):
    """The killed share of all mutants that can be killed, in percent."""
    able = counts["killed"] + counts["survived"]
    return 100.0 if able == 0 else 100.0 * counts["killed"] / able


def survivors_text(results):
    """Each survivor: its line before and after, and the row that would explain it."""
    lines = []
    for result in results:
        if result["outcome"] != "survived":
            continue
        rule = f" [{result['rule']}]" if result["rule"] else ""
        lines += [f"{result['where']}: {result['change']}{rule}", f"    - {result['line_text'].strip()}",
                  f"    + {result['new_line'].strip()}", "    " + result["key"].replace("|", "\t", 2), ""]
    return "\n".join(lines)


def table_text(results):
    """Counts by kind."""
    kinds = collections.defaultdict(collections.Counter)
    for result in results:
        kinds[result["kind"]][result["outcome"]] += 1
        kinds["all"][result["outcome"]] += 1
    rows = [f"{'kind':12}" + "".join(f"{outcome:>12}" for outcome in OUTCOMES) + f"{'score':>9}"]
    for kind in [*sorted(kinds.keys() - {"all"}), *(["all"] if results else [])]:
        counts = kinds[kind]
        rows.append(f"{kind:12}" + "".join(f"{counts[outcome]:12}" for outcome in OUTCOMES) + f"{score(counts):8.1f}%")
    return "\n".join(rows) + "\n"
