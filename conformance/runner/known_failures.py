# SPDX-License-Identifier: Apache-2.0
"""The list of known failures: lines `ID-or-glob VERDICT RULE URL`. An entry that no longer fails makes the run fail, so
that the list stays correct."""
import fnmatch

from .failure import INPUT, Failure, read_text
from .atomic_file import write_text
from .columns import FAILURES


class Entry:
    def __init__(self, glob, verdict, rule, url):
        self.glob, self.verdict, self.rule, self.url = glob, verdict, rule, url

    def __str__(self):
        return f"{self.glob} {self.verdict} {self.rule} {self.url}"

    def concerns(self, record):
        """Whether the entry is about this vector or result."""
        return fnmatch.fnmatchcase(record["id"], self.glob) and self.rule in ("*", record["rule"])

    def covers(self, result):
        return result["verdict"] == self.verdict and self.concerns(result)


class Known:
    """The list. `lines` has its lines in order: comments as texts, entries parsed."""

    def __init__(self, path=None, may_be_new=False):
        self.path = path
        self.lines = []
        if path:
            self._load(path, may_be_new)
        self.entries = [line for line in self.lines if isinstance(line, Entry)]

    def _load(self, path, may_be_new):
        try:
            text = read_text(path, "the known failures")
        except Failure as failure:
            if may_be_new and isinstance(failure.__cause__, FileNotFoundError):
                return
            raise
        if text and text[-1] == "":
            text.pop()
        for number, line in enumerate(text, 1):
            self.lines.append(_parse(line, f"{path}:{number}"))

    def url_of(self, result):
        """The URL of the entry that covers a failure; None if there is none."""
        if result["verdict"] not in FAILURES:
            return None
        return next((entry.url for entry in self.entries if entry.covers(result)), None)

    def stale(self, results, vectors):
        """The entries that no result matches. An entry about a vector that was not run is never stale."""
        ran = {result["id"] for result in results}
        not_run = [vector for vector in vectors if vector["id"] not in ran]
        return [entry for entry in self.entries
                if not any(map(entry.covers, results)) and not any(map(entry.concerns, not_run))]

    def fix(self, results, stale, url=None):
        """Rewrites the file: drops stale entries or gives them their current verdict, and adds new failures with `url`, if
        given. Returns how many entries were dropped, changed and added."""
        lines, dropped, changed = [], 0, 0
        for line in self.lines:
            if line not in stale:
                lines.append(line)
                continue
            now = sorted({result["verdict"] for result in results
                          if line.concerns(result) and result["verdict"] in FAILURES})
            lines += [Entry(line.glob, verdict, line.rule, line.url) for verdict in now]
            dropped, changed = dropped + (not now), changed + bool(now)
        covered = [line for line in lines if isinstance(line, Entry)]
        new = [Entry(result["id"], result["verdict"], result["rule"], url) for result in results
               if url and result["verdict"] in FAILURES and not any(entry.covers(result) for entry in covered)]
        self.lines = lines + new
        self.entries = covered + new
        self._save()
        return dropped, changed, len(new)

    def _save(self):
        write_text(self.path, "".join(f"{line}\n" for line in self.lines))


def _parse(line, where):
    if not line.strip() or line.lstrip().startswith("#"):
        return line
    cells = line.split()
    if len(cells) != 4 or cells[1] not in FAILURES:
        raise Failure(INPUT, f"{where}: ID-or-glob VERDICT RULE URL expected, VERDICT one of {', '.join(FAILURES)}; "
                             f"found \"{line.strip()}\"")
    return Entry(*cells)
