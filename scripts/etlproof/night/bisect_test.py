# SPDX-License-Identifier: Apache-2.0
"""Tests the search for the commit of a bucket in a real repository, whose program is a script."""
import os
import subprocess
import unittest
from unittest import mock

from etlproof.folder_case import FolderCase
from etlproof.pages import causes
from . import bisect


class Target(bisect.Target):
    """A program that is a script."""

    def __init__(self, target, preset, program):
        super().__init__("fuzz_event", preset, program)


class BisectTest(FolderCase):
    """Commit 3 is bad, commit 7 good again; commit 5 does not build."""

    BROKEN = 5

    def setUp(self):
        super().setUp()
        self.tree = os.path.join(self.folder, "source")
        os.mkdir(self.tree)
        self.git("init", "--quiet")
        self.commits = [self.commit(number) for number in range(10)]
        self.input = self.write("input", "x")
        self.built = []
        clone = bisect.Clone(os.path.join(self.folder, "state"), os.path.join(self.folder, "log"), self.tree)
        clone.build = lambda *_: self.build(clone)
        self.clone = clone
        patched = mock.patch.object(bisect, "Target", Target)
        patched.start()
        self.addCleanup(patched.stop)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=self.tree, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, number):
        end = "echo 'oracle tiling broken at offset 0x12 (one window): x' >&2; exit 77" if 3 <= number < 7 else "exit 0"
        path = self.write("source/program", f"#!/bin/sh\n# {number}\n{end}\n", executable=True)
        self.git("add", path)
        self.git("commit", "--quiet", "-m", f"commit {number}")
        return self.git("rev-parse", "HEAD")

    def build(self, clone):
        head = clone.git("rev-parse", "HEAD")
        self.built.append(self.commits.index(head))
        return None if self.built[-1] == self.BROKEN else os.path.join(clone.folder, "program")

    def search(self, status, tested, earlier=(), **changes):
        bucket = {"id": "b", "status": status, "kind": "oracle", "what": "tiling", "preset": "libfuzzer",
                  "target": "fuzz_event", "smallest": {"path": self.input}, **changes}
        return bisect.Search(self.clone, bucket, self.commits[tested], [self.commits[number] for number in earlier]).go()

    def test_commit_that_introduced_a_bug(self):
        for earlier in ((), (4, 1)):
            found = self.search("new", 6, earlier)
            self.assertEqual((self.commits[3], "commit 3", None), (found["commit"], found["subject"], found["note"]))

    def test_programs_are_built_once(self):
        self.search("new", 4)
        built = list(self.built)
        self.search("regressed", 4)
        self.assertEqual(built, self.built)
        self.assertEqual(len(set(built)), len(built))

    def test_commit_that_fixed_a_bug(self):
        found = self.search("fixed", 9, (6,))
        self.assertEqual((self.commits[7], "commit 7"), (found["commit"], found["subject"]))

    def test_commit_is_not_known(self):
        """The bug is not in the commit, was always there, or lies among commits that do not build."""
        self.assertRegex(self.search("new", 9)["note"], "^not shown by [0-9a-f]{12} as it was committed: ")
        self.assertRegex(self.search("new", 4, what="streaming")["note"], "^not shown by ")
        with mock.patch.object(bisect.failures, "classify", lambda _: mock.Mock(kind="oracle", what="tiling")):
            self.assertRegex(self.search("new", 6)["note"], r"^fails in all \d commits that were tried$")
        self.clone.build = lambda *_: None
        self.assertRegex(self.search("new", 8)["note"], "^not shown by ")

    def test_source_repository_is_left_alone(self):
        questions = (("status", "--porcelain"), ("rev-parse", "HEAD"), ("for-each-ref",))
        before = [self.git(*words) for words in questions]
        self.search("new", 6)
        self.assertEqual(before, [self.git(*words) for words in questions])
        later = self.commit(10)
        again = bisect.Clone(os.path.join(self.folder, "state"), os.path.join(self.folder, "log"), self.tree)
        self.assertEqual(later, again.commit(later))

    def test_buckets_of_one_commit_have_one_cause(self):
        def bucket(commit):
            return {"inputs": [], "frame": None, "explain": None, "kind": "asan", "what": "x",
                    "commit": commit and {"commit": commit}}
        self.assertEqual("introduced by the same commit", causes._why_same(bucket("a"), bucket("a")))
        self.assertIsNone(causes._why_same(bucket("a"), bucket(None)))
        same = {**bucket("b"), "kind": "oracle"}
        self.assertIsNone(causes._why_same({**bucket("a"), "kind": "oracle"}, same))


class PhaseTest(FolderCase):
    def test_buckets_that_are_searched(self):
        """The first of each cause, and fixed ones; the commits of earlier runs are tried first."""
        def bucket(name, status, **changes):
            return {"id": name, "status": status, "target": "fuzz_event", "smallest": {"path": "p", "size": 1},
                    "inputs": [], "frame": None, "explain": None, "kind": "oracle", "what": name[0],
                    "severity": {"level": "low"}, "preset": "libfuzzer", "detail": "", "access": None, **changes}
        night = mock.Mock()
        night.state.result.return_value = [bucket("a1", "new"), bucket("a2", "new"), bucket("b1", "known"),
                                           bucket("c1", "fixed"), bucket("d1", "regressed"),
                                           bucket("e1", "new", target=None)]
        night.state.rows.return_value = [("old",), ("older",)]
        night.run.return_value = {"commit_id": "now+"}
        clone = mock.Mock(commit=lambda name: name)
        with mock.patch.object(bisect, "Clone", lambda *_: clone), mock.patch.object(bisect, "Search") as search:
            search.return_value.go.side_effect = [{"commit": "x"}, {"commit": None}, {"commit": "y"}]
            text, found = bisect.phase(night)
        self.assertEqual("the commits of 2 of 3 buckets are known", text)
        self.assertEqual(["a1", "c1", "d1"], list(found))
        self.assertEqual(("now", ["old", "older"]), search.call_args[0][2:])


if __name__ == "__main__":
    unittest.main()
