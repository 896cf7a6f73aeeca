# SPDX-License-Identifier: Apache-2.0
"""Tests the text of the pages of buckets, and SARIF, without a browser."""
import base64
import copy
import json
import os
import pathlib
import re
import unittest

from . import bucket_page, samples, sarif

try:
    import jsonschema
except ImportError:
    jsonschema = None
else:
    from . import schemas


class BucketTest(samples.PagesCase):
    def page(self, each):
        return samples.Page(self.write_bucket(each))

    def test_complete_bucket(self):
        page = self.page(self.bucket())
        text = page.text
        for words in ("Severity high: a read beyond", "fuzz_file (libfuzzer)", "failed in 5 of 5 runs",
                      "etl_buffer_next decoder/src/buffer.c:120", "WMI_BUFFER_HEADER.CurrentOffset", "0x10008 (65,544)",
                      "BUF-005 Offset, or SavedOffset where Offset is out of range",
                      "BUF-005 (error) at 0x10008, buffer 1: Offset is 0x7fffffff, expected at most 0x2000; resync",
                      "72 bytes from 4,096, 1.8 % of it, in 812 tries and 1.2 s.", "byte for byte",
                      "buffer first { CurrentOffset = 0x7fffffff }",
                      '{"id": "buffer-offset-past-the-end", "rule": "BUF-005"}',
                      "gdb --args", "heap-buffer-overflow on address"):
            self.assertIn(words, text)
        self.assertEqual((text.count("CurrentOffset here"), page.attributes("class").count("line marked")), (1, 1))
        self.assertIn("10008ff ff ff 7f|....|WMI_BUFFER_HEADER.CurrentOffset here", text)
        self.assertNotIn("Flaky", text)

    def test_unknown_facts_are_stated(self):
        text = self.page(self.bare()).text
        for words in ("toy-parser, a parser", "not known: there was no stack", "Not explained",
                      "4,096 bytes, as it was found: not minimised.",
                      "There was no stack.", "There is no recipe: none was written.",
                      "There is no vector: none was drafted.",
                      "No command is known to reproduce it.", "No command is known to debug it.", "Nothing."):
            self.assertIn(words, text)

    def test_reason_why_an_answer_is_wrong(self):
        said = "accepted, but event 3 is missing\nthe parser's own words\n"
        for detail, shown in (("event SIZ-002", "accepted, but event 3 is missing"), ("", "the parser's own words")):
            text = self.page(samples.bare_bucket(self.folder, text=said, detail=detail)).text
            self.assertIn(f"What is wrong\n{shown}\n", text)
        self.assertNotIn("What is wrong", self.page(self.bucket()).text)

    def test_unknown_facts_of_an_explanation_are_stated(self):
        explain = {**dict.fromkeys(samples.explain_of(self.folder, "x")), "hex": []}
        text = self.page(self.bucket(explain=explain)).text
        for words in ("Structure\nnot known", "Offset\nnot known", "none: no rule of the format", "How we know\nnot known",
                      "none: the reference decoder finds nothing", "There are no bytes to show.", "There is no recipe"):
            self.assertIn(words, text)

    def test_members_that_decide(self):
        """Each with its offset and how many replacements ended the failure; or that there is none."""
        each = self.bucket()
        text = " ".join(self.page(each).text.split())
        self.assertRegex(text, r"WMI_BUFFER_HEADER\.CurrentOffset at 0x10008 ?: 3 of 5 replacements ended the failure, "
                               "such as 00 00 00 00")
        self.assertIn("WMI_BUFFER_HEADER.SavedOffset at 0x10004", text)
        each["explain"]["decides"] = []
        self.assertIn("none: no replacement of a single member is known to end the failure", self.page(each).text)

    def test_member_of_an_inflated_buffer(self):
        each = self.bucket()
        each["explain"]["decides"][0]["space"] = "inflated"
        text = " ".join(self.page(each).text.split())
        self.assertRegex(text, r"CurrentOffset at 0x10008 ?of the inflated buffer: 3 of 5 replacements")
        self.assertRegex(text, r"SavedOffset at 0x10004 ?: 1 of 5 replacements")

    def test_each_reason_has_a_line(self):
        each = self.bucket()
        each["explain"]["why"] = "first reason; second reason"
        self.assertRegex(self.page(each).text, r"How we know\n+first reason\n+second reason\n")

    def test_reason_why_there_is_no_vector(self):
        each = self.bucket()
        each["explain"].update(vector=None, vector_id=None, vector_note="the reference decoder does not pass it")
        self.assertIn("There is no vector: the reference decoder does not pass it.", self.page(each).text)

    def test_commit(self):
        found = {"commit": "c0ffee" + "0" * 34, "subject": "break it", "steps": 7, "note": None}
        for status, word in (("new", "introduced"), ("fixed", "fixed")):
            text = self.page(self.bucket(status=status, commit=found)).text
            self.assertIn(f"Commit\n{word} by c0ffee000000 break it, by 7 runs on other commits", text)
        unknown = {**found, "commit": None, "subject": None, "note": "fails in all 7 commits that were tried"}
        self.assertIn("commit not known: fails in all 7 commits", self.page(self.bucket(commit=unknown)).text)
        self.assertNotIn("Commit\n", self.page(self.bucket(commit=None)).text)

    def test_merge_and_split_by_hand(self):
        text = self.page(self.bucket(merged=["one", "two"], split_from="three")).text
        self.assertIn("Merged by hand\nfrom one, two", text)
        self.assertIn("Split by hand\nfrom three", text)
        self.assertNotIn("by hand", self.page(self.bucket(merged=[], split_from=None)).text)

    def test_offset_behind_all_bytes(self):
        each = self.bucket()
        words = "The offset lies behind these bytes."
        self.assertNotIn(words, self.page(each).text)
        for line in each["explain"]["hex"]:
            line["mark"] = False
        self.assertIn(words, self.page(each).text)

    def test_unstable_failures_are_marked(self):
        for runs, failed, status, words in ((5, 3, "new", "Flaky: its inputs failed in 3 of 5 runs"),
                                            (5, 0, "known", "Not reproduced: none of 5 runs failed"), (5, 0, "fixed", None),
                                            (5, 5, "new", None), (0, 0, "new", None)):
            page = self.page(self.bucket(runs=runs, failed=failed, status=status))
            self.assertEqual("doubt" in page.attributes("class"), words is not None)
            self.assertEqual("Fixed. Its inputs pass now" in page.text, status == "fixed")
            self.assertIn(words or "", page.text)
        self.assertIn("not run again", page.text)

    def test_page_contains_a_small_input(self):
        each = self.bucket()
        for size in (0, 72, bucket_page.CARRIED, bucket_page.CARRIED + 1):
            data = bytes(number * 7 % 256 for number in range(size))
            pathlib.Path(each["smallest"]["path"]).write_bytes(data)
            links = [link for link in self.page(each).attributes("href") if link.startswith("data:")]
            self.assertEqual(len(links), size <= bucket_page.CARRIED)
            for link in links:
                self.assertEqual(base64.b64decode(link.partition("base64,")[2]), data)

    def test_long_file_is_cut_with_a_note(self):
        each = self.bucket()
        pathlib.Path(each["explain"]["recipe"]).write_text("x" * (bucket_page.SHOWN + 9), encoding="utf-8")
        text = self.page(each).text
        self.assertIn("Only its first 131,072 characters are shown", text)
        self.assertEqual(len(re.search(r"xxx+", text)[0]), bucket_page.SHOWN)

    def test_many_inputs(self):
        one = self.bucket()["inputs"][0]
        text = self.page(self.bucket(inputs=[one] * (bucket_page.INPUTS + 3))).text
        self.assertEqual(text.count(one["sha256"]), bucket_page.INPUTS)
        self.assertIn("and 3 larger ones", text)


