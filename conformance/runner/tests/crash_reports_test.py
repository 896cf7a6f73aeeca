# SPDX-License-Identifier: Apache-2.0
"""Crash or rejection: what the runtimes of several languages print about an uncaught exception. Where interpreters are
installed, parsers in Python, JavaScript and Java are run for real."""
import json
import shutil
import subprocess
import sys
import unittest

from .. import crash_reports, report_text
from .crash_fixtures import fixtures
from .runner_fixture import RunnerCase

DESCRIPTION = json.dumps({"name": "throws", "records": {"event": ["*"]}})
PYTHON = f"""import sys
if sys.argv[-1] == "--describe":
    print('{DESCRIPTION}')
    sys.exit(0)
def read_header(data):
    %s
try:
    read_header(b"")
except ZeroDivisionError:
    sys.exit("rejected: a Size of 0")
"""
JAVASCRIPT = f"""if (process.argv.at(-1) === "--describe") {{
  console.log('{DESCRIPTION}');
  process.exit(0);
}}
function readHeader(data) {{
  %s;
}}
readHeader(Buffer.alloc(0));
"""
JAVA = """class Throws {
    static void readHeader(byte[] data) {
        %s;
    }
    public static void main(String[] words) {
        if (words[words.length - 1].equals("--describe")) {
            System.out.println(""" + json.dumps(DESCRIPTION) + """);
            System.exit(0);
        }
        readHeader(new byte[0]);
    }
}
"""
# language: (program, file name, source, statement that throws, statement that rejects, detail of the crash)
REAL = {
    "Python": (sys.executable, "throws.py", PYTHON, "raise ValueError('Size 0')", "1 // 0",
               "exit 1: Python: uncaught ValueError in read_header (throws.py:6): Size 0"),
    "JavaScript": ("node", "throws.js", JAVASCRIPT, "data.readUInt32LE(8)",
                   "console.error('rejected: a Size of 0'); process.exit(1)",
                   "exit 1: JavaScript: uncaught RangeError in readHeader (throws.js:6): "),
    "Java": ("java", "Throws.java", JAVA, "System.out.println(data[8])",
             "System.err.println(\"rejected: a Size of 0\"); System.exit(1)",
             "exit 1: Java: uncaught java.lang.ArrayIndexOutOfBoundsException in Throws.readHeader (Throws.java:3): "),
}


