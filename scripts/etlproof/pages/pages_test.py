# SPDX-License-Identifier: Apache-2.0
"""Tests the text of the page of a night, without a browser."""
import ntpath
import os
import re
import shutil
import unittest
import urllib.parse
from unittest import mock

from runner.html_page import asset
from . import causes, charts, samples, sarif, templates, unreached_page, wording


class TextTest(unittest.TestCase):
    def test_seconds(self):
        for seconds, text in ((0, "0 s"), (1.23, "1.2 s"), (9.96, "10 s"), (59, "59 s"), (59.6, "1 min"), (60, "1 min"),
                              (61.4, "1 min 1 s"), (3600, "1 h"), (3599.9, "1 h"), (7325, "2 h 2 min"),
                              (90061, "1 d 1 h"), (86400 * 12 + 59, "12 d")):
            self.assertEqual(wording.say_seconds(seconds), text)

    def test_line_for_a_table(self):
        def line(*values):
            found = charts.spark("It", [charts.Point(run, "", value, 0) for run, value in enumerate(values, 1)], "each")
            return found["segments"], found["dot"], found["last"]

        self.assertEqual((["4.0,22.0 60.0,13.0 116.0,4.0"], ("116.0", "4.0"), "3"), line(1, 2, 3))
        self.assertEqual((["4.0,13.0 116.0,13.0"], ("116.0", "13.0"), "5"), line(5, 5))  # flat: in the middle
        self.assertEqual((["4.0,22.0", "116.0,4.0"], ("116.0", "4.0"), "9"), line(1, None, 9))  # broken
        self.assertEqual((["4.0,13.0"], ("4.0", "13.0"), "5"), line(5, None))
        self.assertEqual(([], None, None), line(None, None))

    def test_scales_contain_all_values_and_have_few_ticks(self):
        for values in ([], [0], [7], [7, 7], [0, 1], [2023, 2117], [1e9, 3.3e9], [999, 1001], [0.2, 0.4]):
            for from_zero in (True, False):
                axis = charts.scale(values, from_zero)
                self.assertTrue(all(axis.low <= value <= axis.high for value in values), values)
                self.assertLess(axis.low, axis.high)
                self.assertGreaterEqual(axis.low, 0)
                self.assertTrue(2 <= len(axis.ticks) <= charts.TICKS + 2, axis)
                self.assertEqual(len(set(charts.tick_names(axis.ticks))), len(axis.ticks), axis)
                if from_zero:
                    self.assertEqual(axis.low, 0)

    def test_ticks(self):
        for ticks, names in (([0, 5_000], ["0", "5,000"]), ([0, 5_000_000, 15_000_000], ["0", "5 M", "15 M"]),
                             ([2_000, 2_050], ["2,000", "2,050"]), ([23_456, 23_458], ["23,456", "23,458"]),
                             ([0, 200_000], ["0", "200 k"]), ([990_000, 1_000_000], ["0.99 M", "1 M"]),
                             ([1_000_000, 1_000_500], ["1,000,000", "1,000,500"])):
            self.assertEqual(charts.tick_names(ticks), names)


class WindowsTest(samples.PagesCase):
    """The code for Windows, as far as mocks can run it elsewhere."""

    def test_paths_become_urls(self):
        frame = {"file": "decoder\\src\\event.c", "line": 1}
        self.assertEqual("decoder/src/event.c", sarif._source(frame)["artifactLocation"]["uri"])
        with mock.patch.multiple(os, path=ntpath, sep="\\"):
            self.assertEqual("a%20b/c.etl", wording.href("C:\\state\\a b\\c.etl", "C:\\state\\index.html"))
            self.assertTrue(wording.href("D:\\c.etl", "C:\\state\\index.html").startswith("file:///"))


