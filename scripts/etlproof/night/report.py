# SPDX-License-Identifier: Apache-2.0
"""Writes what a night found: report.json (its shape is in scripts/etlproof/pages/schema), the buckets as SARIF, and the
page. All of them are kept."""
import json
import os

from etlproof.campaign.engines import CONFIGURATIONS
from etlproof.pages import night_page as page, sarif
from etlproof.pages.causes import RED, causes_of
from etlproof.pages.wording import say_seconds
from . import coverage, durable, retry, schedule
from .state import now

NAME, SARIF, PAGE, RUNS = "report.json", "report.sarif", "index.html", "runs"
BROKEN, NEW, INTERRUPTED, NOTHING = "broken", "new", "interrupted", "nothing-new"
_SAID = {"flaky": "flaky", "known": "known", "fixed": "fixed", "untried": "known, and not run"}
_PAST = """SELECT r.id, r.begun, r.targets, c.regions, coalesce(sum(s.executions), 0) executions,
sum(s.processor_seconds) seconds, (SELECT result FROM phases WHERE run = r.id AND name = 'triage') buckets,
(SELECT sum(inputs) FROM ends WHERE run = r.id) inputs, (SELECT min(clean) FROM ends WHERE run = r.id) clean
FROM runs r JOIN slots s ON s.run = r.id LEFT JOIN coverage c ON c.run = r.id AND c.target = ?
GROUP BY r.id ORDER BY r.id"""
# The last runs of a target. Speeds of different builds cannot be compared.
_TREND_RUNS = 60
_TREND = f"""SELECT * FROM (SELECT r.id run, c.regions, e.inputs corpus, e.clean clean_seconds,
(SELECT round(sum(executions) / sum(processor_seconds), 1) FROM slots WHERE run = r.id AND target = ?1
AND configuration = '{CONFIGURATIONS[0]}') speed
FROM runs r LEFT JOIN coverage c ON c.run = r.id AND c.target = ?1
LEFT JOIN ends e ON e.run = r.id AND e.target = ?1
WHERE EXISTS (SELECT 1 FROM slots WHERE run = r.id AND target = ?1) ORDER BY r.id DESC LIMIT {_TREND_RUNS}) ORDER BY run"""
_TONIGHT = """SELECT coalesce(sum(executions), 0) executions, coalesce(sum(processor_seconds), 0) seconds,
coalesce(sum(crashes), 0) crashes FROM slots WHERE run = ? AND target = ?"""


def _count(number, what):
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Report:
    def __init__(self, night):
        self.night, self.state, self.run = night, night.state, night.run()

    def record(self):
        problems = self.state.problems(self.night.number)
        found = self.state.result(self.night.number, "triage")
        commits = self.state.result(self.night.number, "bisect") or {}
        buckets = [{**bucket, "commit": commits.get(bucket["id"])} for bucket in found or []]
        targets = [self._target(name) for name in self.night.targets]
        plan = self._plan()
        verdict, causes = _verdict(problems, buckets, plan), causes_of(buckets)
        return {
            "verdict": verdict, "sentence": _sentence(verdict, problems, found, causes, targets, plan, self.run["budget"]),
            "run": self.night.number,
            "begun": self.run["begun"], "ended": self.run["ended"] or now(), "budget_seconds": self.run["budget"],
            "plan": plan, "resumed": self.run["resumed"], "commit": self.run["commit_id"],
            "problems": [{"phase": row["phase"], "text": row["text"]} for row in problems],
            "phases": self._phases(),
            "conformance": self.state.result(self.night.number, "conformance"),
            "regressions": self.state.result(self.night.number, "regressions"),
            "coverage": self.state.result(self.night.number, "coverage"),
            "corpus": {"before": sum(target["corpus_before"] for target in targets),
                       "after": sum(target["corpus_after"] for target in targets), "lost": self._lost()},
            "aside": self._aside(), "causes": causes, "buckets": buckets, "targets": targets, "history": self._history()}

    def _plan(self):
        """How much of the plan ran: seconds of fuzzing, and combinations of target and configuration."""
        ran, planned = self.state.ran(self.night.number), self.state.planned(self.night.number)
        among = schedule.combinations(self.night.targets)
        ever = self.state.ran()
        return {"is_interrupted": self.night.interrupted, "fuzzed_seconds": self.run["fuzzed"],
                "configurations": len(among), "planned": len(planned | ran), "ran": len(ran),
                "missed": [_named(one) for one in among if one in planned - ran],
                "never": [_named(one) for one in among if one not in ever]}

    def _phases(self):
        return [{name: row[name] for name in ("name", "seconds", "outcome", "text")} for row in self.state.rows(
            "SELECT * FROM phases WHERE run = ? ORDER BY rowid", self.night.number)]

    def _aside(self):
        """Failing inputs that are kept out of the corpora; those that returned in this run."""
        result = self.state.result(self.night.number, "retry")
        return {"waiting": retry.waiting(self.night), "returned": result["returned"] if result else 0}

    def _lost(self):
        return self.state.value("SELECT coalesce(sum(lost), 0) FROM counts WHERE run = ?", self.night.number)

    def _target(self, name):
        run, state = self.night.number, self.state
        sums = state.row(_TONIGHT, run, name)
        edges = state.edges(run).get(name)
        reached = state.row("SELECT regions, total FROM coverage WHERE run = ? AND target = ?", run, name)
        return {
            "target": name, "executions": sums["executions"], "processor_seconds": round(sums["seconds"], 1),
            "clean": state.clean(name, self.night.tested),
            **{key: edges[key] if edges else None for key in ("edges", "edges_total", "features")},
            "corpus_before": state.value("SELECT before FROM counts WHERE run = ? AND target = ?", run, name),
            "corpus_after": state.value("SELECT count(*) FROM inputs WHERE target = ?", name),
            "regions": reached["regions"] if reached else None, "of": reached["total"] if reached else None,
            "floor": coverage.floor(state, run, name, reached["total"]) if reached else None, "crashes": sums["crashes"],
            "trend": [dict(row) for row in state.rows(_TREND, name)]}

    def _history(self):
        return [self._past(row) for row in self.state.rows(_PAST, coverage.ALL)]

    def _past(self, row):
        buckets = json.loads(row["buckets"] or "null")
        return {"run": row["id"], "begun": row["begun"], "targets": len(json.loads(row["targets"])),
                "is_comparable": row["targets"] == self.run["targets"], "regions": row["regions"],
                "executions": row["executions"], "edges": self._edges(row["id"], json.loads(row["targets"])),
                "processor_seconds": round(row["seconds"], 1), "corpus": row["inputs"], "clean_seconds": row["clean"],
                "failing": None if buckets is None else sum(bucket["status"] != "fixed" for bucket in buckets),
                "new": sum(bucket["status"] in RED for bucket in buckets or [])}

    def _edges(self, run, targets):
        """The sum of the edges; None if one of them is unknown: the sum of the others would look like a loss."""
        edges = self.state.edges(run)
        return sum(edges[name]["edges"] for name in targets) if edges.keys() >= set(targets) else None