class CrashReportsTest(unittest.TestCase):
    def test_what_runtimes_print(self):
        seen = set()
        for name, verdict, status, expected, text in fixtures():
            with self.subTest(name):
                report = crash_reports.uncaught(text.encode(), status)
                self.assertEqual(verdict, "crash" if report else "reject", report)
                if report:
                    frame = report.frames[0] if report.frames else ("-", None, None)
                    found = [report.language, report.what, *("-" if cell is None else str(cell) for cell in frame)]
                    self.assertEqual(expected, found)
                    seen.add(report.language)
        self.assertEqual({language.name for language in crash_reports.LANGUAGES}, seen)

    def test_accepting_parser_may_print_anything(self):
        for name, _, _, _, text in fixtures():
            with self.subTest(name):
                self.assertIsNone(crash_reports.uncaught(text.encode(), 0))

    def test_exit_status_must_be_that_of_the_runtime(self):
        for name, verdict, status, expected, text in fixtures():
            if verdict == "crash" and status not in (1, -6):
                with self.subTest(name):
                    self.assertIsNone(crash_reports.uncaught(text.encode(), 1))
                    self.assertEqual(expected[0], crash_reports.reported(text.encode()).language)

    def test_output_after_a_report_means_that_the_exception_was_handled(self):
        for name, verdict, status, _, text in fixtures():
            if verdict == "crash" and status == 1:
                with self.subTest(name):
                    more = (text + "reader: rejected: bad header\n").encode()
                    self.assertIsNone(crash_reports.uncaught(more, 1))
                    self.assertIsNotNone(crash_reports.reported(more))

    def test_output_before_a_report_does_not_matter(self):
        handled = next(text for name, _, _, _, text in fixtures() if name == "python-handled.txt")
        for name, verdict, status, expected, text in fixtures():
            if verdict == "crash":
                with self.subTest(name):
                    report = crash_reports.uncaught((handled + text).encode(), status)
                    self.assertEqual(expected[:2], [report.language, report.what])

    def test_windows_line_ends(self):
        for name, verdict, status, expected, text in fixtures():
            with self.subTest(name):
                report = crash_reports.uncaught(text.replace("\n", "\r\n").encode(), status)
                self.assertEqual(verdict == "crash", report is not None)

    def test_two_panics_are_told_apart(self):
        reports = [crash_reports.find(text, status) for _, verdict, status, _, text in fixtures() if verdict == "crash"]
        keys = [(report.language, report.what, report.place(), report.distinction()) for report in reports]
        # One panic of Rust is there twice, with and without a stack.
        self.assertEqual(len(keys) - 1, len(set(keys)), keys)

    def test_values_do_not_tell_panics_apart(self):
        one, other = (crash_reports.find(f"panic: index out of range [{number}] with length {number}\n\ngoroutine 1 "
                                         "[running]:\nmain.f(0x1)\n\t/home/me/f.go:3 +0x1\n") for number in (3, 999))
        self.assertEqual((one.distinction(), one.place()), (other.distinction(), other.place()))
        self.assertEqual("index out of range [N] with length N", one.distinction())

    def test_only_frames_of_the_goroutine_that_panics(self):
        text = ("panic: no header\n\ngoroutine 7 [running]:\nmain.f(0x1)\n\t/home/me/f.go:3 +0x1\n\n"
                "goroutine 1 [sleep]:\nmain.main()\n\t/home/me/f.go:9 +0x1\n")
        self.assertEqual(["main.f"], [frame.function for frame in crash_reports.find(text).frames])

    def test_frames_of_the_runtime_are_kept_if_there_are_no_others(self):
        text = 'Exception in thread "main" java.lang.Error\n\tat java.base/java.lang.Thread.run(Thread.java:833)\n'
        self.assertEqual("java.base/java.lang.Thread.run", crash_reports.find(text).frames[0].function)

    def test_message_of_several_lines(self):
        text = ("Traceback (most recent call last):\n  File \"a.py\", line 3, in read\n    parse()\n"
                "construct.core.StreamError: Error in path (parsing) -> size\nstream read less than 8 bytes\n")
        self.assertEqual("construct.core.StreamError", crash_reports.uncaught(text.encode(), 1).what)

    def test_excerpt_keeps_both_ends_of_a_stack(self):
        frames = "".join(f"\tat Reader.f{number}(Reader.java:{number})\n" for number in range(1000))
        text = f'noise\nException in thread "main" java.lang.StackOverflowError\n{frames}'
        kept = crash_reports.excerpt(text.encode())
        self.assertTrue(kept.startswith('Exception in thread "main" java.lang.StackOverflowError\n\tat Reader.f0('))
        self.assertTrue(kept.endswith("Reader.f999(Reader.java:999)\n"))
        self.assertIn(" characters ...]", kept)
        self.assertLess(len(kept), crash_reports.EXCERPT + 50)

    def test_excerpt_of_a_sanitizer_report_begins_with_it(self):
        text = "noise\n" * 3000 + "==1==ERROR: AddressSanitizer: SEGV on address\n" + "    #0 0x1 in f\n" * 1000
        self.assertTrue(crash_reports.excerpt(text.encode()).startswith("==1==ERROR: AddressSanitizer: SEGV"))

    def test_excerpt_without_a_report_is_the_tail(self):
        text = "".join(f"{number}\n" for number in range(5000))
        self.assertEqual(text[-crash_reports.EXCERPT:], crash_reports.excerpt(text.encode()))
        self.assertEqual("short\n", crash_reports.excerpt(b"short\n"))

    def test_text_report_shows_both_ends(self):
        lines = [str(number) for number in range(100)]
        shown = report_text._head_and_tail(lines)
        self.assertEqual((lines[:8], "[... 84 lines ...]", lines[-8:]), (shown[:8], shown[8], shown[9:]))
        self.assertEqual(lines[:16], report_text._head_and_tail(lines[:16]))


class RealParserTest(RunnerCase):
    """Parsers that run for real. Without an interpreter, the test is skipped."""

    def run_real(self, language, statement):
        program, name, source, *_ = REAL[language]
        found = shutil.which(program)
        if not found or subprocess.run([found, "--version"], capture_output=True, check=False).returncode:
            self.skipTest(f"{program} is not installed")
        path = self.file(name, source % statement)
        self.run_raw("--timeout", "60", "--cpu", "60", "--filter", "size-*", "--", found, path, code=1)
        return self.results()

    def test_uncaught_exception_is_a_crash(self):
        for language, (_, _, _, throws, _, detail) in REAL.items():
            with self.subTest(language):
                for result in self.run_real(language, throws).values():
                    self.assertEqual("crash", result["verdict"], result)
                    self.assertIn(detail, result["detail"])
                    self.assertIn("header", result["stderr"].lower())

    def test_rejection_with_a_message_is_a_rejection(self):
        for language, (_, _, _, _, rejects, _) in REAL.items():
            with self.subTest(language):
                results = self.run_real(language, rejects)
                self.assertEqual("wrong-reject", results["size-ok"]["verdict"], results)
                self.assertIn("rejected: a Size of 0", results["size-ok"]["detail"])
                self.assertNotIn(results["size-bad"]["verdict"], ("crash", "wrong-reject"))


if __name__ == "__main__":
    unittest.main()
