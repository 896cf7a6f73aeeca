# SPDX-License-Identifier: Apache-2.0
"""The phase that makes each corpus smaller: what stays is a set cover of what libFuzzer sees under AddressSanitizer and
UndefinedBehaviorSanitizer, and what afl-cmin keeps of the rest, since AFL++ tells apart what libFuzzer does not."""
import os
import shutil

from . import corpus, durable
from campaign import builds, children, engines
from runner.failure import INPUT, Failure

PRESET, AFL = "libfuzzer", "afl"


def phase(night):
    before = after = 0
    left_out = []
    for target in night.targets.values():
        shelf = corpus.Corpus(night.state, night.number, target.name)
        names = shelf.names()
        if {(PRESET, target.name), (AFL, target.name)} - night.built:
            left_out.append(target.name)
            continue
        if not names:
            continue
        night.status.say(f"minimising {target.name}")
        kept, failed = cover(night, target, [shelf.folder])
        if not kept:
            raise Failure(INPUT, f"{target.name}: merging kept nothing of {len(names)} inputs; they all stay")
        shelf.add(kept.values(), PRESET)
        keep = (kept.keys() | _seen_by_afl(night, target, shelf)) - failed
        shelf.drop(names - keep)
        before, after = before + len(names), after + len(keep)
    if len(left_out) == len(night.targets):
        return "all as they were, for want of a build", None
    note = f"; as they were, for want of a build: {', '.join(left_out)}" if left_out else ""
    return f"{before:,} inputs to {after:,}{note}", None


def _room(night):
    """An empty folder."""
    folder = night.state.path("merged")
    shutil.rmtree(folder, ignore_errors=True)
    durable.make_folders(folder)
    return folder


def _run(night, what, command, **popen):
    log = night.state.path("logs", what + ".log")
    with open(log, "w", encoding="utf-8") as file:
        status = children.run(command, stdout=file, stderr=file, **popen)
    if status != 0:
        raise Failure(INPUT, f"{what} ends with exit status {status}: see {log}")


def cover(night, target, folders):
    """(inputs by their digests, digests of those that failed on the way): as few inputs as together show all that those in
    the folders do. Longer ones than the target takes are cut, and so are new. What fails is kept as a crash."""
    out = _room(night)
    _run(night, "merge-" + target.name, [
        builds.target_path(PRESET, target), "-set_cover_merge=1", f"-timeout={engines.INPUT_SECONDS}",
        f"-rss_limit_mb={engines.INPUT_MEMORY}", f"-max_len={target.most}",
        f"-artifact_prefix={os.path.join(out, 'failed-')}", out, *folders])
    kept = {name: corpus.read(os.path.join(out, name)) for name in corpus.files(out)}
    shutil.rmtree(out)
    return kept, _take_failed(night, target, kept)


def _take_failed(night, target, kept):
    """Takes what failed out of what merging has left, and keeps it as crashes; their digests."""
    failed = set()
    for name in [name for name in kept if name.startswith("failed-")]:
        data, kind = kept.pop(name), corpus.KINDS.get(name.split("-")[1])
        if kind:
            corpus.Crashes(night.state, night.number, target.name).add([data], kind, PRESET)
            failed.add(corpus.digest(data))
    return failed


def _seen_by_afl(night, target, shelf):
    out = _room(night)
    _run(night, "cmin-" + target.name, ["afl-cmin", "-i", shelf.folder, "-o", out, "-m", "none", "-t",
                                        f"{engines.INPUT_SECONDS}000", "--", builds.target_path(AFL, target)],
         env={**os.environ, **engines.AFL_MINIMISING})
    kept = corpus.files(out)
    shutil.rmtree(out)
    return kept
