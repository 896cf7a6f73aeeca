# SPDX-License-Identifier: Apache-2.0
"""The base of tests that run scripts/nightly with scripts as engines and targets. Engines record each complete input and
each failing input in a journal; all must be kept."""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time

from etlproof.folder_case import FolderCase
from etlproof.pages import schemas
from . import corpus, main

NIGHT = ("-m", "etlproof.night.fake_night")
BROKEN = 2
SECONDS = "0.01"  # minutes
TARGETS = "fuzz_clock,fuzz_event"

# An engine: FOLDER JOURNAL NAME. It makes inputs like libFuzzer or AFL++; one of them is bad while the file
# $journal.bug exists. While $journal.stops exists, it fails on the whole corpus of fuzz_clock.
ENGINE = """\
folder=$1 journal=$2 name=$3 number=0
case $name in
afl*) learned=$folder/afl/plain/queue failed=$folder/afl/plain/crashes bad=id:0 ;;
*) learned=$folder/corpus failed=$folder/findings bad=crash-x ;;
esac
mkdir -p "$learned" "$failed"
if [ -e "$journal.stops" ]; then
    mkdir -p "$folder/afl/plain/crashes"
    cp "$folder"/../../corpus/fuzz_clock/* "$folder/afl/plain/crashes"
    printf '%s' "$name $$" >"$learned/id:0"
    echo "#1 pulse cov: 5 ft: 7 corp: 1"
    exec sleep 9
fi
while :; do
    number=$((number + 1))
    printf '%s' "$name $$ $number" >"$learned/id:$number" && echo "input $name $$ $number" >>"$journal"
    if [ $number = 2 ] && [ -e "$journal.bug" ]; then
        printf '%s' "bad $name $$" >"$failed/$bad"
        echo "crash bad $name $$" >>"$journal"
    fi
    echo "#$number pulse cov: 5 ft: 7 corp: 1"
    sleep 0.02
done
"""
# A target, which fails on bad inputs while the file JOURNAL.bug exists, and on all while JOURNAL.wide exists.
TARGET = """\
#!/bin/sh
for input; do
    [ -f "$input" ] || continue
    [ -e "{journal}.wide" ] || {{ [ -e "{journal}.bug" ] && grep -q bad "$input"; }} || continue
    echo "oracle tiling broken at offset 0x12 (one window): x" >&2
    exit 77
done
"""


# The phases of a night without --bisect.
PHASES = [name for name, _ in main.PHASES if name != "bisect"]
# Seconds to wait for a night that takes two on an idle machine.
PATIENCE = 120


class Nights(FolderCase):
    def setUp(self):
        super().setUp()
        self.state = os.path.join(self.folder, "state")
        self.write("engine", ENGINE)
        self.write("target", TARGET.format(journal=os.path.join(self.folder, "journal")), executable=True)
        for number in range(3):
            self.write(f"seeds/{number}", f"seed {number}")

    def start(self, *arguments, **environment):
        child = subprocess.Popen(
            [sys.executable, "-B", *NIGHT, "--state", self.state, "--minutes", SECONDS, "--targets", TARGETS,
             "--seeds", self.folder, *arguments], env={**os.environ, "WORK": self.folder, **environment}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        """Ends a process that a failed test left running."""
        child.kill()
        child.communicate()

    def night(self, *arguments, **environment):
        """The exit status; `said` and `complained` have the two outputs."""
        child = self.start(*arguments, **environment)
        self.said, self.complained = child.communicate(timeout=PATIENCE)
        return child.returncode

    def expect(self, code, *arguments, **environment):
        self.assertEqual(code, self.night(*arguments, **environment), self.said + self.complained)

    def report(self, *place, ending="json", schema="report"):
        with open(os.path.join(self.state, "report", *place, "report." + ending), encoding="utf-8") as file:
            record = json.load(file)
        schemas.validator(schema).validate(record)
        return record

    def page(self, *place):
        with open(os.path.join(self.state, "report", *place, "index.html"), encoding="utf-8") as file:
            return file.read()

    def journal(self, kind):
        """The hashes of the inputs that engines have made."""
        with open(os.path.join(self.folder, "journal"), encoding="ascii") as file:
            return {corpus.digest(line.split(" ", 1)[1].rstrip("\n").encode()) for line in file
                    if line.startswith(kind) and line.endswith("\n")}

    def one_of_the_corpus(self):
        folder = os.path.join(self.state, "corpus", "fuzz_clock")
        return os.path.join(folder, sorted(os.listdir(folder))[0])

    def kept(self, place):
        return {name for _, _, names in os.walk(os.path.join(self.state, place)) for name in names}

    def assert_nothing_lost(self):
        self.assertEqual(set(), self.journal("input") - self.kept("corpus"))
        self.assertEqual(set(), self.journal("crash") - self.kept("crashes"))
        self.assertEqual([], os.listdir(os.path.join(self.state, "slots")))
        self.assertEqual(self.kept("corpus"), {row[0] for row in self.rows("SELECT sha1 FROM inputs")})

    def wait_for_slots(self):
        """Until an engine has made an input and the night has recorded its process. The processes of the slots."""
        until = time.monotonic() + 20
        while not (os.path.exists(os.path.join(self.folder, "journal")) and self.processes()):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        return self.processes()

    def processes(self):
        return [row[0] for row in self.rows("SELECT pid FROM slots WHERE pid IS NOT NULL")]

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(os.path.join(self.state, "state.sqlite3"))) as database:
            found = database.execute(query).fetchall()
            database.commit()
            return found