class NightTest(samples.PagesCase):
    def page(self, report):
        return samples.Page(self.write(report))

    def test_page_needs_nothing_from_outside(self):
        for name, report in self.nights().items():
            page = self.page(report)
            for path in [self.write(report), *(self.write_bucket(each) for each in report["buckets"])]:
                for tag, attrs in samples.Page(path).tags:
                    self.assertFalse({"src", "style", "srcset"} & set(attrs), name)
                    self.assertFalse([key for key in attrs if key.startswith("on")], name)
                    self.assertTrue("href" not in attrs or tag == "a", name)
            self.assertIn("default-src 'none'", page.source)
        code = asset("pages.js", templates.HERE) + asset("pages.css", templates.HERE)
        self.assertIsNone(re.search(r"innerHTML|\beval\b|Function\(|document\.write|@import|url\(|fetch\(|XMLHttp", code))

    def test_links_lead_to_files(self):
        report = samples.night([*self.three(), self.bare()])
        os.makedirs(os.path.join(self.folder, "coverage"))
        for name in ("coverage/index.html", "report.json"):
            samples.put(self.folder, name, b"x")
        pages = [self.write(report), *(self.write_bucket(each) for each in report["buckets"])]
        counts = [self.follow(path) for path in pages]
        # Per bucket a page and a reproducer; coverage; report.json; of the cause both again, and the page of a consequence.
        self.assertEqual(counts[0], 4 * 2 + 2 + 3)
        # Source, rule, smallest input, recipe, vector, input; the bare bucket links its input twice.
        self.assertEqual(counts[1:], [6, 6, 6, 2])

    def follow(self, path):
        links = [link for link in samples.Page(path).attributes("href") if not link.startswith(("data:", "#"))]
        for link in links:
            file = os.path.join(os.path.dirname(path), urllib.parse.unquote(link.partition("#")[0]))
            self.assertTrue(os.path.exists(file), link)
            self.assertFalse(os.path.isabs(link), link)
        return len(links)

    def test_missing_file_is_no_link(self):
        each = self.bucket()
        os.remove(each["smallest"]["path"])
        page = self.page(samples.night([each]))
        self.assertIn("72 bytes (no longer there)", page.text)

    def test_worst_buckets_come_first(self):
        buckets = [self.bucket(number, "known", severity={"level": level, "why": "w"}, title=f"the {level} one")
                   for number, level in enumerate(("low", "high", "medium"))]
        text = self.page(samples.night(buckets)).text
        self.assertEqual(re.findall(r"the (\w+) one", text), ["high", "medium", "low"])

    def test_untried_buckets_are_listed(self):
        text = self.page(samples.night([self.bucket(status="untried")])).text
        for words in ("0 known, 0 fixed, 1 untried", "Untried 1, seen before this run, and not run in it"):
            self.assertIn(words, text)

    def test_first_night(self):
        page = self.page(samples.first_night())
        self.assertIn("The first night: there is nothing to compare it with yet.", page.text)
        self.assertIn("by the corpora of 4 of 14 targets\n", page.text)

    def test_broken_build(self):
        page = self.page(samples.broken_night())
        self.assertIn("use of undeclared identifier 'ofset'", page.text)
        for words in ("1 problem", "No target ran.", "not measured", "not checked", "not run",
                      "This run, 8, ended before fuzzing"):
            self.assertIn(words, page.text)
        idle = [samples.target("fuzz_file", None, 880, executions=0, processor_seconds=0.0)]
        self.assertIn("\nNo target ran.\n", self.page({**samples.broken_night(), "targets": idle}).text)
        self.assertIn("No run has fuzzed yet", self.page(samples.broken_night(runs=0)).text)

    def test_interrupted_night_is_not_green(self):
        page = self.page(samples.interrupted_night())
        self.assertIn("verdict is-interrupted", page.attributes("class"))
        self.assertIn("10 min of 30 min fuzzed · 6 of 18 planned configurations ran", " ".join(page.text.split()))

    def test_regressed_and_flaky_buckets_have_sections_of_their_own(self):
        buckets = [self.bucket(number, status) for number, status in enumerate(("regressed", "flaky", "known"))]
        text = " ".join(self.page(samples.night(buckets)).text.split())
        self.assertIn("New buckets 0 1 regressed, 1 flaky, 1 known, 0 fixed, 0 untried", text)
        self.assertIn("Regressed 1, fixed before this run, and back in it", text)
        self.assertIn("Flaky 1, seen before this run, and failed only in some tries of it", text)
        text = " ".join(self.page(samples.night(self.three())).text.split())
        self.assertIn("New buckets 1 1 known, 1 fixed, 0 untried", text)
        self.assertNotIn("Regressed", text)

    def test_coverage_says_what_it_counts(self):
        self.assertIn("2,100 of 2,200 regions of decoder/src, by the corpora of 4 of 14 targets, 10 regions more",
                      self.page(samples.night()).text)

    def test_runs_of_other_targets_are_not_drawn(self):
        past = [*samples.history(6), samples.past(7, is_comparable=False, targets=1, regions=17)]
        page = self.page(samples.night(history=[*past, samples.past(8)], run=8))
        self.assertIn("1 run of other targets is in the table, and not drawn.", page.text)
        drawn = [run for run in page.attributes("data-run")]
        self.assertEqual((["1", "2", "3", "4", "5", "6", "8"], 6), (drawn[:7], len(drawn) / 7))
        self.assertIn("\n17\n", page.text)  # in the table

    def test_trends(self):
        text = self.page(samples.night()).text
        for words in ("Coverage, regions", "Executions per second of processor time", "Corpus, inputs", "Buckets that fail",
                      "Time without a finding, least of the targets, hours", "Processor time, minutes",
                      "3 h 40 min (1 h 13 min on this code)", ": 2,652 per second"):
            self.assertIn(words, text)

    def test_lines_of_each_target(self):
        """A target of one run has no line yet; all lines of time have one unit."""
        once = samples.target("fuzz_once", 10, 9, trend=samples.trend(1, 10))
        night = samples.night()
        page = self.page({**night, "targets": [once, *night["targets"]]})
        labels = [label for label in page.attributes("aria-label") if re.match("fuzz_.* over 7 runs: ", label)]
        self.assertEqual(4 * len(night["targets"]), len(labels))
        self.assertIn("fuzz_event, executions over 7 runs: 1,970 in run 1, 1,970 in run 7 per second", labels)
        self.assertIn("fuzz_event, coverage over 7 runs: 544 in run 1, 700 in run 7 regions", labels)
        self.assertIn("fuzz_event, time without a finding over 7 runs: 1.0 in run 1, 3.0 in run 7 hours", labels)
        self.assertIn("fuzz_it, coverage: not measured in any run", self.page(samples.night(targets=[samples.target(
            "fuzz_it", None, None)])).attributes("aria-label"))
        self.assertNotIn("Each target over the runs", self.page(samples.night(targets=[once])).text)

    def test_configurations_without_a_slot_are_named(self):
        text = self.page(samples.night()).text
        self.assertRegex(text, r"1 configuration planned, and not run\s*fuzz_file\s*afl-asan")
        self.assertRegex(text, r"1 configuration without a slot in any run so far\s*fuzz_items\s*afl-cmplog")
        self.assertNotIn("without a slot", self.page(samples.night(plan=samples.plan(missed=[], never=[]))).text)

    def test_inputs_set_aside_are_counted(self):
        self.assertNotIn("set aside", self.page(samples.night()).text)
        text = self.page(samples.night(aside={"waiting": 7, "returned": 3})).text
        self.assertIn("none lost; 7 set aside until they pass; 3 pass again and returned", text)

    def test_target_below_its_floor_is_marked(self):
        report = samples.night(targets=[samples.target("fuzz_a", 880, 880), samples.target("fuzz_b", 860, 880),
                                        samples.target("fuzz_c", None, 880), samples.target("fuzz_d", 5, None)])
        page = self.page(report)
        self.assertIn("Targets 1 of 4 below the floor", page.text)
        self.assertIn("20 below its floor of 880", page.text)
        self.assertEqual(page.text.count("below its floor"), 1)
        self.assertEqual(page.attributes("class").count("below"), 1)
        self.assertIn("no floor yet", page.text)
        self.assertIn("39.1 %, 860 of 2,200 regions", page.text)
        self.assertIn("2,058", page.text)  # 1,234,567 in 600 s
        self.assertIn("1,203 → 1,290", page.text)

    def test_commit_is_shortened(self):
        for commit, shown in (("5c52045ab1ce2f5b7f8d1e2f3a4b5c6d7e8f9012", "5c52045ab1ce"),
                              ("5c52045ab1ce2f5b7f8d1e2f3a4b5c6d7e8f9012-dirty", "5c52045ab1ce-dirty"),
                              ("5c52045-dirty", "5c52045-dirty")):
            self.assertIn(f'commit <span class="mono">{shown}</span>', self.page(samples.night(commit=commit)).source)
        self.assertNotIn("commit", self.page(samples.night(commit=None)).text)

    def test_losses_are_marked(self):
        report = samples.night(corpus={"before": 1203, "after": 1200, "lost": 3},
                               conformance={"vectors": 3626, "passed": 3625}, regressions={"replayed": 40, "failed": 2},
                               coverage={**samples.night()["coverage"], "regions": 9, "of": 10, "before": 10, "html": None})
        page = self.page(report)
        for words in ("3 lost", "1 fail", "2 fail again", "1 region fewer", "99.9 %"):
            self.assertIn(words, page.text)
        self.assertEqual(page.attributes("class").count("tile bad"), 4)
        self.assertEqual(self.page(samples.night()).attributes("class").count("tile bad"), 0)

    def test_page_of_a_bucket_has_the_status_of_the_night(self):
        each = self.bucket()
        path = self.write_bucket(each)
        self.write(samples.night([{**each, "status": "fixed"}]))
        self.assertIn("Fixed. Its inputs pass now", samples.Page(path).text)

    def test_missing_folder_of_a_bucket_is_no_link(self):
        each = self.bucket()
        shutil.rmtree(os.path.join(self.folder, "buckets"))
        page = self.page(samples.night([each]))
        self.assertIn(each["title"] + " (no longer there)", page.text)
        self.assertEqual(os.listdir(self.folder), ["index.html"])

    def test_pages_of_earlier_runs_are_linked(self):
        samples.put(self.folder, "runs/2/index.html", b"x")
        page = samples.Page(self.write(samples.night(runs=3)))
        self.assertEqual(["runs/2/index.html"], [link for link in page.attributes("href") if link.startswith("runs")])

    def test_no_temporary_file_remains(self):
        self.write(samples.night())
        self.assertEqual(os.listdir(self.folder), ["index.html"])


