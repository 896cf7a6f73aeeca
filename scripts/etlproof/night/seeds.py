# SPDX-License-Identifier: Apache-2.0
"""The phase that adds new seeds to the corpora: the builder's seeds, the regressions, and parts of real traces."""
import os
import shutil

from etlproof import ROOT
from etlproof.campaign import children, plan, targets
from runner.failure import INPUT, Failure
from . import build, corpus, durable, minimise

CARVE = os.path.join("bin", "etlproof-carve")
# Bytes used of a trace: a truncated trace is still a trace, and its first buffers are representative.
MOST = 131072


def phase(night):
    given = 0
    for target in night.targets.values():
        folders = [plan.made_seeds(target), os.path.join(ROOT, "corpus", "regressions", target.name)]
        given += give(night, target, _inputs(folders))
    given += _give_parts(night, _traces(night))
    return f"{given:,} new inputs", None


def _inputs(folders):
    paths = (os.path.join(folder, name) for folder in folders for name in sorted(corpus.files(folder)))
    return {corpus.digest(data): data for data in map(corpus.read, paths)}


def seen(state, mark):
    return {row[0] for row in state.rows("SELECT sha1 FROM seeds WHERE mark = ?", mark)}


def remember(state, mark, names):
    state.do_all("INSERT OR IGNORE INTO seeds VALUES (?, ?)", [(mark, name) for name in names])


def give(night, target, inputs, mark=None, origin="seed"):
    """Adds inputs by digest, each only once under a mark, so that inputs removed by minimising do not come back. Returns
    how many were added."""
    mark = mark or target.name
    old = seen(night.state, mark)
    new = {name: data for name, data in inputs.items() if name not in old}
    taken = corpus.Corpus(night.state, night.number, target.name).add(new.values(), origin)
    remember(night.state, mark, new)
    return len(taken)


def _traces(night):
    """The user's traces: the part of each that is used, by its hash."""
    def leave_out(error):
        night.problem(f"{error.filename}: cannot read: {error.strerror}; skipped", breaks=False)

    found = {}
    folder = night.run()["seeds"]
    for place, _, names in os.walk(folder, onerror=leave_out) if folder else ():
        for name in filter(lambda name: name.endswith(".etl"), names):
            try:
                data = _beginning(os.path.join(place, name))
            except OSError as error:
                leave_out(error)
            else:
                found[corpus.digest(data)] = data
    return found


def _beginning(path):
    with open(path, "rb") as file:
        return file.read(MOST)


def _give_parts(night, traces):
    """Adds inputs carved from the traces, for every target: of thousands, only a set that covers as much as all of them.
    Each trace is used once for a target, so that most nights have nothing to do here."""
    folder, carved, given = night.state.path("carved"), None, 0
    for target in night.targets.values():
        mark = "traces of " + target.name
        new = set(traces) - seen(night.state, mark)
        if not new or (minimise.PRESET, target.name) not in night.built:
            continue
        carved = carved or _carve(night, traces, folder)
        parts = os.path.join(carved, target.name)
        if corpus.files(parts):
            kept, _ = minimise.cover(night, target, parts)
            given += give(night, target, kept)
        remember(night.state, mark, new)
    shutil.rmtree(folder, ignore_errors=True)
    return given


def _carve(night, traces, folder):
    """Carves the traces; returns the folder of the result."""
    shutil.rmtree(folder, ignore_errors=True)
    whole, parts = os.path.join(folder, "whole"), os.path.join(folder, "parts")
    durable.make_folders(whole)
    for name, data in traces.items():
        durable.write(os.path.join(whole, name + ".etl"), data)
    log = night.state.path("logs", "carve.log")
    with open(log, "w", encoding="utf-8") as file:
        status = children.run([os.path.join(ROOT, "build", build.MAKER, CARVE), "--quiet", "--targets", targets.TABLE, "-o",
                               parts, whole], stdout=file, stderr=file)
    if status not in (0, 1):  # 1: there was nothing for one of the targets
        raise Failure(INPUT, f"{night.run()['seeds']}: cannot take its traces apart: see {log}")
    return parts
