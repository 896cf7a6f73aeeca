# SPDX-License-Identifier: Apache-2.0
"""The parser gets copies of the vectors under neutral names; reports and commands name the vectors."""
import json
import os
import sys

from ..neutral_copies import NeutralCopies
from ..parser_under_test import Answer
from ..vectors import read_folder
from .runner_fixture import RunnerCase

# Writes the names that it sees into a file, changes its input, and names it.
PARSER = """import json, os, sys
seen, path = sys.argv[1:]
if path == "--describe":
    print('{"name": "spy", "records": {"event": ["*"]}}')
    sys.exit(0)
folder = os.path.dirname(path)
with open(seen, "a") as file:
    file.write(json.dumps([path, sorted(os.listdir(folder)), sorted(os.listdir(os.path.dirname(folder)))]) + "\\n")
os.remove(path)
sys.exit(f"{path}: {os.path.basename(path)[:-4]} rejected")
"""


class NeutralCopiesTest(RunnerCase):
    def test_parser_sees_no_names(self):
        seen, parser = os.path.join(self.folder, "seen"), self.file("spy.py", PARSER)
        self.run_raw("-j", "1", "--", sys.executable, parser, seen, "{file}", code=1)
        with open(seen, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        names = [f"vector-{number:05}.etl" for number in range(1, 5)]
        self.assertEqual(names, [os.path.basename(path) for path, _, _ in rows])
        self.assertEqual([names[number:] for number in range(4)], [listed for _, listed, _ in rows])
        self.assertFalse(os.path.exists(rows[0][0]))
        self.assertFalse(os.path.exists(os.path.dirname(rows[0][0])))

    def test_reports_name_the_vector(self):
        seen, parser = os.path.join(self.folder, "seen"), self.file("spy.py", PARSER)
        self.run_raw("--", sys.executable, parser, seen, "{file}", code=1)
        result = self.results()["size-ok"]
        path = os.path.join(self.golden, "size", "size-ok.etl")
        self.assertTrue(os.path.exists(path))
        self.assertEqual(f"a well-formed file was rejected: {path}: size-ok rejected", result["detail"])
        self.assertIn(path, result["command"])
        self.assertNotIn("vector-0", json.dumps(self.read_report()))

    def test_request_to_a_long_lived_parser_is_neutral(self):
        vectors = read_folder(self.golden)
        with NeutralCopies(vectors) as copies:
            self.assertEqual(["vector-00001", "vector-00002"], [copy["id"] for copy in copies.vectors[:2]])
            answer = Answer("crash", "vector-00002 is odd", stderr=copies.vectors[1]["path"])
            self.assertIs(vectors[1], copies.original(copies.vectors[1], answer))
            self.assertEqual((f"{vectors[1]['id']} is odd", vectors[1]["path"]), (answer.reason, answer.stderr))