class CauseTest(samples.PagesCase):
    """What a person reads first on a red page: the bug in one sentence, and its consequences folded under it."""

    def red(self, number, **changes):
        """A bucket that shares nothing with others, but for the changes."""
        unlike = {"frame": None, "explain": None, "severity": {"level": "medium", "why": "w"}}
        made = self.bucket(number, **{**unlike, **changes})
        if "inputs" not in changes:
            made["inputs"] = [{**made["inputs"][0], "sha256": f"{number:064x}"}]
        return made

    def grouped(self, *buckets):
        """[first, (consequence, why), ...] of each cause, by number of bucket."""
        numbers = {bucket["id"]: number for number, bucket in enumerate(buckets)}
        return [[numbers[cause["bucket"]], *((numbers[one["bucket"]], one["why"]) for one in cause["consequences"])]
                for cause in causes.causes_of(buckets)]

    def test_sentences(self):
        oracle = {"kind": "oracle", "access": None, "detail": "", "title": "t"}
        frame = {"function": "check_tiling", "file": "harness/oracle/tiling.c", "line": 1}
        tiling = "the regions of the file follow one another from 0 to its size"
        for changes, expected in (
                ({}, "etl_buffer_next reads 4 bytes outside an object (heap-buffer-overflow)"),
                ({**oracle, "what": "tiling", "frame": frame},
                 f"the decoder breaks the promise that {tiling} (oracle tiling in check_tiling)"),
                ({**oracle, "what": "tiling", "detail": "a region begins late"},
                 f"etl_buffer_next breaks the promise that {tiling} (oracle tiling: a region begins late)"),
                ({**oracle, "what": "unheard-of", "frame": None}, "the decoder breaks a promise (oracle unheard-of)"),
                ({"kind": "ubsan", "what": "shift-base"}, "etl_buffer_next has undefined behaviour (shift-base)"),
                ({"kind": "timeout", "frame": None}, "fuzz_file (libfuzzer) does not end in time"),
                ({"kind": "signal", "what": "SEGV"}, "etl_buffer_next ends by SEGV")):
            expected += ", on an input of 72 bytes"
            self.assertEqual(expected, causes.sentence(self.bucket(explain=None, **changes)))
            self.assertEqual(expected + ", where WMI_BUFFER_HEADER.CurrentOffset decides",
                             causes.sentence(self.bucket(**changes)))
        for kind in ("asan", "msan", "lsan", "memory"):
            self.assertIn("on an input of", causes.sentence(self.bucket(kind=kind, access=None)))
        self.assertTrue(causes.sentence(self.bare()).startswith("toy-parser: "))
        self.assertNotIn("\\", " ".join(causes._promises().values()))

    def test_buckets_without_evidence_are_causes_of_their_own(self):
        self.assertEqual([[0], [1]], self.grouped(self.red(0), self.red(1)))
        self.assertEqual([], self.grouped(self.red(0, status="known"), self.red(1, status="fixed")))
        self.assertEqual([[0]], self.grouped(self.red(0, status="regressed")))

    def test_evidence_of_one_cause(self):
        frame = {"function": "etl_event_next", "file": "decoder/src/event.c", "line": 7}
        harness = {**frame, "file": "harness/oracle/event.c"}
        decides = {"explain": {"decides": [{"structure": "SYSTEM_HEADER", "member": "Size"}]}}
        of_none = {"explain": {"decides": [{"structure": "bytes", "member": None}]}}
        same = {"inputs": [{**self.bucket()["inputs"][0], "sha256": "a" * 64}]}
        promise = {"kind": "oracle", "what": "tiling"}
        for changes, why in ((same, "fails on the same input"), ({"frame": frame}, "also in etl_event_next"),
                             (decides, "SYSTEM_HEADER.Size decides here too"), (promise, "the same promise")):
            self.assertEqual([[0, (1, why)]], self.grouped(self.red(0, **changes), self.red(1, **changes)))
        for changes in ({"frame": harness}, of_none, {"kind": "asan", "what": "tiling"}):
            self.assertEqual([[0], [1]], self.grouped(self.red(0, **changes), self.red(1, **changes)))

    def test_clearest_bug_comes_first(self):
        """The worst, then one in a function of the decoder, then the smallest input."""
        frame = {"function": "etl_event_next", "file": "decoder/src/event.c", "line": 7}
        small = {"path": "/nowhere", "size": 7, "from": 9, "seconds": 0.1, "tries": 1}
        found = self.grouped(self.red(0), self.red(1, smallest=small), self.red(2, frame=frame),
                             self.red(3, severity={"level": "high", "why": "w"}))
        self.assertEqual([[3], [2], [1], [0]], found)

    def test_page_begins_with_the_bug(self):
        """And folds consequences under it: other buckets, failing vectors."""
        buckets = [self.bucket(1), self.bucket(3, "regressed"), self.bucket(2, "known")]
        report = samples.night(buckets, verdict="broken", sentence="conformance: 175 vectors fail",
                               problems=[{"phase": "conformance", "text": "175 vectors fail"}])
        page = samples.Page(self.write(report))
        text = page.text
        first = "New bug: etl_buffer_next reads 4 bytes outside an object (heap-buffer-overflow), on an input of 72 bytes"
        told = (first, buckets[0]["commands"]["reproduce"], "2 likely consequences", "fails on the same input",
                "conformance: 175 vectors fail", "New buckets")
        places = [text.index(words) for words in told]
        self.assertEqual(sorted(places), places)
        self.assertNotIn("1 problem", text)
        self.assertEqual(1, text.count("1 likely consequence of another bucket"))

    def test_other_causes_are_listed_in_one_line_each(self):
        buckets = [self.red(number, title=f"title {number}") for number in range(3)]
        text = " ".join(samples.Page(self.write(samples.night(buckets))).text.split())
        self.assertIn("2 red buckets more that may have another cause: nothing links them to the first", text)
        self.assertEqual(3, text.count("New bug: ") + text.count("new; fuzz_file (libfuzzer)"))
        self.assertEqual(1, text.count("build/libfuzzer/bin/fuzz_file"))

    def test_problem_of_the_night_itself_is_no_consequence(self):
        problems = [{"phase": "build", "text": "cannot build"}, {"phase": "coverage", "text": "below its floor"}]
        text = samples.Page(self.write(samples.night([self.bucket()], problems=problems))).text
        self.assertIn("1 problem", text)
        self.assertIn("1 likely consequence", text)
        self.assertIn("2 problems", samples.Page(self.write(samples.night(problems=problems))).text)