def _named(one):
    target, configuration = one
    return {"target": target, "configuration": configuration}


def _verdict(problems, buckets, plan):
    if any(row["breaks"] for row in problems):
        return BROKEN
    if any(bucket["status"] in RED for bucket in buckets):
        return NEW
    return INTERRUPTED if plan["is_interrupted"] else NOTHING


def _progress(plan, budget):
    """How much of the plan ran."""
    return (f"{say_seconds(plan['fuzzed_seconds'])} of {say_seconds(budget)} fuzzed, {plan['ran']} of "
            f"{_count(plan['planned'], 'planned configuration')} ran")


def _sentence(verdict, problems, found, causes, targets, plan, budget):
    """`found` are the buckets; None if triage did not finish. A bug comes before problems that it is likely to cause."""
    breaking = [row for row in problems if row["breaks"]]
    following = page.follow(breaking, causes)
    words = [f"{row['phase']}: {row['text'].splitlines()[0]}" for row in breaking if row not in following][:1]
    if causes:
        words.append(f"{page.HEADS[causes[0]['status']]}: {causes[0]['sentence']}")
        rest = sum(1 + len(cause["consequences"]) for cause in causes) - 1
        words += [f"{_count(rest, 'bucket')} more, of {_count(len(causes), 'likely cause')} in all"] if rest else []
        words += [f"{row['phase']}: {row['text'].splitlines()[0]}" for row in following]
    else:
        so_far = " so far" if plan["is_interrupted"] else ""
        words.append("whether a bug is new is not known" if found is None else "no new bug" + so_far)
    if plan["is_interrupted"]:
        words.insert(len(words) - 1 if verdict == INTERRUPTED else len(words), f"interrupted: {_progress(plan, budget)}")
    for status, said in _SAID.items():
        if many := sum(bucket["status"] == status for bucket in found or ()):
            words.append(f"{_count(many, 'bug')} {said}")
    runs = sum(target["executions"] for target in targets)
    words.append(f"{_count(runs, 'execution')} of {_count(len(targets), 'target')}")
    text = "; ".join(words)
    return text[0].upper() + text[1:]


def write(night):
    """Returns the record, and notes how the run ended for the history. The page and its data are written twice: as those of
    the last night, which the next night overwrites, and as those of this run, which stay. The covered source is kept for
    the last night only."""
    _note_ends(night)
    record = Report(night).record()
    coverage = record["coverage"] and {**record["coverage"], "html": None}
    _write(night.state, {**record, "coverage": coverage}, kept(night.state, night.number))
    _write(night.state, record, night.state.path("report"))
    return record


def _note_ends(night):
    clean = {name: night.state.clean(name, night.tested).get(CONFIGURATIONS[0]) for name in night.targets}
    night.state.do_all("INSERT OR REPLACE INTO ends SELECT ?, ?, count(*), ? FROM inputs WHERE target = ?",
                       [(night.number, name, clean[name]["seconds"] if clean[name] else 0, name) for name in night.targets])


def kept(state, run):
    """The folder of the files of a run that stay."""
    return state.path("report", RUNS, str(run))


def _write(state, record, folder):
    durable.make_folders(folder)
    durable.write(os.path.join(folder, NAME), json.dumps(record, indent=1).encode() + b"\n")
    sarif.write(record["buckets"], os.path.join(folder, SARIF))
    page.write(record, os.path.join(folder, PAGE), state.path("report", "buckets"), state.path("report", RUNS))
    durable.sync_folder(folder)
