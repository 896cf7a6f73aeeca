# SPDX-License-Identifier: Apache-2.0
"""Stores findings: one file per finding with its record beside it, and report.jsonl, from which a run can be resumed."""
import hashlib
import json
import os

from runner import crash_reports
from runner.failure import INPUT, Failure, Writing
from runner.columns import FAILURES, WORST_FIRST
from runner.atomic_file import Journal, write, write_text
from .oracle import BROKEN, NO_RULE, name_of, shape

REPORT = "report.jsonl"
SHOWN = 40  # findings of the summary
DIFFERENCES = 20  # of one finding
# A run can be resumed only if these are equal.
_SAME = ("version", "engine", "parser", "mode", "command", "seed", "seeds", "most", "level", "policy")


def text_of(record):
    # Parsers may print anything, such as half a character.
    return json.dumps(record, indent=1).encode("utf-8", "backslashreplace") + b"\n"


class Store:
    """The state folder of a parser. `findings` are the records of this run by key; `next` and `at` are the batch and
    the place in it where the run continues; `resumed` says whether they come from an earlier run."""

    def __init__(self, folder, run):
        self.folder, self.run = folder, run
        self.found = os.path.join(folder, "findings")
        self.report = os.path.join(folder, REPORT)
        self._journal = Journal(self.report)
        self.findings, self.next, self.at, self.mutants, self.either = {}, 0, 0, 0, 0
        self.resumed = False
        with Writing(folder):
            os.makedirs(self.found, exist_ok=True)

    def open(self, resume):
        """Starts the report; returns a sentence about what is resumed, or None."""
        lines, sentence = self._kept() if resume else (None, None)
        self.resumed = lines is not None
        for line in lines or ():
            self._take(line)
        kept = [self.run, *self.findings.values(), self._batch_line()] if lines else [self.run]
        self._journal.open(kept)
        return sentence

    def _kept(self):
        """(lines of the run to resume, or None; a sentence)"""
        if not os.path.exists(self.report):
            return None, f"{self.report}: nothing to resume; starting over"
        try:
            lines = self._journal.read()
        except ValueError as error:
            return None, f"{self.report}: not JSON ({error}); starting over"
        old = lines[0] if lines and isinstance(lines[0], dict) else {}
        differing = [name for name in _SAME if old.get(name) != self.run[name]]
        if differing:
            return None, f"{self.report}: of another run ({', '.join(differing)} differ); starting over"
        return lines[1:], f"{self.report}: resuming"

    def _take(self, line):
        if line.get("rec") == "finding":
            self.findings[tuple(line["key"])] = line
        elif line.get("rec") == "batch":
            self.next, self.at, self.mutants, self.either = line["next"], line["at"], line["mutants"], line["either"]

    def _batch_line(self):
        return {"rec": "batch", "next": self.next, "at": self.at, "mutants": self.mutants, "either": self.either}

    def add(self, finding, image):
        """Stores a new finding, or a finding whose input was minimised."""
        key = tuple(finding["key"])
        self.findings[key] = finding
        base = os.path.join(self.found, name_of(key))
        write(base + ".etl", image)
        write(base + ".json", text_of(finding))
        self._journal.add(finding)

    def path_of(self, key):
        return os.path.join(self.found, name_of(key) + ".etl")

    def keep(self, image):
        """Stores a file on which the reference failed so that no later run removes it; returns its path."""
        folder = os.path.join(self.folder, "reference-failed")
        kept = os.path.join(folder, hashlib.sha256(image).hexdigest()[:16] + ".etl")
        with Writing(folder):
            os.makedirs(folder, exist_ok=True)
        write(kept, image)
        return kept

    def mark(self):
        """Records how far the run has got."""
        self._journal.add(self._batch_line())

    def finish(self, summary):
        self._journal.add(summary)
        write_text(os.path.join(self.folder, "report.txt"), summary["text"])

    def close(self):
        self._journal.close()


def finding_of(vector, result, path, origin):
    """The record of a finding."""
    return {"rec": "finding", "key": list(result["key"]), "verdict": result["verdict"], "detail": result["detail"],
            "rule": result["key"][3] or vector["rule"], "record": result["key"][1], "field": result["key"][2],
            "offset": result["offset"], "expected": vector["verdict"], "differences": result["differences"][:DIFFERENCES],
            "stderr": result.get("stderr", ""), "mutant": vector["id"], "origin": origin, "size": vector["size"],
            "whole_size": vector["size"], "trimmed": False, "repeats": True, "path": path, "command": result["command"]}


def counted(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counts(findings):
    """Findings by verdict, in the order of the runner, without zeros."""
    found = {verdict: sum(finding["verdict"] == verdict for finding in findings) for verdict in FAILURES}
    return {verdict: count for verdict, count in found.items() if count}


def counts_text(findings):
    return ", ".join(f"{count} {verdict}" for verdict, count in counts(findings).items()) or "nothing found"


def listing(findings, shown=None):
    """The findings for people: the worst first, each with its file and command."""
    chosen = sorted(findings, key=lambda finding: (WORST_FIRST.index(finding["verdict"]), finding["key"]))
    lines = []
    for finding in chosen[:shown]:
        lines += [f"{finding['verdict']}: {_sentence(finding)}", f"    {finding['path']} ({_size(finding)})",
                  f"    {finding['command']}"]
    if shown is not None and len(chosen) > shown:
        lines.append(f"and {len(chosen) - shown} more: --list shows all")
    return "\n".join(lines)


def _sentence(finding):
    text = finding["detail"]
    if finding["verdict"] in BROKEN:
        text = ", ".join([text, *_last_words(finding)])
    rule = f" [{finding['rule']}]" if finding["rule"] != NO_RULE else ""
    return text.replace("\n", " ")[:200] + rule + ("" if finding["repeats"] else " (not repeated when run alone)")


def _last_words(finding):
    """The place where a parser failed, and the last line of its output, unless the detail has both."""
    if crash_reports.find(finding["stderr"]):
        return []
    said = finding["record"] in finding["detail"] or finding["record"] == shape(finding["detail"])
    place = [] if said else [finding["record"]]
    return place + finding["stderr"].strip().splitlines()[-1:]


def _size(finding):
    if finding["size"] < finding["whole_size"]:
        return f"{finding['size']} bytes, minimised from {finding['whole_size']}"
    return f"{finding['size']} bytes"


def load_all(folder):
    """All findings in a state folder, of all runs."""
    place = os.path.join(folder, "findings")
    if not os.path.isdir(place):
        raise Failure(INPUT, f"{place}: nothing was fuzzed there yet")
    found = []
    for name in sorted(os.listdir(place)):
        if name.endswith(".json"):
            path = os.path.join(place, name)
            try:
                with open(path, encoding="utf-8") as file:
                    found.append(json.load(file))
            except (OSError, ValueError) as error:
                raise Failure(INPUT, f"{path}: cannot read the finding: {error}") from error
    return found