class UnreachedTest(samples.PagesCase):
    def page(self, rows):
        path = os.path.join(self.folder, unreached_page.NAME)
        unreached_page.write(rows, 195, [mock.Mock()], path)
        return " ".join(samples.Page(path).text.split())

    def test_functions_and_what_blocks_them(self):
        caller = {"function": "outer", "line": 6, "condition": "x < 9", "at": 5, "never": "true"}
        row = {"function": "inner", "file": "/d/a.c", "line": 1, "callers": [caller], "behind": []}
        text = self.page([row, {**row, "callers": [], "behind": ["deep", "far"]}, {**row, "callers": []},
                          {**row, "callers": [{**caller, "condition": None, "at": None, "never": None}]}])
        for words in ("4 of 195 functions of decoder/src are reached by no corpus", "Blocked 2:", "Behind them 2:",
                      "inner /d/a.c:1 outer, line 6 x < 9, line 5 never true", "/d/a.c:1 deep, far",
                      "no function of decoder/src: targets may call it", "none: the function is named"):
            self.assertIn(words, text)
        self.assertIn("0 of 195 functions", self.page([]))

    def test_night_links_the_page_if_it_is_there(self):
        self.assertNotIn("12 functions not reached", samples.Page(self.write(samples.night())).text)
        self.page([])
        self.assertIn("12 functions not reached", samples.Page(self.write(samples.night())).text)


if __name__ == "__main__":
    unittest.main()
