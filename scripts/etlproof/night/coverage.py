# SPDX-License-Identifier: Apache-2.0
"""The phase that measures which regions of the decode path the corpora reach. A corpus that reaches fewer regions than
before is reported as a loss, even if no file is missing."""
import json
import shutil

from etlproof.campaign import region_coverage
from . import corpus, durable

ALL = "*"  # all targets of the run together
# Minimising preserves the coverage that engines measure, not source regions: one in a hundred of these may be lost.
FLOOR = 0.99
# Comparable runs: of the same code, for all targets together of the same targets, and since the last input left the corpus
# that is still set aside. Before that run, the corpora had what they lack now.
_BEST = """SELECT max(c.regions) FROM coverage c JOIN runs r ON r.id = c.run WHERE c.run < ? AND c.target = ?
AND c.total = ? AND c.run >= ? AND (c.target <> ? OR r.targets = (SELECT targets FROM runs WHERE id = ?))"""
_BEFORE = """SELECT c.regions FROM coverage c JOIN runs r ON r.id = c.run WHERE c.target = ? AND c.run < ? AND r.targets = ?
ORDER BY c.run DESC LIMIT 1"""


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
    work = night.state.path("profiles")
    durable.make_folders(work)
    measured, profiles = [], []
    for target in night.targets.values():
        shelf = corpus.Corpus(night.state, night.number, target.name)
        if (region_coverage.PRESET, target.name) in night.built and shelf.names():
            night.status.say(f"measuring {target.name}")
            profiles.append(region_coverage.profile(target, [shelf.folder], work))
            measured.append(target)
            _keep(night, target.name, region_coverage.regions([target], profiles[-1]))
    if not measured:
        return "no target was built for it", None
    found = _together(night, measured, profiles, work)
    shutil.rmtree(work)
    growth = "" if found["before"] is None else f", {found['regions'] - found['before']:+,} since the run before"
    return f"{found['regions']:,} of {found['of']:,} regions{growth}", found


def _together(night, measured, profiles, work):
    counted = region_coverage.together(profiles, work)
    regions, total = region_coverage.regions(measured, counted)
    _keep(night, ALL, (regions, total))
    pages = night.state.path("report", "coverage")
    shutil.rmtree(pages, ignore_errors=True)
    region_coverage.show(measured, counted, pages)
    before = night.state.value(_BEFORE, ALL, night.number, night.run()["targets"])
    return {"regions": regions, "of": total, "before": before, "html": "coverage/index.html"}


def _keep(night, target, found):
    regions, total = found
    night.state.do("INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?)", night.number, target, regions, total)
    least = floor(night.state, night.number, target, total)
    if least is not None and regions < least:
        name = "all targets" if target == ALL else target
        night.problem(f"{name}: the corpus reaches {regions:,} regions, and {least:,} is its floor")
