# SPDX-License-Identifier: Apache-2.0
"""The memory of triage: buckets, their inputs, when they were seen, and what a person decided about them. Stored in SQLite,
in a database that scripts/nightly shares."""
import datetime
import json
import os
import sqlite3

from runner.failure import INPUT, OUTPUT, USAGE, Failure, shown
from .buckets import Bucket

VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS triage_schema (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS triage_buckets (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, status TEXT NOT NULL, first_seen TEXT NOT NULL, last_seen TEXT NOT NULL,
    merged_into TEXT, split_from TEXT, record TEXT);
CREATE TABLE IF NOT EXISTS triage_inputs (
    sha256 TEXT NOT NULL, subject TEXT NOT NULL, bucket TEXT NOT NULL, trail TEXT NOT NULL, path TEXT NOT NULL,
    size INTEGER NOT NULL, last_seen TEXT NOT NULL, PRIMARY KEY (sha256, subject));
CREATE TABLE IF NOT EXISTS triage_decisions (
    at TEXT NOT NULL, what TEXT NOT NULL, bucket TEXT NOT NULL, other TEXT NOT NULL);
"""


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Store:
    """`path` of the database; None remembers nothing beyond this run. A bucket is new for all calls on one Store; the next
    Store knows it only after keep(), because until then no report has shown it."""

    def __init__(self, path=None):
        self.path = path
        try:
            if path and os.path.dirname(path):
                os.makedirs(os.path.dirname(path), exist_ok=True)
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30)
            self._db.executescript(_SCHEMA)
            self._check_version()
        except (OSError, sqlite3.Error) as error:
            raise Failure(OUTPUT, f"{path}: cannot open the database: {error}") from error
        self._old = {name for name, in self._rows("SELECT id FROM triage_buckets WHERE status != 'fixed' AND "
                                                  "(record IS NOT NULL OR split_from IS NOT NULL)")}
        self._mended = {name for name, in self._rows("SELECT id FROM triage_buckets WHERE status = 'fixed'")}
        self._failing = set()  # what was added, with any earlier status

    def close(self):
        self._db.close()

    def _check_version(self):
        row = self._db.execute("SELECT version FROM triage_schema").fetchone()
        if row is None:
            self._db.execute("INSERT INTO triage_schema VALUES (?)", (VERSION,))
        elif row[0] != VERSION:
            raise Failure(INPUT, f"{self.path}: has triage version {row[0]}, expected {VERSION}: use another --state")

    def _rows(self, query, *values):
        return self._do(query, *values).fetchall()

    def _do(self, query, *values):
        try:
            return self._db.execute(query, values)
        except sqlite3.Error as error:
            raise Failure(OUTPUT, f"{self.path}: {error}") from error

    # Reading

    def buckets(self):
        """All buckets that a Sorter compares failures with, merged ones too (see `resolve`), the oldest first."""
        trails = {}
        for name, trail in self._rows("SELECT bucket, trail FROM triage_inputs"):
            trails.setdefault(name, set()).add(tuple(json.loads(trail)))
        rows = self._rows("SELECT id, key FROM triage_buckets ORDER BY first_seen, split_from IS NOT NULL, rowid")
        return [Bucket(name, json.loads(key), trails[name]) for name, key in rows if name in trails]

    def given(self, subject):
        """The buckets of the known inputs of a subject, by hash."""
        return dict(self._rows("SELECT sha256, bucket FROM triage_inputs WHERE subject = ?", subject))

    def resolve(self, name):
        """The bucket that represents this one, which may have been merged."""
        while True:
            row = self._do("SELECT merged_into FROM triage_buckets WHERE id = ?", name).fetchone()
            if row is None or row[0] is None:
                return name
            name = row[0]

    def by_hand(self, name):
        """What a person decided about a bucket: {"merged": [ids], "split_from": id or None}."""
        merged = [other for other, in self._rows("SELECT id FROM triage_buckets WHERE merged_into IS NOT NULL ORDER BY id")
                  if self.resolve(other) == name]
        row = self._do("SELECT split_from FROM triage_buckets WHERE id = ?", name).fetchone()
        return {"merged": merged, "split_from": row[0] if row else None}

    def seen(self, name):
        """(status, first seen, last seen). A bucket that was fixed for earlier calls and fails now is regressed."""
        row = self._do("SELECT first_seen, last_seen, status FROM triage_buckets WHERE id = ?", name).fetchone()
        is_fixed = row[2] == "fixed" and name not in self._failing
        status = "known" if name in self._old else "regressed" if name in self._mended else "new"
        return "fixed" if is_fixed else status, row[0], row[1]

    def record(self, name):
        row = self._do("SELECT record FROM triage_buckets WHERE id = ?", name).fetchone()
        return json.loads(row[0]) if row and row[0] else None

    def records(self):
        """All buckets as last written, with their current status."""
        found = []
        for name, in self._rows("SELECT id FROM triage_buckets WHERE merged_into IS NULL ORDER BY first_seen, rowid"):
            record = self.record(name)
            if record:
                record["status"], record["first_seen"], record["last_seen"] = self.seen(name)
                found.append({**record, **self.by_hand(name)})
        return found

    # Recording

    def add(self, bucket, crash, trail):
        """Records that a failure was put in a bucket."""
        at = now()
        self._do("INSERT INTO triage_buckets (id, key, status, first_seen, last_seen) VALUES (?, ?, 'failing', ?, ?) "
                 "ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen",
                 bucket.id, json.dumps(bucket.key), at, at)
        self._failing.add(self.resolve(bucket.id))
        self._do("UPDATE triage_buckets SET last_seen = ? WHERE id = ?", at, self.resolve(bucket.id))
        self._do("INSERT OR REPLACE INTO triage_inputs VALUES (?, ?, ?, ?, ?, ?, ?)", crash.sha256, crash.subject.name,
                 bucket.id, json.dumps(trail), shown(crash.path), crash.size, at)

    def keep(self, name, record):
        """Records that a failing bucket was written."""
        self._do("UPDATE triage_buckets SET record = ?, status = 'failing' WHERE id = ?", json.dumps(record), name)

    def passed(self, sha256, subject):
        """Records that an input passes now; returns its bucket, None if it never failed."""
        row = self._do("SELECT bucket FROM triage_inputs WHERE sha256 = ? AND subject = ?", sha256, subject).fetchone()
        return self.resolve(row[0]) if row else None

    def fixed(self, name):
        """Records that no input of the bucket fails any more."""
        self._do("UPDATE triage_buckets SET status = 'fixed' WHERE id = ?", name)

    # Decisions of a person

    def _check(self, name):
        if not self._rows("SELECT 1 FROM triage_buckets WHERE id = ?", name):
            raise Failure(USAGE, f"{name}: there is no such bucket; --list names them")

    def merge(self, one, other):
        """From now on, failures of `other` are put in `one`."""
        self._check(one)
        self._check(other)
        one, moved = self.resolve(one), self.resolve(other)
        if one == moved:
            raise Failure(USAGE, f"{other}: is in {one} already")
        self._do("UPDATE triage_buckets SET merged_into = ? WHERE id = ?", one, moved)
        self._decide("merge", one, moved)
        return one

    def split(self, name, sha256):
        """Gives an input a bucket of its own, because its bug is not that of its bucket; inputs that are more like it than
        like the rest follow."""
        self._check(name)
        name = self.resolve(name)
        rows = [row for row in self._rows("SELECT bucket, subject FROM triage_inputs WHERE sha256 = ?", sha256)
                if self.resolve(row[0]) == name]
        if not rows:
            raise Failure(USAGE, f"{name}: the file is no input of this bucket")
        new = f"{name}-{sha256[:8]}"
        for bucket, subject in rows:
            self._do("INSERT OR IGNORE INTO triage_buckets (id, key, status, first_seen, last_seen, split_from) "
                     "SELECT ?, key, status, first_seen, last_seen, ? FROM triage_buckets WHERE id = ?", new, name, bucket)
            self._do("UPDATE triage_inputs SET bucket = ? WHERE sha256 = ? AND subject = ?", new, sha256, subject)
        self._decide("split", name, new)
        return new

    def _decide(self, what, bucket, other):
        self._do("INSERT INTO triage_decisions VALUES (?, ?, ?, ?)", now(), what, bucket, other)
