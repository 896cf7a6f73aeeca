# SPDX-License-Identifier: Apache-2.0
"""The phase that minimises each corpus. It keeps a set cover of what libFuzzer sees under ASan and UBSan, and what afl-cmin
keeps of the rest: AFL++ distinguishes inputs that libFuzzer does not."""
import os
import shutil

from etlproof.campaign import builds, children, engines
from runner.failure import INPUT, Failure
from . import corpus, durable

PRESETS = PRESET, AFL = "libfuzzer", "afl"


def phase(night):
    """A target whose corpus cannot be minimised keeps all of it, and does not end the phase for the others."""
    before = after = 0
    left_out = []
    for target in night.targets.values():
        shelf = corpus.Corpus(night.state, night.number, target.name)
        names = shelf.names()
        if {(preset, target.name) for preset in PRESETS} - night.built:
            left_out.append(target.name)
            continue
        if not names:
            continue
        night.status.say(f"minimising {target.name}")
        try:
            _minimise(night, target, shelf, names)
        except Failure as failure:
            night.problem(str(failure))
        before, after = before + len(names), after + len(shelf.names())
    if len(left_out) == len(night.targets):
        return "none minimised: no build", None
    note = f"; not minimised, no build: {', '.join(left_out)}" if left_out else ""
    return f"{before:,} inputs to {after:,}{note}", None


def _minimise(night, target, shelf, names):
    kept, failed = cover(night, target, shelf.folder)
    shelf.add(kept.values(), PRESET)
    keep = kept.keys() | (_seen_by_afl(night, target, shelf) if kept else set())
    shelf.drop(names - keep - failed)


def _room(night, program, folder):
    """A folder with the program as `target`, the inputs as `in`, and an empty `out`. libFuzzer and afl-cmin pass paths to a
    shell without quoting; these names are safe."""
    room = night.state.path("merged")
    shutil.rmtree(room, ignore_errors=True)
    durable.make_folders(os.path.join(room, "out"))
    os.symlink(program, os.path.join(room, "target"))
    os.symlink(folder, os.path.join(room, "in"))
    return room


def _log(night, what):
    return night.state.path("logs", what + ".log")


def _run(night, what, program, folder, command, environment):
    """Runs the command in such a folder; returns the files in `out`, by name."""
    room = _room(night, program, folder)
    with open(_log(night, what), "w", encoding="utf-8") as file:
        status = children.run(command, cwd=room, env={**os.environ, **environment}, stdout=file, stderr=file)
    if status != 0:
        raise Failure(INPUT, f"{what} ends with exit status {status}: see {_log(night, what)}")
    out = os.path.join(room, "out")
    left = {name: corpus.read(os.path.join(out, name)) for name in corpus.files(out)}
    shutil.rmtree(room)
    return left


def cover(night, target, folder):
    """(inputs by digest, digests of those that failed meanwhile): as few inputs as cover all that those in the folder
    cover, and at least one unless all fail. Inputs that are too long for the target are cut, which makes them new. Failing
    inputs are set aside."""
    what = "merge-" + target.name
    kept = _run(night, what, builds.target_path(PRESET, target), folder, [
        "./target", "-set_cover_merge=1", *engines.input_limits(), f"-max_len={target.most}",
        "-artifact_prefix=out/failed-", "out", "in"], {"TMPDIR": "."})
    failed = _take_failed(night, target, kept)
    if not kept and corpus.files(folder) - failed:
        raise Failure(INPUT, f"{target.name}: merging kept no input of {folder}: see {_log(night, what)}")
    return kept, failed


def _take_failed(night, target, kept):
    """Moves failing inputs from the result of merging to the crashes; returns their digests."""
    failed = set()
    for name in [name for name in kept if name.startswith("failed-")]:
        data, kind = kept.pop(name), corpus.KINDS.get(name.split("-")[1])
        if kind:
            corpus.Crashes(night.state, night.number, target.name).add([data], kind, PRESET)
            failed.add(corpus.digest(data))
    return failed


def _seen_by_afl(night, target, shelf):
    return _run(night, "cmin-" + target.name, builds.target_path(AFL, target), shelf.folder, [
        "afl-cmin", "-i", "in", "-o", "out", "-m", "none", "-t", f"{engines.INPUT_SECONDS}000", "--", "./target"],
        engines.AFL_MINIMISING).keys()
