# SPDX-License-Identifier: Apache-2.0
"""The phase of --bisect: finds the commit that introduced a new or regressed bucket, and the commit that fixed a fixed one,
by git bisect with the smallest input. Commits are built in a clone in the state folder, and their programs are kept."""
import os
import re
import shutil
import subprocess

from etlproof import ROOT, failures
from etlproof.campaign import builds, children, targets
from etlproof.pages.causes import causes_of
from etlproof.pages.wording import smallest_of
from etlproof.triage.program import Target
from runner.failure import INPUT, Failure
from . import durable

# How often an input is run on a commit: it fails there if it fails once.
RUNS = 3
# Besides the commits of earlier runs: so many commits back.
BACK = (8, 64, 512)
_FOUND = re.compile(r"^([0-9a-f]{40}) is the first \w+ commit", re.M)


class Clone:
    """A clone of the tree in which commits are built. Nothing in the tree itself is changed."""

    def __init__(self, folder, log, source=ROOT):
        self.folder, self.log, self._programs = os.path.join(folder, "tree"), log, os.path.join(folder, "programs")
        durable.make_folders(folder)
        if os.path.isdir(self.folder):
            self.git("fetch", "--quiet", "--tags", source, "HEAD")
        else:
            self._run(["git", "clone", "--quiet", "--no-checkout", source, self.folder], None)
        self.git("bisect", "reset", fails=False)

    def git(self, *words, fails=True):
        """What git prints; None if it fails and may."""
        return self._run(["git", *words], self.folder, fails)

    @staticmethod
    def _run(command, folder, fails=True):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode and fails:
            raise Failure(INPUT, f"{' '.join(command[:3])}: {done.stderr.strip()[-300:]}")
        return None if done.returncode else done.stdout.strip()

    def commit(self, name):
        """The hash of a commit; None if there is none of this name."""
        return self.git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", fails=False)

    def is_before(self, one, other):
        return one != other and self.git("merge-base", "--is-ancestor", one, other, fails=False) is not None

    def program(self, commit, preset, target):
        """The path of a target as it was at a commit; None if it cannot be built."""
        path = os.path.join(self._programs, commit, preset, target)
        if not os.path.exists(path):
            self.git("checkout", "--quiet", "--force", commit)
            built = self.build(preset, target)
            if built is None:
                return None
            durable.make_folders(os.path.dirname(path))
            shutil.copy(built, path + ".new")
            os.replace(path + ".new", path)
        return path

    def build(self, preset, target):
        """Builds what is checked out; the path, or None."""
        with open(self.log, "a", encoding="utf-8") as log:
            for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", target]):
                if children.run(command, cwd=self.folder, stdout=log, stderr=log) != 0:
                    return None
        return os.path.join(self.folder, os.path.relpath(builds.target_path(preset, targets.find(target)), ROOT))


class Search:
    """The search for the commit at which one bucket began or ceased to fail. `tested` is the commit of this run, `earlier`
    are those of earlier runs, the last first."""

    def __init__(self, clone, bucket, tested, earlier):
        self.clone, self.bucket, self.tested, self.earlier = clone, bucket, tested, earlier
        self.path, self.steps = smallest_of(bucket)["path"], 0

    def fails(self, commit):
        """Whether the input shows the bug at a commit; None if that commit cannot be built."""
        program = self.clone.program(commit, self.bucket["preset"], self.bucket["target"])
        if program is None:
            return None
        self.steps += 1
        subject = Target(self.bucket["target"], self.bucket["preset"], program)
        kinds = [failures.classify(subject.run(self.path)) for _ in range(RUNS)]
        return any(kind and (kind.kind, kind.what) == (self.bucket["kind"], self.bucket["what"]) for kind in kinds)

    def go(self):
        """The commit, or why it is not known, for the bucket's record."""
        was_fixed = self.bucket["status"] == "fixed"
        if self.fails(self.tested) is not (not was_fixed):
            return self._result(None, f"not shown by {self.tested[:12]} as it was committed: the tree had uncommitted "
                                      "changes, or the failure is flaky")
        other = self._other_side(was_fixed)
        if other is None:
            return self._result(None, f"{'passes' if was_fixed else 'fails'} in all {self.steps} commits that were tried")
        self.clone.git("bisect", "start", "--first-parent", "--term-old=before", "--term-new=since")
        self.clone.git("bisect", "before", other)
        said = self.clone.git("bisect", "since", self.tested)
        while not (found := _FOUND.search(said)) and "only 'skip'ped" not in said:
            said = self._step(was_fixed) or "only 'skip'ped"
        self.clone.git("bisect", "reset")
        return self._result(found[1], None) if found else self._result(None, "the commits around it cannot be built")

    def _step(self, was_fixed):
        fails = self.fails(self.clone.commit("HEAD"))
        word = "skip" if fails is None else "since" if fails is not was_fixed else "before"
        return self.clone.git("bisect", word, fails=False)

    def _other_side(self, was_fixed):
        """The last commit tried that differs from the tested one."""
        back = [self.clone.commit(f"{self.tested}~{number}") for number in BACK]
        root = self.clone.git("rev-list", "--first-parent", "--max-parents=0", self.tested).split()
        for commit in dict.fromkeys(filter(None, [*self.earlier, *back, *root])):
            if self.clone.is_before(commit, self.tested) and self.fails(commit) is was_fixed:
                return commit
        return None

    def _result(self, commit, note):
        subject = commit and self.clone.git("log", "-1", "--format=%s", commit)
        return {"commit": commit, "subject": subject, "steps": self.steps, "note": note}


def phase(night):
    buckets = night.state.result(night.number, "triage") or []
    first = {cause["bucket"] for cause in causes_of(buckets)}
    chosen = [bucket for bucket in buckets if (bucket["id"] in first or bucket["status"] == "fixed")
              and bucket["target"] and smallest_of(bucket)]
    if not chosen:
        return "no new, regressed or fixed bucket", {}
    clone = Clone(night.state.path("bisect"), night.state.path("logs", "bisect.log"))
    tested = clone.commit((night.run()["commit_id"] or "HEAD").rstrip("+"))
    if tested is None:
        raise Failure(INPUT, "git does not know the commit that was tested")
    earlier = [clone.commit(row[0]) for row in night.state.rows(
        "SELECT commit_id FROM runs WHERE id < ? AND commit_id NOT LIKE '%+' ORDER BY id DESC", night.number)]
    found = {}
    for bucket in chosen:
        night.status.say(f"searching the commit of {bucket['id']}")
        found[bucket["id"]] = Search(clone, bucket, tested, earlier).go()
    known = sum(result["commit"] is not None for result in found.values())
    return f"the commits of {known} of {len(found)} buckets are known", found
