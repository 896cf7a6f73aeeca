# SPDX-License-Identifier: Apache-2.0
"""Packages of vectors and runner (scripts/archive), which work without the rest of the tree."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
COUNT = """
import os, sys
sys.path.insert(0, sys.argv[1])
import etlproof_vectors
print(sum(os.path.getsize(vector["path"]) == vector["size"] for vector in etlproof_vectors.vectors()))
"""
COUNT_JS = """
const fs = require("fs");
const { vectors } = require(process.argv[1]);
console.log([...vectors()].filter((vector) => fs.statSync(vector.path).size === vector.size).length);
"""


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "the archive is made from the last commit")
class ArchiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def packed(self, form, name):
        path = os.path.join(self.folder, name)
        done = run(os.path.join(ROOT, "scripts", "archive"), "--format", form, "-o", path)
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        return path

    def unpacked(self, form):
        with tarfile.open(self.packed(form, "packed")) as archive:
            archive.extractall(self.folder)
        return os.path.join(self.folder, next(name for name in os.listdir(self.folder) if name != "packed"))

    def vectors(self):
        with open(os.path.join(ROOT, "conformance", "golden", "MANIFEST.tsv"), encoding="utf-8") as file:
            return sum(line.split("\t")[0].endswith((".etl", ".bin")) for line in file)

    def test_runs_a_parser(self):
        suite = os.path.join(self.unpacked("tar.gz"), "conformance")
        done = run(sys.executable, "-B", os.path.join(suite, "run"), "--filter", "id=size-only-*", "--report",
                   os.path.join(self.folder, "report"), "--", sys.executable,
                   os.path.join(suite, "adapters", "toy", "toy.py"), cwd=self.folder)
        self.assertEqual(("", 1), (done.stderr, done.returncode), done.stdout)
        self.assertIn("SIZ-", done.stdout)  # the rules, from the tables that are in the archive
        shown = run(sys.executable, "-B", os.path.join(suite, "show"), "size-only-0", cwd=self.folder)
        self.assertEqual(("", 0), (shown.stderr, shown.returncode))
        self.assertIn("Size", shown.stdout)  # a member, by its name

    def test_a_vector_of_a_release_stays(self):
        """A clone with a release, behind which a vector changes and another is removed."""
        clone = os.path.join(self.folder, "clone")
        git = ("git", "-C", clone, "-c", "user.name=t", "-c", "user.email=t@localhost")
        self.assertEqual(0, run("git", "clone", "-q", "--shared", ROOT, clone).returncode)
        self.assertEqual(0, run(*git, "tag", "v0.0.9").returncode)
        self.change(clone, os.path.join("conformance", "golden", "MANIFEST.tsv"),
                    lambda lines: lines[:1] + [lines[2].replace("\t", "\t0")] + lines[4:])
        self.assertEqual(0, run(*git, "commit", "-qam", "change").returncode)
        archive = os.path.join(clone, "scripts", "archive"), "-o", os.path.join(self.folder, "packed")
        done = run(*archive)
        self.assertEqual(1, done.returncode)
        self.assertIn("2 vectors of v0.0.9 are gone or changed, and CHANGELOG.md does not name them: `a", done.stderr)
        ids = done.stderr.partition("name them: ")[2]
        self.change(clone, "CHANGELOG.md", lambda lines: [*lines, f"Removed: {ids}"])
        self.assertEqual(0, run(*git, "commit", "-qam", "name them").returncode)
        self.assertEqual(("", 0), ((done := run(*archive)).stderr, done.returncode))

    @staticmethod
    def change(clone, name, edit):
        with open(os.path.join(clone, name), "r+", encoding="utf-8") as file:
            lines = edit(file.readlines())
            file.seek(0)
            file.truncate()
            file.writelines(lines)

    def test_the_wheel_lists_the_vectors(self):
        with zipfile.ZipFile(self.packed("wheel", "packed.whl")) as archive:
            archive.extractall(os.path.join(self.folder, "site"))
        done = run(sys.executable, "-B", "-c", COUNT, os.path.join(self.folder, "site"))
        self.assertEqual((f"{self.vectors()}\n", ""), (done.stdout, done.stderr))

    def test_the_wheel_records_all_of_its_files(self):
        with zipfile.ZipFile(self.packed("wheel", "packed.whl")) as archive:
            names = archive.namelist()
            record = archive.read(next(name for name in names if name.endswith(".dist-info/RECORD"))).decode()
        self.assertEqual(sorted(names), sorted(line.split(",")[0] for line in record.splitlines()))

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_the_npm_package_lists_the_vectors(self):
        package = self.unpacked("npm")
        done = run("node", "-e", COUNT_JS, package)
        self.assertEqual((f"{self.vectors()}\n", ""), (done.stdout, done.stderr))
        with open(os.path.join(package, "package.json"), encoding="utf-8") as file:
            command = json.load(file)["bin"]["etlproof-conformance"]
        self.assertTrue(os.access(os.path.join(package, command), os.X_OK))

    def test_one_commit_gives_one_file(self):
        first, second = (self.packed("wheel", name) for name in ("first", "second"))
        with open(first, "rb") as one, open(second, "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    unittest.main()
