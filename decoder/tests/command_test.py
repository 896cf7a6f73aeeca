#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_test.py ETLPROOF [TEST...]

Tests what the verbs of `etlproof` share (exit codes, input, output, command line), and the verbs `map` and `explain`.
"""
import ast
import json
import os
import pty
import re
import resource
import select
import shutil
import struct
import subprocess
import time
import unittest

import command_case
import etl_file
from command_case import CommandCase, CONFORMING, DAMAGED, INPUT, LIMIT, NOT_ETL, OUTPUT, USAGE, run
from etl_file import Buffer, Logfile, Trace
from format_members import HEADER, in_buffer

A = "01020304-0506-0708-090a-0b0c0d0e0f10"
B = "f1e2d3c4-b5a6-9788-796a-5b4c3d2e1f00"
T = Logfile.START_TICKS
READERS = (("decode",), ("decode", "--format=text"), ("decode", "--order=time"), ("validate",), ("validate", "--json"),
           ("validate", "--sarif"), ("map",), ("map", "--json"), ("map", "--hex"))


def sound():
    items = [(0x01, "", etl_file.guid(B), {}), (0x10, "", b"odd", {})]
    return Trace([
        Buffer([etl_file.event(A, b"xyz", time=T + 1, items=items), etl_file.full(B, time=T + 2)], processor=3),
        Buffer([etl_file.perfinfo(0x0F2E, b"12345678", time=T + 3, pmc=(1, 2)), etl_file.message(9, b"abc", sequence=4)])])


def compressed():
    return Trace([Buffer([etl_file.event(A, b"\x41" * 40, time=T + 1), etl_file.full(B, time=T + 2)], compressed=True),
                  Buffer([etl_file.full(B, time=T + 3)])],
                 logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))


def damaged():
    return sound().pack()[:-0x800]


def bomb():
    """A compressed buffer that claims to inflate a few bytes to a mebibyte."""
    content = bytearray(compressed().pack())
    for member in ("SavedOffset", "Offset"):
        struct.pack_into("<I", content, 0x1000 + in_buffer(member), 0x100000)
    return bytes(content)


class Exits(CommandCase):
    def test_by_verdict(self):
        for content, code in ((sound().pack(), CONFORMING), (damaged(), DAMAGED), (b"", NOT_ETL), (b"text", NOT_ETL),
                              (bomb(), LIMIT)):
            path = self.file(content)
            for verb in READERS:
                self.out(*verb, path, code=code)

    def test_no_limit(self):
        path = self.file(bomb())
        for verb in READERS:
            self.out(*verb, "--no-limit", path, code=DAMAGED)
        self.out("recover", path, "-o", path + ".new", code=LIMIT)
        self.out("recover", "--no-limit", "--force", path, "-o", path + ".new", code=DAMAGED)

    def test_usage_suggests(self):
        for arguments, words in (
                (("validte",), "unknown verb: validte; did you mean validate\n"), (("crave",), "did you mean carve\n"),
                (("xyzzy",), "unknown verb: xyzzy\netlproof: expected decode, validate, schema, map, "),
                (("decode", "--fromat", "text"), "unknown option: --fromat; did you mean --format\n"),
                (("decode", "--nonsense"),
                 "--nonsense\netlproof: expected --format, --payload, --manifest, --order, --memory, --jobs, --no-limit, "
                 "--no-sandbox, --help;"),
                (("decode", "--format=xml"), "decode: --format: expected jsonl or text, found: xml\n"),
                (("layout", "--export", "html"), "--export: expected c or json or imhex or markdown, found: html\n")):
            self.assertIn(words, run(*arguments)[2])

    def test_usage(self):
        path = self.file(sound().pack())
        for arguments in (
                (), ("--nonsense",), ("-x",), ("--version", path), ("nonsense", path), ("../decode", path), ("decode",),
                ("decode", path, path),
                ("decode", "--nonsense", path), ("decode", "--format", path), ("decode", "--format=xml", path),
                ("decode", "--order=size", path), ("decode", "--payload=", path), ("decode", path, "--format"),
                ("decode", "-hx", path), ("decode", "--help=yes", path), ("validate",),
                ("validate", "--json", "--sarif", path), ("validate", "--quiet", "--json", path),
                ("validate", "--json=1", path), ("map",), ("map", path, path),
                ("map", "--json", "--hex", path), ("map", "--around", "x", path), ("map", "--around=", path),
                ("map", "--around=1:", path), ("map", "--around=1:2:3", path), ("map", "--around=-1", path),
                ("map", "--around=99999999999999999999", path), ("explain", "XYZ-001"), ("explain", "BUF-001", "BUF-999"),
                ("explain", "BUF-0010000000000000000"), ("explain", "--nonsense")):
            code, out, err = run(*arguments)
            self.assertEqual((USAGE, b""), (code, out), arguments)
            self.assertRegex(err, "etlproof" if arguments else "^usage: etlproof ", arguments)

    def test_help_and_version(self):
        self.assertRegex(self.out("--help"), r"^usage: etlproof VERB(.|\n)*\n  explain \[RULE\] ")
        self.assertEqual(self.out("--help"), self.out("-h"))
        self.assertRegex(self.out("--version"), r"^etlproof \d+\.\d+\.\d+\n$")
        for verb in ("decode", "validate", "map", "explain"):
            out = self.out(verb, "--help")
            self.assertTrue(out.startswith(f"usage: etlproof {verb} "), out)
            self.assertIn("Exit status: 0", out)
            self.assertEqual(out, self.out(verb, "missing file", "-h"))
            self.assertEqual("", run(verb, "--help")[2])

    def test_input_that_cannot_be_read(self):
        missing = os.path.join(self.folder, "missing.etl")
        for verb in READERS:
            folder_words = "no *.etl file in this folder" if verb[0] == "validate" else "is a directory"
            for path, words in ((missing, "cannot read: No such file"), (self.folder, folder_words),
                                ("", "cannot read: No such file")):
                code, _, err = run(*verb, path)
                self.assertEqual(INPUT, code, (verb, path))
                self.assertIn(f"etlproof: {path}: {words}", err)

    @unittest.skipUnless(os.path.exists("/proc/self/mem"), "no file whose first read fails")
    def test_read_error(self):
        code, out, err = run("decode", "/proc/self/mem")
        self.assertEqual((INPUT, b""), (code, out))
        self.assertRegex(err, "^etlproof: /proc/self/mem: cannot read: .+")

    def test_file_without_permission(self):
        path = self.file(sound().pack())
        os.chmod(path, 0)
        os.chmod(self.folder, 0o755)
        who = {"user": "nobody"} if os.geteuid() == 0 else {}
        try:
            run("--version", **who)
        except OSError as error:
            self.skipTest(f"the command cannot be run by another user: {error}")
        code, _, err = run("validate", path, **who)
        self.assertEqual(INPUT, code)
        self.assertIn(f"{path}: cannot read: Permission denied", err)

    def shell(self, command, *arguments, stdin=b""):
        return subprocess.run(["sh", "-c", command, command_case.TOOL, *arguments], input=stdin, capture_output=True,
                              timeout=120, check=False)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_device(self):
        path = self.file(sound().pack())
        for verb in (*READERS, ("explain",), ("--help",)):
            done = self.shell('"$0" "$@" >/dev/full', *verb, *([path] if verb in READERS else []))
            self.assertEqual(OUTPUT, done.returncode, verb)
            self.assertIn(b"etlproof: cannot write to standard output: No space left on device\n", done.stderr)

    def test_closed_output_and_closed_input(self):
        path = self.file(sound().pack())
        for verb in READERS:
            self.assertEqual(OUTPUT, self.shell('"$0" "$@" >&-', *verb, path).returncode, verb)
            self.assertEqual(INPUT, self.shell('"$0" "$@" - <&-', *verb).returncode, verb)
        done = self.shell('"$0" validate -q "$@" - <&-', path)
        self.assertEqual((INPUT, f"{path}: conforming (5 events, 3 buffers)\n"), (done.returncode, done.stdout.decode()))

    def test_closed_pipe_is_not_reported(self):
        path = self.file(Trace([Buffer([etl_file.full(A, b"x" * 1000, time=T)] * 60, size=0x10000)] * 40).pack())
        done = self.shell('{ "$0" decode --payload=hex "$1"; echo $? >"$1.code"; } | head -c 10', path)
        self.assertEqual((10, b""), (len(done.stdout), done.stderr))
        with open(path + ".code", encoding="ascii") as code:
            self.assertEqual(str(OUTPUT), code.read().strip())


class Inputs(CommandCase):
    def test_pipe_gives_the_output_of_the_file(self):
        tails = (sound().pack(), compressed().pack(), damaged(), bomb(), sound().pack() + bytes(5000), b"\x01" * 3000)
        for content in tails:
            path = self.file(content)
            for verb in READERS:
                code, from_file, _ = run(*verb, path)
                from_pipe = self.out(*verb, "-", code=code, stdin=content)
                if verb == ("map", "--hex"):
                    # Bytes between buffers are read a second time, which a pipe cannot do.
                    if "bytes not shown" in from_pipe:
                        continue
                as_file = from_file.decode().replace(path, "-").replace(f"file://{path}", "-")
                as_file = as_file.replace("file://-", "-")
                self.assertEqual(as_file, from_pipe.replace("standard input", "-"))

    def test_time_does_not_grow_with_claimed_buffer_sizes(self):
        """Empty buffers that claim the largest size: the claimed bytes must not be copied for each of them."""
        content = sound().pack() + Buffer([], size=1 << 24).pack(1)[:etl_file.HEADER] * 300_000
        path = self.file(content)

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (10, 10))

        for arguments, stdin in ((("-",), content), ((path,), b"")):
            code, out, err = run("validate", "--quiet", *arguments, stdin=stdin, preexec_fn=limit)
            self.assertEqual(DAMAGED, code, err)
            self.assertIn(b" 300,003 buffers): first error: BUF-001 at ", out)

    def test_standard_input_that_is_a_file(self):
        path = self.file(b"0123456789" + sound().pack())
        for skip, code in ((0, None), (10, CONFORMING)):
            with open(path, "rb") as stdin:
                stdin.seek(skip)
                done = subprocess.run([command_case.TOOL, "validate", "--json", "-"], stdin=stdin, capture_output=True,
                                      timeout=120, check=False)
            found = json.loads(done.stdout)
            self.assertEqual(str(os.path.getsize(path) - skip), found["size"])
            if code is not None:
                self.assertEqual(code, done.returncode)

    def test_names(self):
        for name in ("with space.etl", "-dash.etl", "--json", "quote\"\\.etl", "bell\a.etl", "ünïcode.etl"):
            path = self.file(sound().pack(), name)
            (found,) = self.lines("validate", "--json", "--", path)
            self.assertEqual(path, found["file"])
            code, out, err = run("validate", "--json", "--", name, cwd=self.folder)
            self.assertEqual((CONFORMING, name), (code, json.loads(out)["file"]), err)
        bad = os.fsencode(self.folder) + b"/no\xffutf8"
        shutil.copy(path, bad)
        self.assertTrue(json.loads(self.out("validate", "--json", bad))["file"].endswith("/no\\xffutf8"))
        self.assertIn("/no\\xffutf8: conforming", self.out("validate", "-q", bad))

    def test_names_on_a_terminal(self):
        """A printed name has no control, hidden or direction-changing character, and differs from other names."""
        for name, shown in ((b"bell\a", "bell\\x07"), (b"two\nlines\x1b[31m", "two\\x0alines\\x1b[31m"),
                            (b"\xc2\x9b31m", "\\xc2\\x9b31m"), (b"\xe2\x80\xaelte.etl", "\\xe2\\x80\\xaelte.etl"),
                            (b"\xff\xc3", "\\xff\\xc3"), (b"\\x1b \\xperf \\", "\\x5cx1b \\xperf \\"),
                            ("ünïcode \U0001F600".encode(), "ünïcode \U0001F600")):
            for verb in READERS:
                code, _, err = run(*verb, name, cwd=self.folder)
                self.assertEqual((INPUT, f"etlproof: {shown}: cannot read: No such file or directory\n"), (code, err))
            shutil.copy(self.file(sound().pack()), os.path.join(os.fsencode(self.folder), name))
            _, out, err = run("validate", "-q", name, cwd=self.folder)
            self.assertEqual((f"{shown}: conforming (5 events, 3 buffers)\n", ""), (out.decode(), err))
            _, out, err = run("recover", name, "-o", name + b"+", "--manifest", name + b"-", cwd=self.folder)
            self.assertEqual((f"{shown}+: 5 events in 3 buffers; copied, no errors found\n", ""),
                             (out.decode(), err))
            shutil.copy(self.file(damaged()), os.path.join(os.fsencode(self.folder), name))
            _, out, err = run("recover", "--force", name, "-o", name + b"+", "--manifest", name + b"-", cwd=self.folder)
            self.assertRegex(out.decode(), f"^{re.escape(shown)}\\+: .* dropped \\(see {re.escape(shown)}-\\)\\n$")
        self.assertEqual("etlproof: unknown verb: a\\x07", run("a\a")[2].splitlines()[0])
        self.assertEqual("etlproof: unknown verb: " + "a" * 1000, run("a" * 100_000)[2][:1024])
        self.assertTrue(run("a" * 100_000)[2].splitlines()[0].endswith("a..."))

    def test_options_may_follow_the_file(self):
        path = self.file(sound().pack())
        self.assertEqual(self.out("decode", "--payload", "hex", path), self.out("decode", path, "--payload=hex"))

    def test_dashes_end_options(self):
        code, _, err = run("validate", "--", "--json")
        self.assertEqual(INPUT, code)
        self.assertIn("etlproof: --json: cannot read", err)
        (found,) = self.lines("validate", "--json", "--", "-", stdin=sound().pack())
        self.assertEqual("conforming", found["verdict"])

    def test_events_are_written_before_the_pipe_ends(self):
        content = Trace([Buffer([etl_file.full(A, time=T)])] * 3).pack()
        child = subprocess.Popen([command_case.TOOL, "decode", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdin.write(content[:-0x1000])
        child.stdin.flush()
        early, _, _ = select.select([child.stdout], [], [], 30)
        out, _ = child.communicate(content[-0x1000:], timeout=60)
        self.assertTrue(early, "nothing was written while the pipe was open")
        self.assertEqual("end", json.loads(out.splitlines()[-1])["rec"])
        self.assertEqual(CONFORMING, child.returncode)

    def test_colour_on_a_terminal(self):
        path = self.file(damaged())
        for environment, verdict in (({}, b"\x1b[31mdamaged\x1b[0m"), ({"NO_COLOR": "1"}, b"damaged"),
                                     ({"NO_COLOR": ""}, b"\x1b[31mdamaged\x1b[0m"), ({"TERM": "dumb"}, b"damaged")):
            try:
                master, slave = pty.openpty()
            except OSError as error:  # a root file system without /dev/pts
                self.skipTest(f"no terminal can be made: {error}")
            self.addCleanup(os.close, master)
            plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            subprocess.run([command_case.TOOL, "validate", "-q", path], stdout=slave, check=False,
                           env={**plain, "TERM": "xterm", **environment})
            os.close(slave)
            self.assertIn(b": " + verdict + b" (", os.read(master, 4096))
        self.assertNotIn("\x1b", self.out("validate", "-q", path, code=DAMAGED))

    def test_progress_on_a_terminal(self):
        content = Trace([Buffer([etl_file.full(A, time=T)])] * 3).pack()
        try:
            master, slave = pty.openpty()
        except OSError as error:  # a root file system without /dev/pts
            self.skipTest(f"no terminal can be made: {error}")
        pipe = os.path.join(self.folder, "bell\a")
        os.mkfifo(pipe)
        child = subprocess.Popen([command_case.TOOL, "validate", "-q", "bell\a"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=slave)
        os.close(slave)
        self.addCleanup(os.close, master)
        with open(pipe, "wb", buffering=0) as feed:
            feed.write(content[:-0x1000])
            time.sleep(1.2)
            feed.write(content[-0x1000:])
        out, _ = child.communicate(timeout=60)
        self.assertEqual(b"bell\\x07: conforming (4 events, 4 buffers)\n", out)
        shown = b""
        while not shown.endswith(b"\r\x1b[K"):  # a terminal may pass on what was written after the writer has ended
            shown += os.read(master, 4096)
        self.assertRegex(shown, rb"^\rbell\\x07: 0 MiB\x1b\[K(.|\n|\r)*\r\x1b\[K$")


class Siblings(CommandCase):
    def test_other_verbs_run_a_program_in_the_same_folder(self):
        tool = os.path.join(self.folder, "etlproof")
        shutil.copy(command_case.TOOL, tool)
        sibling = self.file(b'#!/bin/sh\necho "$0" "$@"\nexit 7\n', "etlproof-hello")
        os.chmod(sibling, 0o755)
        for environment, called in ((dict(os.environ), tool), ({**os.environ, "PATH": self.folder + ":/bin"}, "etlproof")):
            done = subprocess.run([called, "hello", "a b", "--c"], capture_output=True, timeout=60, check=False,
                                  env=environment)
            self.assertEqual((7, f"{sibling} a b --c\n"), (done.returncode, done.stdout.decode()))

    def test_program_that_cannot_be_run(self):
        """A program that exists but does not start is not an unknown verb."""
        tool = shutil.copy(command_case.TOOL, os.path.join(self.folder, "etlproof"))
        for name, content, mode, words in (("mode", b"#!/bin/sh\n", 0o644, "Permission denied"),
                                           ("format", b"neither", 0o755, "Exec format error"),
                                           ("shell", b"#!/bin/missing\n", 0o755, "No such file or directory")):
            sibling = self.file(content, "etlproof-" + name)
            os.chmod(sibling, mode)
            done = subprocess.run([tool, name], capture_output=True, timeout=60, check=False)
            self.assertEqual((INPUT, b"", f"etlproof: cannot run etlproof-{name}: {words}\n"),
                             (done.returncode, done.stdout, done.stderr.decode()))


class Map(CommandCase):
    def test_json_has_the_regions_of_the_file(self):
        for trace in (sound(), compressed()):
            *regions, end = self.lines("map", "--json", self.file(trace.pack()))
            self.assertEqual(trace.regions, [(one["kind"], one.get("space", "file"), int(one["offset"]), int(one["size"]))
                                             for one in regions])
            self.assertEqual({"rec": "end", "verdict": "conforming", "size": str(len(trace.pack())),
                              "bytes": {kind: str(count) for kind, count in trace.bytes_by_kind().items()}}, end)
            owners = [(one["buffer"], one["event"]) for one in regions if one["kind"] == "event-header"]
            self.assertEqual([(place["buffer"], place["index"]) for _, place in trace.places], owners)

    def test_json_conforms_to_its_schema(self):
        for content in (sound().pack(), compressed().pack(), damaged(), bomb(), b"text", sound().pack() + bytes(100)):
            self.check_lines("map", "map", "--json", self.file(content))

    def test_regions_of_damaged_files_tile(self):
        content = sound().pack()
        for broken in (damaged(), bomb(), content + bytes(999), content[:0x1000] + b"\x5a" * 700 + content[0x1000:],
                       content[:0x1000] + b"\0" * 0x1000 + content[0x2000:], b"\x01" * 3000, content[:0x20]):
            path = self.file(broken)
            code, out, _ = run("map", "--json", path)
            self.assertIn(code, (CONFORMING, DAMAGED, NOT_ETL, LIMIT))
            *regions, end = map(json.loads, out.splitlines())
            at = 0
            for one in regions:
                if "space" not in one:
                    self.assertEqual(at, int(one["offset"]))
                    at += int(one["size"])
            self.assertEqual((len(broken), str(len(broken))), (at, end["size"]))
            rows = re.findall(r"(?m)^  0x([0-9a-f]+) +(\d+)  [a-z-]+", self.out("map", path, code=code))
            self.assertEqual([(int(one["offset"]), int(one["size"])) for one in regions if "space" not in one],
                             [(int(offset, 16), int(size)) for offset, size in rows])

    def test_text(self):
        for trace in (sound(), compressed()):
            out = self.out("map", self.file(trace.pack()))
            rows = re.findall(r"(?m)^  (inflated )?0x([0-9a-f]{10}) +(\d+)  ([a-z-]+)", out)
            self.assertEqual(trace.regions, [(kind, "inflated" if space else "file", int(offset, 16), int(size))
                                             for space, offset, size, kind in rows])
            for one, place in trace.places:
                self.assertIn(f"event-header   event {place['index']} {one.members['name']}\n", out)
            for kind, count in trace.bytes_by_kind().items():
                self.assertRegex(out, rf"(?m)^ +{count}  {kind}$")
            self.assertIn(f"  conforming: {len(trace.pack())} bytes\n", out)

    @staticmethod
    def bytes_shown(out):
        """{offset: byte} of an annotated dump, with collapsed rows expanded."""
        shown, end, row = {}, 0, b""
        for line in out.splitlines():
            repeat = re.match(r"    \* +(\d+) more bytes, repeating the row above$", line)
            if repeat:
                data = row * (int(repeat[1]) // len(row))
            elif match := re.match(r"  [ >] 0x([0-9a-f]{10}) ((?: [0-9a-f]{2}){1,16})", line):
                end, data = int(match[1], 16), bytes.fromhex(match[2])
                row = data
            else:
                continue
            shown.update(enumerate(data, end))
            end += len(data)
        return shown

    def test_hex_shows_every_byte(self):
        content = sound().pack() + b"\x5a" * 100 + bytes(70000)
        shown = self.bytes_shown(self.out("map", "--hex", self.file(content), code=DAMAGED))
        self.assertEqual(content, bytes(shown[at] for at in range(len(content))))
        self.assertEqual(len(content), len(shown))

    def test_hex_names_members(self):
        trace = sound()
        out = self.out("map", "--hex", self.file(trace.pack()))
        rows = {int(offset, 16): text for offset, text in
                re.findall(r"(?m)^    0x([0-9a-f]{10}) (?: [0-9a-f]{2})+ +(\S.*)$", out)}
        event = int(trace.places[1][1]["offset"])
        for offset, text in (
                (0x00, "WMI_BUFFER_HEADER_61.BufferSize = 4096 (0x1000)"),
                (0x36, "WMI_BUFFER_HEADER_61.BufferType = 4 (0x4)"),
                (0x1018, "WMI_BUFFER_HEADER_61.SequenceNumber = 1"), (0x48, "SYSTEM_TRACE_HEADER.Version = 2 (0x2)"),
                (0x4E, "SYSTEM_TRACE_HEADER.HookId = 0 (0x0)"), (0x68, "TRACE_LOGFILE_HEADER64.BufferSize = 4096 (0x1000)"),
                (0x168, "TRACE_LOGFILE_HEADER64.PerfFreq = 2500000"), (0xB0, "TIME_ZONE_INFORMATION.Bias = -60"),
                (0xF4 + 2, "SYSTEMTIME.Month = 10 (0xa)"), (event + 0x18, f"EVENT_HEADER.ProviderId = {A}"),
                (event + 0x30, "EVENT_HEADER.Keyword = 9223372036854775824 (0x8000000000000010)"),
                (event + 0x50, "EXTENDED_DATA_ITEM.TotalSize = 24 (0x18)"), (event + 0x70, "|odd| CONTAINER_ID"),
                (event + 0x73, "|.....| item padding"), (event + 0x78, "|xyz|")):
            self.assertEqual(text, rows.get(offset), hex(offset))
        self.assertIn("PEBS index, counters", out)
        self.assertIn("parts by OptionFlags", out)

    def test_around(self):
        content = sound().pack()
        path = self.file(content)
        for where in (0, 0x1050, 0x1FFF, 0x2048, len(content) - 1):
            for text in (str(where), hex(where)):
                out = self.out("map", "--hex", "--around", text, path)
                shown = self.bytes_shown(out)
                self.assertIn(where, shown)
                self.assertEqual(content[where], shown[where])
                for at in range(max(0, where - 127), min(len(content), where + 128)):
                    self.assertIn(at, shown)
                marked = [line for line in out.splitlines() if re.match(r" *> ", line)]
                self.assertEqual(2, len(marked))
                start, size = re.match(r"> 0x([0-9a-f]+) +(\d+) ", marked[0]).groups()
                self.assertTrue(int(start, 16) <= where < int(start, 16) + int(size))
        for one in self.lines("map", "--json", "--around=0x1050", path)[:-1]:
            self.assertTrue(0x1050 - 128 < int(one["offset"]) + int(one["size"]) and int(one["offset"]) <= 0x1050 + 128)
        code, _, err = run("map", "--around", str(len(content)), path)
        self.assertEqual(USAGE, code)
        self.assertIn(f"offset {len(content):#x} is past the end of the file, which has {len(content)} bytes\n", err)

    def test_around_in_an_inflated_buffer(self):
        trace = compressed()
        path = self.file(trace.pack())
        *regions, _ = self.lines("map", "--json", "--around", "1:0x98", path)
        self.assertEqual([region for region in trace.regions if region[1] == "inflated"],
                         [(one["kind"], one["space"], int(one["offset"]), int(one["size"])) for one in regions])
        shown = self.bytes_shown(self.out("map", "--hex", "--around=1:152", path))
        body = trace.buffers[1].body()
        self.assertEqual({HEADER + at: byte for at, byte in enumerate(body)}, shown)
        for place in ("0:0x50", "1:0x10000", "9:0"):  # a plain buffer, past the end, no such buffer
            code, _, err = run("map", "--around", place, path)
            self.assertEqual(USAGE, code)
            buffer, offset = place.split(":")
            self.assertIn(f"buffer {buffer} has no inflated byte at offset {int(offset, 0):#x}", err)
        self.assertEqual("", run("map", "--around=1:152", path)[2])
        code, out, _ = run("map", "--json", "--around=2:0x98", path)
        self.assertEqual((USAGE, 1), (code, len(out.splitlines())))


class Explain(CommandCase):
    STRING = r'"(?:[^"\\]|\\.)*"'

    def rules(self):
        """The rows of rules.def."""
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format", "rules.def")
        with open(table, encoding="utf-8") as text:
            rows = re.findall(rf"(?m)^ETL_RULE\(\w+, ({self.STRING}), (\w+), (\w+), (\w+),\s*({self.STRING}),"
                              rf"\s*{self.STRING},\s*({self.STRING}),\s*({self.STRING})\)", text.read())
            text.seek(0)
            self.assertEqual(len(re.findall(r"(?m)^ETL_RULE\(", text.read())), len(rows))
        return [tuple(ast.literal_eval(part) if part.startswith('"') else part for part in row) for row in rows]

    def test_every_rule(self):
        rules = self.rules()
        self.assertGreater(len(rules), 70)
        listed = self.out("explain").splitlines()
        self.assertEqual(len(rules), len(listed))
        for line, (id_, _, layer, severity, statement, effect, source) in zip(listed, rules):
            self.assertEqual([id_, severity.lower(), statement], re.split(" {2,}", line))
            out = self.out("explain", id_)
            self.assertEqual(f"{id_}: {statement}", out.splitlines()[0])
            for label, value in (("severity", severity.lower()), ("layer", layer.lower()), ("effect", effect),
                                 ("source", source)):
                self.assertRegex(out, rf"(?m)^  {label} +{re.escape(value)}$")
            self.assertEqual(out, self.out("explain", id_.lower().replace("-", "_")))

    def test_json(self):
        records = self.lines("explain", "--json")
        keys = ("rule", "layer", "severity", "statement", "effect", "source")
        self.assertEqual([(id_, layer.lower(), severity.lower(), statement, effect, source)
                          for id_, _, layer, severity, statement, effect, source in self.rules()],
                         [tuple(record[key] for key in keys) for record in records])
        self.assertEqual(records[3:4] * 2, self.lines("explain", "--json", records[3]["rule"], records[3]["rule"]))

    def test_json_conforms_to_its_schema(self):
        self.check_lines("explain", "explain", "--json")

    def test_group(self):
        listed = self.out("explain").splitlines()
        for group in ("BUF", "tim", "Tim"):
            self.assertEqual([line for line in listed if line.startswith(group[:3].upper() + "-")],
                             self.out("explain", group).splitlines())
        self.assertEqual(["TIM"], sorted({record["rule"][:3] for record in self.lines("explain", "--json", "TIM")}))
        for name in ("BU", "", "-", "BUF-00"):
            self.assertEqual(USAGE, run("explain", name)[0], name)

    def test_unknown_rule_names_the_group_that_is_meant(self):
        for name, listed in (("BUFF", " BUF' lists that group"), ("buf_99", " BUF' lists that group"),
                             ("xyzzy", "' lists all rules"), ("7", "' lists all rules")):
            self.assertIn(f"'etlproof explain{listed}: {name}\n", run("explain", name)[2], name)

    def test_several(self):
        one, two = self.out("explain", "BUF-001"), self.out("explain", "SIZ-003")
        self.assertEqual(f"{one}\n{two}", self.out("explain", "BUF-001", "SIZ-003"))


if __name__ == "__main__":
    command_case.main()
