# SPDX-License-Identifier: Apache-2.0
"""Runs the built command etlproof to decode files, build recipes and explain rules."""
import functools
import json
import os
import subprocess

from runner.failure import INPUT, INTERNAL, Failure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.join(ROOT, "build", "release", "bin", "etlproof" + (".exe" if os.name == "nt" else ""))
SECONDS = 120          # for one command
READ = (0, 1, 2, 3)    # exit codes of a command that could read its file


class Reference:
    """The command `etlproof`; the release build by default. It must not be a build that has the bug in question."""

    def __init__(self, command=None):
        self.command = command or COMMAND
        if not os.path.exists(self.command):
            raise Failure(INPUT, f"{self.command}: not built: cmake --preset release && cmake --build --preset release")

    def ask(self, *words, feed=None):
        """(exit code, standard output, standard error). The code is None after a timeout or a signal."""
        try:
            done = subprocess.run([self.command, *words], input=feed, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, b"", b"took too long"
        return (done.returncode if done.returncode >= 0 else None), done.stdout, done.stderr

    def records(self, *words):
        """The JSON Lines that a verb prints about a file; empty where the decoder itself fails."""
        code, text, error = self.ask(*words)
        if code is not None and code not in READ:
            raise Failure(code if code == INPUT else INTERNAL, error.decode("utf-8", "replace").strip())
        lines = text.splitlines() if code is not None else ()
        return [json.loads(line) for line in lines]

    @functools.cached_property
    def rules(self):
        """{id: the object that `etlproof explain` prints}, in the order of the tables."""
        return {rule["rule"]: rule for rule in self.records("explain", "--json")}

    @functools.cached_property
    def flags(self):
        """The flags of `either` vectors."""
        code, text, error = self.ask("build", "--rules")
        if code != 0:
            raise Failure(INPUT, f"etlproof build: {error.decode('utf-8', 'replace').strip()}")
        rows = [line.split("\t") for line in text.decode("utf-8").splitlines()]
        return [row[0] for row in rows if row[2] == "flag"]
