# SPDX-License-Identifier: Apache-2.0
"""host.c with a shim: requests by hand, and by the runner."""
import json
import os
import subprocess
import tempfile
import unittest

from .runner_fixture import HERE, RunnerCase, vector

COMPILER = os.environ.get("CC", "cc")
HOST = os.path.join(os.path.dirname(HERE), "host.c")
SHIM = os.path.join(HERE, "shim_fake.c")
EVENT = {"rec": "event", "name": "SYSTEM64"}
END = {"rec": "end", "verdict": "conforming"}


def setUpModule():
    global FOLDER, PROGRAM
    FOLDER = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(FOLDER.cleanup)
    PROGRAM = os.path.join(FOLDER.name, "host")
    subprocess.run([COMPILER, "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-g",
                    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", HOST, SHIM, "-o", PROGRAM], check=True)


def talk(*lines, code=0):
    """The answers, one object a line."""
    done = subprocess.run([PROGRAM], input="".join(lines), capture_output=True, encoding="utf-8", timeout=20, check=False)
    assert done.returncode == code, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


class HostTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def request(self, content, identifier="a", name="f.etl"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return json.dumps({"cmd": "run", "id": identifier, "file": path}) + "\n"

    def test_start_and_stop(self):
        answers = talk('{"cmd":"start","version":1}\n', ' { "version" : 2.5, "cmd" : "stop" } \n', "not read")
        self.assertEqual([{"ready": True, "name": "shim", "records": {"end": ["verdict"], "event": ["name"]}}], answers)

    def test_records(self):
        lines = json.dumps(EVENT) + "\n\n" + json.dumps(END)
        for text in (lines, lines + "\n"):
            self.assertEqual([{"id": "a", "records": [EVENT, END], "verdict": "accept"}],
                             talk(self.request(b"accept\n" + text.encode())))

    def test_verdicts(self):
        self.assertEqual([{"id": "a", "records": [], "verdict": "reject"}], talk(self.request(b"reject\n")))
        self.assertEqual([{"id": "a", "records": [], "verdict": "accept"}], talk(self.request(b"")))
        self.assertIn("the shim failed on ", talk(self.request(b"fail\n{}\n"))[0]["error"])

    def test_structure_in_memory(self):
        request = json.loads(self.request(b"accept\n"))
        layout = {"structure": "ETW_GUID_ENTRY", "windows": "1903", "arch": "x64"}
        self.assertEqual([{"rec": "member", "name": "ETW_GUID_ENTRY of 1903, x64"}],
                         talk(json.dumps(request | layout) + "\n")[0]["records"])
        for name in layout:
            with self.subTest(name):
                part = {key: value for key, value in layout.items() if key != name}
                talk(json.dumps(request | part) + "\n", code=64)

    def test_missing_file(self):
        answer = talk('{"cmd":"run","id":"a","file":"/no/such/file"}\n')
        self.assertEqual([{"id": "a", "error": "cannot read /no/such/file"}], answer)

    def test_names_with_escapes(self):
        for name in ('q"q', "b\\b", "\u00e9\u20ac\U0001f600", "t\tt", "/"[1:] + "s s"):
            with self.subTest(name):
                self.assertEqual(name, talk(self.request(b"accept\n", identifier=name, name=name))[0]["id"])
        plain = json.dumps({"cmd": "run", "id": "\u00e9", "file": "x\u20ac"}, ensure_ascii=False) + "\n"
        self.assertEqual("cannot read x\u20ac", talk(plain)[0]["error"])

    def test_invalid_requests(self):
        for line in ("", "x", "[]", "{", '{"cmd"', '{"cmd":"start"', '{"cmd":"start" "x"}', '{"cmd":"go"}', '{"cmd":"run"}',
                     '{"id":"x"}', '{"cmd":"\\u12"}', '{"cmd":"a\\', '{"cmd":"start",,}', '{"cmd":{}}'):
            with self.subTest(line):
                talk(line + "\n", code=64)

    def test_long_request(self):
        self.assertEqual("i" * 20000, talk(self.request(b"", identifier="i" * 20000))[0]["id"])


class HostedRunTest(RunnerCase):
    def test_run(self):
        def content(verdict, *records):
            return verdict + "\n" + "".join(json.dumps(record) + "\n" for record in records)

        damaged = {"rec": "end", "verdict": "damaged"}
        contents = {"good": content("accept", EVENT, END), "bad": content("reject", damaged), "dies": "abort\n",
                    "more": content("accept", EVENT, END)}
        vectors = [vector(name, "size", "SIZ-001", "reject" if name == "bad" else "accept",
                          [damaged] if name == "bad" else [EVENT, END]) for name in contents]
        self.write_golden(vectors, contents)
        self.run_raw("--mode", "long-lived", "-j", "1", "--", PROGRAM, code=1)
        self.assertEqual({"good": "pass", "bad": "pass", "dies": "crash", "more": "pass"}, self.verdicts())


if __name__ == "__main__":
    unittest.main()
