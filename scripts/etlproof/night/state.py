# SPDX-License-Identifier: Apache-2.0
"""The state folder: its paths, and the database that nights share."""
import contextlib
import datetime
import json
import os
import sqlite3

from etlproof.campaign.engines import CONFIGURATIONS
from runner.failure import INPUT, OUTPUT, Failure
from . import durable

VERSION = 3
DATABASE = "state.sqlite3"
# What changes a database of an earlier version: 1 did not know which failing inputs wait to return, and which buckets were
# fixed before a run; 2 did not know which sources a slot tested.
_UPGRADES = {1: ("""INSERT INTO aside SELECT target, sha1, run, run, 0 FROM crashes c
WHERE NOT EXISTS (SELECT 1 FROM seeds WHERE sha1 = c.sha1 AND mark = c.target || ', fixed')""",
                 "ALTER TABLE runs ADD COLUMN fixed TEXT NOT NULL DEFAULT '[]'"),
             2: ("ALTER TABLE slots ADD COLUMN tested TEXT",)}
_HERE = os.path.dirname(os.path.abspath(__file__))
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime(_TIME)


def seconds_since(time):
    return (datetime.datetime.strptime(now(), _TIME) - datetime.datetime.strptime(time, _TIME)).total_seconds()


class State:
    """The state in a `folder` that the person chooses. Every change is on the disk when the call returns."""

    def __init__(self, folder):
        self.folder = folder
        self.database = os.path.join(folder, DATABASE)
        durable.make_folders(folder, *(self.path(name) for name in ("corpus", "crashes", "slots", "logs", "report")))
        had_corpus = any(files for _, _, files in os.walk(self.path("corpus")))
        has_database = os.path.exists(self.database) and os.path.getsize(self.database) > 0
        self.bereft = had_corpus and not has_database

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def open(self):
        with self._complaining():
            self._db = sqlite3.connect(self.database, isolation_level=None, timeout=30)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            with open(os.path.join(_HERE, "schema.sql"), encoding="utf-8") as file:
                self._db.executescript(file.read())
            self._check_version()

    def _check_version(self):
        row = self.row("SELECT version FROM night_schema")
        if row is None:
            self.do("INSERT INTO night_schema VALUES (?)", VERSION)
        elif row["version"] in _UPGRADES:
            self._upgrade(row["version"])
        elif row["version"] != VERSION:
            raise Failure(INPUT, f"{self.database}: has version {row['version']}, expected {VERSION}: use another --state")

    def _upgrade(self, version):
        with self.together():
            for number in range(version, VERSION):
                for statement in _UPGRADES[number]:
                    self.do(statement)
            self.do("UPDATE night_schema SET version = ?", VERSION)

    @contextlib.contextmanager
    def _complaining(self):
        try:
            yield
        except sqlite3.OperationalError as error:  # a full disk, a file that may not be written
            raise Failure(OUTPUT, f"{self.database}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise Failure(INPUT, f"{self.database}: {error}: repair it, or use another --state") from error

    def rows(self, query, *values):
        with self._complaining():
            return self._db.execute(query, values).fetchall()

    def row(self, query, *values):
        return next(iter(self.rows(query, *values)), None)

    def value(self, query, *values):
        row = self.row(query, *values)
        return row[0] if row else None

    def do(self, query, *values):
        with self._complaining():
            return self._db.execute(query, values).lastrowid

    def do_all(self, query, rows):
        """Executes all statements or none."""
        with self.together():
            with self._complaining():
                self._db.executemany(query, rows)

    @contextlib.contextmanager
    def together(self):
        """A context whose changes are made all at once or not at all."""
        if self._db.in_transaction:
            yield
            return
        self.do("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.rollback()
            raise
        self.do("COMMIT")

    def settle(self):
        """Rolls back a transaction that was interrupted."""
        if self._db.in_transaction:
            self._db.rollback()

    # The run

    def unfinished(self):
        return self.row("SELECT * FROM runs WHERE ended IS NULL ORDER BY id DESC LIMIT 1")

    def begin(self, budget, jobs, targets, seeds, commit, known, fixed):
        return self.do("INSERT INTO runs (begun, budget, jobs, targets, seeds, commit_id, known, fixed) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?)", now(), budget, jobs, json.dumps(targets), seeds, commit,
                       json.dumps(known), json.dumps(fixed))

    def run(self, number):
        return self.row("SELECT * FROM runs WHERE id = ?", number)

    def problem(self, run, phase, text, breaks=True):
        self.do("INSERT OR IGNORE INTO problems VALUES (?, ?, ?, ?)", run, phase, text, breaks)

    def problems(self, run):
        return self.rows("SELECT phase, text, breaks FROM problems WHERE run = ? ORDER BY rowid", run)

    # Phases

    def phase_done(self, run, name):
        return self.value("SELECT 1 FROM phases WHERE run = ? AND name = ?", run, name) is not None

    def end_phase(self, run, name, seconds, outcome, text, result=None):
        self.do("INSERT INTO phases VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "seconds = seconds + excluded.seconds, outcome = excluded.outcome, text = excluded.text, "
                "result = excluded.result", run, name, round(seconds, 1), outcome, text, json.dumps(result))

    def result(self, run, name):
        """The result of a phase for the report; None if the phase did not finish."""
        text = self.value("SELECT result FROM phases WHERE run = ? AND name = ?", run, name)
        return json.loads(text) if text else None

    # Combinations of target and configuration

    def plan(self, run, among):
        self.do_all("INSERT OR IGNORE INTO planned VALUES (?, ?, ?)", [(run, *one) for one in among])

    def planned(self, run):
        return {tuple(row) for row in self.rows("SELECT target, configuration FROM planned WHERE run = ?", run)}

    def ran(self, run=None):
        """The combinations that had a slot in the run; in any run, if there is none."""
        return {tuple(row) for row in self.rows(
            "SELECT DISTINCT target, configuration FROM slots WHERE run = ? OR ? IS NULL", run, run)}

    def spent(self):
        """Seconds of processor time by (target, configuration), over all nights."""
        return {(row[0], row[1]): row[2] for row in self.rows(
            "SELECT target, configuration, sum(processor_seconds) FROM slots GROUP BY 1, 2")}

    def edges(self, run):
        """By target: edges, their total, and features of the slot of the run with the most edges. Only libFuzzer under
        AddressSanitizer and UndefinedBehaviorSanitizer counts, since edges of different builds cannot be compared."""
        return {row["target"]: row for row in self.rows(
            "SELECT target, edges, edges_total, features FROM slots WHERE run = ? AND configuration = ? "
            "AND edges IS NOT NULL ORDER BY edges", run, CONFIGURATIONS[0])}

    def failed(self, target, configuration):
        """Records that the target failed in this configuration, after all slots so far."""
        self.do("INSERT OR REPLACE INTO failures SELECT ?, ?, coalesce(max(id), 0) FROM slots", target, configuration)

    def clean(self, target, tested):
        """By configuration: seconds of processor time since the target last failed in it, and of these the seconds on the
        sources as they are now."""
        since = "s.id > coalesce(f.slot, 0)"
        return {row[0]: {"seconds": round(row[1], 2), "this_code": round(row[2], 2)} for row in self.rows(
            f"SELECT s.configuration, sum(iif({since}, s.processor_seconds, 0)), "
            f"sum(iif({since} AND s.tested = ?, s.processor_seconds, 0)) "
            "FROM slots s LEFT JOIN failures f ON f.target = s.target AND f.configuration = s.configuration "
            "WHERE s.target = ? GROUP BY 1 ORDER BY 1", tested, target)}
