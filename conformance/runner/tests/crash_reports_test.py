# SPDX-License-Identifier: Apache-2.0
"""Crash or rejection: what the runtimes of several languages print about an uncaught exception. Where interpreters are
installed, parsers in Python, JavaScript, Java, Go, Rust and C# are run for real."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from .. import crash_reports, report_text
from .crash_fixtures import fixtures
from .runner_fixture import RunnerCase

DESCRIPTION = json.dumps({"name": "throws", "records": {"event": ["*"]}, "partial": False})
TEXT = json.dumps(DESCRIPTION)  # as a literal of each language below
# Programs that end as their first argument says: see WAYS.
PYTHON = f"""import sys, traceback
def read_header(data, way):
    if way == "throws":
        raise ValueError("Size 0")
    if way == "message":
        sys.exit("rejected: a Size of 0")
    sys.exit(1)
if sys.argv[-1] == "--describe":
    print({TEXT})
elif sys.argv[1] == "handled":
    try:
        read_header(b"", "throws")
    except ValueError:
        traceback.print_exc()
        sys.exit("rejected: a Size of 0")
else:
    read_header(b"", sys.argv[1])
"""
JAVASCRIPT = f"""function readHeader(data, way) {{
  if (way === "throws") data.readUInt32LE(8);
  if (way === "message") console.error("rejected: a Size of 0");
  process.exit(1);
}}
const way = process.argv[2];
if (process.argv.at(-1) === "--describe") console.log({TEXT});
else if (way === "handled") {{
  try {{
    readHeader(Buffer.alloc(0), "throws");
  }} catch (error) {{
    console.error(error);
    readHeader(Buffer.alloc(0), "message");
  }}
}} else readHeader(Buffer.alloc(0), way);
"""
JAVA = f"""class Throws {{
    static void readHeader(byte[] data, String way) {{
        if (way.equals("throws")) System.out.println(data[8]);
        if (way.equals("message")) System.err.println("rejected: a Size of 0");
        System.exit(1);
    }}
    public static void main(String[] words) {{
        if (words[words.length - 1].equals("--describe")) {{
            System.out.println({TEXT});
        }} else if (words[0].equals("handled")) {{
            try {{
                readHeader(new byte[0], "throws");
            }} catch (RuntimeException exception) {{
                exception.printStackTrace();
                readHeader(new byte[0], "message");
            }}
        }} else readHeader(new byte[0], words[0]);
    }}
}}
"""
GO = f"""package main

import (
	"os"
	"runtime/debug"
)

func readHeader(data []byte, way string) {{
	if way == "throws" {{
		println(data[8])
	}}
	if way == "message" {{
		println("rejected: a Size of 0")
	}}
	os.Exit(1)
}}