class SarifTest(samples.PagesCase):
    def log(self, *buckets):
        path = os.path.join(self.folder, "report.sarif")
        sarif.write(buckets, path)
        log = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if jsonschema:
            schemas.validator("sarif").validate(log)
        return log["runs"][0]

    def test_result_of_a_bucket(self):
        each = self.bucket()
        run = self.log(each)
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"], result["baselineState"]),
                         ("asan/heap-buffer-overflow", "error", "new"))
        self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        self.assertEqual(result["partialFingerprints"], {"etlproofBucket/v1": each["id"]})
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place, {"artifactLocation": {"uri": "decoder/src/buffer.c", "uriBaseId": "SRCROOT"},
                                 "region": {"startLine": 120}})
        self.assertEqual([frame["location"]["logicalLocations"][0]["name"] for frame in result["stacks"][0]["frames"]],
                         [frame["function"] for frame in each["stack"]])

    def test_inputs_are_artifacts(self):
        each = self.bucket()
        run = self.log(each, self.bucket(2, inputs=each["inputs"]))
        found = run["artifacts"][1]
        self.assertEqual(found["location"]["uri"], pathlib.Path(each["inputs"][0]["path"]).as_uri())
        self.assertEqual((found["hashes"], found["length"]), ({"sha-256": each["inputs"][0]["sha256"]}, 4096))
        self.assertEqual([len(artifact["hashes"]["sha-256"]) for artifact in run["artifacts"]], [64, 64, 64])
        for result in run["results"]:
            for attachment in result["attachments"]:
                at = attachment["artifactLocation"]
                self.assertEqual(run["artifacts"][at["index"]]["location"]["uri"], at["uri"])

    def test_levels_and_states(self):
        buckets = [self.bucket(number, status, severity={"level": level, "why": "w"})
                   for number, (level, status) in enumerate((("high", "new"), ("medium", "known"), ("low", "fixed"),
                                                             ("low", "untried")))]
        told = [(result["level"], result["baselineState"]) for result in self.log(*buckets)["results"]]
        self.assertEqual(told, [("error", "new"), ("warning", "unchanged"), ("note", "absent"), ("note", "unchanged")])

    def test_failure_without_a_stack_has_its_input_as_location(self):
        each = self.bare()
        (result,) = self.log(each)["results"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(place["uri"], pathlib.Path(each["inputs"][0]["path"]).as_uri())

    def test_evil_text(self):
        evil = samples.EVIL
        self.log(self.bucket(title=evil, what=evil, frame={"function": evil, "file": "a b" + evil, "line": 0}))
        self.assertEqual(self.log()["results"], [])


@unittest.skipUnless(jsonschema, "needs jsonschema (Debian: python3-jsonschema)")
class SchemaTest(samples.PagesCase):
    def test_samples_conform_to_the_schemas(self):
        for report in self.nights().values():
            schemas.validator("report").validate(report)
        for each in (self.bucket(), self.bare()):
            schemas.validator("bucket").validate(each)

    def test_every_member_is_required(self):
        report = samples.night([self.bucket()])
        check = schemas.validator("report")
        for path in _paths(report):
            broken = copy.deepcopy(report)
            inside = broken
            for key in path[:-1]:
                inside = inside[key]
            del inside[path[-1]]
            self.assertFalse(check.is_valid(broken), path)


def _paths(value, path=()):
    """The paths of all members, except those below members with free content."""
    if isinstance(value, dict) and path[-1:] not in (("clean",), ("finding",)):
        for key, inside in value.items():
            yield (*path, key)
            yield from _paths(inside, (*path, key))
    elif isinstance(value, list) and value:
        yield from _paths(value[0], (*path, 0))


if __name__ == "__main__":
    unittest.main()
