# SPDX-License-Identifier: Apache-2.0
"""The phase that measures which regions of the decode path the corpora reach. A corpus that reaches fewer regions than
before is reported as a loss, even if no file is missing."""
import json
import os
import shutil

from etlproof.campaign import engines, region_coverage, targets, unreached
from etlproof.pages import unreached_page
from runner.failure import INPUT, Failure
from . import corpus, durable

ALL = "*"  # all targets of the run together
# Minimising preserves the coverage that engines measure, not source regions: one in a hundred of these may be lost.
FLOOR = 0.99
MOST = 4096  # paths on a command line
# Comparable runs: of the same code, for all targets together of the same targets, and since the last input left the corpus
# that is still set aside. Before that run, the corpora had what they lack now.
_BEST = """SELECT max(c.regions) FROM coverage c JOIN runs r ON r.id = c.run WHERE c.run < ? AND c.target = ?
AND c.total = ? AND c.run >= ? AND (c.target <> ? OR r.targets = (SELECT targets FROM runs WHERE id = ?))"""
_BEFORE = """SELECT c.regions, c.total FROM coverage c JOIN runs r ON r.id = c.run WHERE c.target = ? AND c.run < ?
AND r.targets = ? ORDER BY c.run DESC LIMIT 1"""


def floor(state, run, target, total):
    """The least number of regions that a target should reach: nearly its best in comparable runs. None if there is none."""
    since = max((_last_gone(state, name) for name in _targets_of(state, run, target)), default=0)
    best = state.value(_BEST, run, target, total, since, ALL, run)
    return None if best is None else int(best * FLOOR)


def _targets_of(state, run, target):
    return json.loads(state.run(run)["targets"]) if target == ALL else [target]


def _last_gone(state, target):
    """The last run in which an input left the corpus that is still set aside; 0 if none is."""
    return state.value("SELECT coalesce(max(gone), 0) FROM aside WHERE target = ?", target)


def phase(night):
    """A target that cannot be measured does not end the phase for the others."""
    work = night.state.path("profiles")
    shutil.rmtree(work, ignore_errors=True)
    durable.make_folders(work)
    measured, profiles = [], []
    for target in night.targets.values():
        shelf = corpus.Corpus(night.state, night.number, target.name)
        if (region_coverage.PRESET, target.name) in night.built and shelf.names():
            night.status.say(f"measuring {target.name}")
            try:
                profiles.append(_profile(night, target, shelf, work))
            except Failure as failure:
                night.problem(str(failure))
                continue
            measured.append(target)
            _keep(night, target.name, region_coverage.regions([target], profiles[-1]))
    if not measured:
        return "no target was measured", None
    found = _together(night, measured, profiles, work)
    shutil.rmtree(work)
    growth = "" if found["before"] is None else f", {found['regions'] - found['before']:+,} since the run before"
    return f"{found['regions']:,} of {found['of']:,} regions{growth}", found


def _profile(night, target, shelf, work):
    """The profile of a corpus, without the inputs that fail: they are set aside, and triage runs them."""
    passing = Passing(target, work)
    failing = [corpus.read(path) for path in passing.sift([shelf.folder], shelf.paths())]
    profile = passing.profile()
    if failing:
        corpus.Crashes(night.state, night.number, target.name).add(failing, "crash", engines.CONFIGURATIONS[0])
        night.problem(f"{target.name}: {len(failing)} inputs of the corpus failed when coverage was measured, and are set "
                      "aside", breaks=False)
    return profile


class Passing:
    """Profiles the inputs of a target that pass. A failing input ends its process, and all that was counted in it is lost;
    so inputs are run in ever smaller groups until the failing ones are alone."""

    def __init__(self, target, work):
        self.target, self.work, self._profiles = target, work, []

    def sift(self, arguments, paths):
        """The paths of the failing inputs. `arguments` name the same inputs on the command line, which has limits."""
        folder = os.path.join(self.work, f"{self.target.name}-{len(self._profiles)}")
        durable.make_folders(folder)
        try:
            self._profiles.append(region_coverage.profile(self.target, arguments, folder))
            return []
        except region_coverage.InputFailed:
            if len(paths) == 1:
                return paths
        size = min(MOST, -(-len(paths) // 2))
        groups = [paths[at:at + size] for at in range(0, len(paths), size)]
        return [path for group in groups for path in self.sift(group, group)]

    def profile(self):
        """Raises if no input passes: then the program is broken rather than the inputs."""
        if not self._profiles:
            raise Failure(INPUT, f"{self.target.name}: all inputs of the corpus fail when coverage is measured")
        if len(self._profiles) == 1:
            return self._profiles[0]
        return region_coverage.together(self._profiles, self.work, self.target.name)


def _together(night, measured, profiles, work):
    """The coverage of all measured targets. If one of the run was not measured, no other run is comparable."""
    counted = region_coverage.together(profiles, work)
    regions, total = region_coverage.regions(measured, counted)
    before = None
    if len(measured) == len(night.targets):
        _keep(night, ALL, (regions, total))
        before = night.state.row(_BEFORE, ALL, night.number, night.run()["targets"])
    pages = night.state.path("report", "coverage")
    shutil.rmtree(pages, ignore_errors=True)
    region_coverage.show(measured, counted, pages)
    functions = region_coverage.functions(measured, counted)
    missing = unreached.blocked(functions, _source)
    unreached_page.write(missing, len(functions), measured, night.state.path("report", unreached_page.NAME))
    return {"regions": regions, "of": total, "before": before["regions"] if before and before["total"] == total else None,
            "targets": len(measured), "of_targets": len(targets.load()), "html": "coverage/index.html",
            "unreached": len(missing)}


def _source(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _keep(night, target, found):
    regions, total = found
    night.state.do("INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?)", night.number, target, regions, total)
    least = floor(night.state, night.number, target, total)
    if least is not None and regions < least:
        name = "all targets" if target == ALL else target
        night.problem(f"{name}: the corpus reaches {regions:,} regions, and {least:,} is its floor")