func main() {{
	if os.Args[len(os.Args)-1] == "--describe" {{
		os.Stdout.WriteString({TEXT} + "\\n")
	}} else if os.Args[1] == "handled" {{
		defer func() {{
			println("panic:", recover().(error).Error())
			debug.PrintStack()
			readHeader(nil, "message")
		}}()
		readHeader(nil, "throws")
	}} else {{
		readHeader(nil, os.Args[1])
	}}
}}
"""
RUST = f"""fn read_header(data: &[u8], way: &str) {{
    if way == "throws" {{
        println!("{{}}", data[8]);
    }}
    if way == "message" {{
        eprintln!("rejected: a Size of 0");
    }}
    std::process::exit(1);
}}
fn main() {{
    let words: Vec<String> = std::env::args().collect();
    if words.last().unwrap() == "--describe" {{
        println!("{{}}", {TEXT});
    }} else if words[1] == "handled" {{
        if std::panic::catch_unwind(|| read_header(&[], "throws")).is_err() {{
            read_header(&[], "message");
        }}
    }} else {{
        read_header(&[], &words[1]);
    }}
}}
"""
CSHARP = f"""class Throws {{
    static void ReadHeader(byte[] data, string way) {{
        if (way == "throws") System.Console.WriteLine(data[8]);
        if (way == "message") System.Console.Error.WriteLine("rejected: a Size of 0");
        System.Environment.Exit(1);
    }}
    static void Main(string[] words) {{
        if (words[words.Length - 1] == "--describe") {{
            System.Console.WriteLine({TEXT});
        }} else if (words[0] == "handled") {{
            try {{
                ReadHeader(new byte[0], "throws");
            }} catch (System.Exception exception) {{
                System.Console.Error.WriteLine(exception);
                ReadHeader(new byte[0], "message");
            }}
        }} else ReadHeader(new byte[0], words[0]);
    }}
}}
"""
# language: (file name, source, command that compiles it or None, command that runs it, detail of the crash)
REAL = {
    "Python": ("throws.py", PYTHON, None, [sys.executable, "throws.py"],
               "exit 1: Python: uncaught ValueError in read_header (throws.py:4): Size 0"),
    "JavaScript": ("throws.js", JAVASCRIPT, None, ["node", "throws.js"],
                   "exit 1: JavaScript: uncaught RangeError in readHeader (throws.js:2): "),
    "Java": ("Throws.java", JAVA, None, ["java", "Throws.java"],
             "exit 1: Java: uncaught java.lang.ArrayIndexOutOfBoundsException in Throws.readHeader (Throws.java:3): "),
    "Go": ("throws.go", GO, ["go", "build", "throws.go"], ["./throws"],
           "exit 2: Go: panic in main.readHeader (throws.go:10): runtime error: index out of range [8] with length 0"),
    "Rust": ("throws.rs", RUST, ["rustc", "throws.rs"], ["./throws"],
             "exit 101: Rust: panic in throws::read_header (throws.rs:3): index out of bounds: the len is 0"),
    ".NET (Mono)": ("throws.cs", CSHARP, ["mcs", "throws.cs"], ["mono", "throws.exe"],
                    "exit 1: .NET: uncaught System.IndexOutOfRangeException (Throws.ReadHeader): Index was outside"),
}
# How a program ends: (verdict of a valid file, of a damaged one, detail of the first; None for that of the crash)
WAYS = {
    "throws": ("crash", "crash", None),  # an uncaught exception
    "handled": ("wrong-reject", "pass", "a well-formed file was rejected: rejected: a Size of 0"),  # after the stack
    "message": ("wrong-reject", "pass", "a well-formed file was rejected: rejected: a Size of 0"),
    "silent": ("wrong-reject", "pass", "a well-formed file was rejected"),
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
    """Parsers that run for real. The test of a language is skipped if its compiler or interpreter is not installed."""

    def command(self, language):
        """The command of the language's program, compiled in the folder of the test."""
        name, source, compile_, run, _ = REAL[language]
        self.file(name, source)
        tools = [words[0] for words in (compile_, run) if words and not words[0].startswith(".")]
        missing = [tool for tool in tools if not shutil.which(tool) or _run([tool, *_version(tool)], self.folder)]
        if missing:
            self.skipTest(f"{missing[0]} is not installed")
        if compile_:
            cache = os.path.join(self.folder, "cache")
            self.enterContext(mock.patch.dict(os.environ, GOCACHE=cache, GO111MODULE="off"))
            self.assertFalse(_run(compile_, self.folder))
        places = [os.path.join(self.folder, word) for word in run]
        return [place if os.path.exists(place) else word for word, place in zip(run, places)]

    def test_each_language_and_way_to_end(self):
        for language, (*_, crash) in REAL.items():
            with self.subTest(language):
                command = self.command(language)
                for way, expected in WAYS.items():
                    with self.subTest(way):
                        limits = ("--timeout", "60", "--cpu", "60")
                        self.run_raw(*limits, "--filter", "size-*", "--", *command, way, code=1)
                        good, bad = (self.results()[name] for name in ("size-ok", "size-bad"))
                        self.assertEqual(expected[:2], (good["verdict"], bad["verdict"]), (good, bad))
                        self.assertTrue(good["detail"].startswith(expected[2] or crash), good["detail"])


def _version(tool):
    return ["version"] if tool == "go" else ["--version"]


def _run(words, folder):
    """The messages of a command, or None if it succeeds."""
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=300, check=False)
    return (done.stdout + done.stderr).decode("utf-8", "replace") or "failed" if done.returncode else None


if __name__ == "__main__":
    unittest.main()
