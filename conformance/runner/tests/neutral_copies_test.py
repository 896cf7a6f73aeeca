# SPDX-License-Identifier: Apache-2.0
"""The parser gets copies of the vectors under neutral names; reports and commands name the vectors."""
import json
import os
import sys

from ..failure import Failure
from ..neutral_copies import NeutralCopies
from ..parser_under_test import Answer
from ..vectors import read_folder
from .runner_fixture import RunnerCase

# Writes the names that it sees into a file, and rejects its input by name.
PARSER = """import json, os, sys
seen, path = sys.argv[1:]
if path == "--describe":
    print('{"name": "spy", "records": {"event": ["*"]}}')
    sys.exit(0)
with open(seen, "a") as file:
    file.write(json.dumps([path, os.listdir(os.path.dirname(path))]) + "\\n")
sys.exit(f"{path}: {os.path.basename(path)[:-4]} rejected")
"""


class NeutralCopiesTest(RunnerCase):
    def test_parser_sees_no_names(self):
        seen, parser = os.path.join(self.folder, "seen"), self.file("spy.py", PARSER)
        self.run_raw("-j", "1", "--no-confine", "--", sys.executable, parser, seen, "{file}", code=1)
        with open(seen, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        names = [f"vector-{number:05}.etl" for number in range(1, 5)]
        self.assertEqual(names, [os.path.basename(path) for path, _ in rows])
        self.assertEqual([[name] for name in names], [listed for _, listed in rows])
        self.assertFalse(os.path.exists(os.path.dirname(rows[0][0])))

    def test_reports_name_the_vector(self):
        seen, parser = os.path.join(self.folder, "seen"), self.file("spy.py", PARSER)
        self.run_raw("--no-confine", "--", sys.executable, parser, seen, "{file}", code=1)
        result = self.results()["size-ok"]
        path = os.path.join(self.golden, "size", "size-ok.etl")
        self.assertTrue(os.path.exists(path))
        self.assertEqual(f"a well-formed file was rejected: {path}: size-ok rejected", result["detail"])
        self.assertIn(path, result["command"])
        self.assertNotIn("vector-0", json.dumps(self.read_report()))

    def test_request_to_a_long_lived_parser_is_neutral(self):
        vectors = read_folder(self.golden)
        with NeutralCopies() as copies:
            neutral = list(copies.of(vectors))
            self.assertEqual(["vector-00001", "vector-00002"], [copy["id"] for copy in neutral[:2]])
            answer = Answer("crash", "vector-00002 is odd", stderr=neutral[1]["path"])
            self.assertIs(vectors[1], copies.original(neutral[1], answer))
            self.assertEqual((f"{vectors[1]['id']} is odd", vectors[1]["path"]), (answer.reason, answer.stderr))

    def outcome(self, change):
        """The outcome for a vector whose copy was changed, and that of the next one."""
        with NeutralCopies() as copies:
            first, second = copies.of(read_folder(self.golden)[:2])
            change(first["path"])
            answers = [Answer("accept"), Answer("accept")]
            for copy, answer in zip((first, second), answers):
                copies.original(copy, answer)
            copies.original(first, Answer("crash"))  # a later answer in place of the first
            self.assertEqual([], os.listdir(copies.folder))
        return [(answer.outcome, answer.reason) for answer in answers]

    def test_changed_input_is_noticed(self):
        for change in (os.remove, lambda path: os.truncate(path, 3)):
            self.assertEqual([("crash", "changed its input"), ("accept", "")], self.outcome(change))
        self.assertEqual([("accept", ""), ("accept", "")], self.outcome(lambda path: None))

    def test_vector_that_changes_during_the_run(self):
        vectors = read_folder(self.golden)
        os.truncate(vectors[0]["path"], 3)
        with NeutralCopies() as copies, self.assertRaises(Failure) as caught:
            next(copies.of(vectors))
        self.assertEqual(f"{vectors[0]['path']}: changed during the run", str(caught.exception))
