-- SPDX-License-Identifier: Apache-2.0
-- What nights leave to later ones. Buckets have tables of their own, which triage makes in the same file.
CREATE TABLE IF NOT EXISTS night_schema (version INTEGER NOT NULL);

-- A night. One without an end was killed or interrupted, and who begins the next one goes on with it first.
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    begun TEXT NOT NULL,
    ended TEXT,
    budget REAL NOT NULL,               -- seconds by the clock that engines run
    jobs INTEGER NOT NULL,              -- engines side by side
    targets TEXT NOT NULL,              -- JSON: names
    seeds TEXT,                         -- a folder of real traces
    commit_id TEXT,                     -- of the tree
    fuzzed REAL NOT NULL DEFAULT 0,     -- of the budget, so far
    resumed INTEGER NOT NULL DEFAULT 0, -- times
    known TEXT NOT NULL DEFAULT '[]',   -- JSON: buckets that failed before it began
    fixed TEXT NOT NULL DEFAULT '[]',   -- JSON: buckets that were fixed before it began
    verdict TEXT);

-- The configurations of targets that a run was to give a slot, as it began.
CREATE TABLE IF NOT EXISTS planned (
    run INTEGER NOT NULL REFERENCES runs, target TEXT NOT NULL, configuration TEXT NOT NULL,
    PRIMARY KEY (run, target, configuration)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS phases (
    run INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    seconds REAL NOT NULL,
    outcome TEXT NOT NULL,              -- done, failed, skipped
    text TEXT,
    result TEXT,                        -- JSON: for the report
    PRIMARY KEY (run, name));

CREATE TABLE IF NOT EXISTS problems (
    run INTEGER NOT NULL REFERENCES runs,
    phase TEXT NOT NULL,
    text TEXT NOT NULL,
    breaks INTEGER NOT NULL,            -- whether the night's verdict is `broken`
    UNIQUE (run, phase, text));

-- An engine on a target for a time. Its folder is slots/ID until all of it is in the corpus.
CREATE TABLE IF NOT EXISTS slots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs,
    target TEXT NOT NULL,
    configuration TEXT NOT NULL,
    begun TEXT NOT NULL,
    pid INTEGER,
    processor_seconds REAL NOT NULL DEFAULT 0,
    executions INTEGER NOT NULL DEFAULT 0,
    edges INTEGER, edges_total INTEGER, features INTEGER,
    crashes INTEGER NOT NULL DEFAULT 0,
    tested TEXT);                       -- hash of the sources that targets test

-- What corpus/TARGET holds: SHA-1 of the bytes, which is the file's name.
CREATE TABLE IF NOT EXISTS inputs (
    target TEXT NOT NULL, sha1 TEXT NOT NULL, origin TEXT NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (target, sha1)) WITHOUT ROWID;

-- What has been given to a corpus, by target and where it came from: what minimising took out does not come again.
CREATE TABLE IF NOT EXISTS seeds (mark TEXT NOT NULL, sha1 TEXT NOT NULL, PRIMARY KEY (mark, sha1)) WITHOUT ROWID;

-- What crashes/TARGET holds, and what found it.
CREATE TABLE IF NOT EXISTS crashes (
    target TEXT NOT NULL, sha1 TEXT NOT NULL, kind TEXT NOT NULL, configuration TEXT NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (target, sha1)) WITHOUT ROWID;

-- Failing inputs, which stay out of the corpus until they pass: the last run in which one failed, the run in which it left
-- the corpus (NULL if the corpus did not have it), and the last run that tried it.
CREATE TABLE IF NOT EXISTS aside (
    target TEXT NOT NULL, sha1 TEXT NOT NULL, run INTEGER NOT NULL, gone INTEGER, tried INTEGER NOT NULL,
    PRIMARY KEY (target, sha1)) WITHOUT ROWID;

-- Up to which slot a configuration last failed on a target.
CREATE TABLE IF NOT EXISTS failures (
    target TEXT NOT NULL, configuration TEXT NOT NULL, slot INTEGER NOT NULL,
    PRIMARY KEY (target, configuration)) WITHOUT ROWID;

-- Inputs of a target's corpus when a run began, and that it had lost by then.
CREATE TABLE IF NOT EXISTS counts (
    run INTEGER NOT NULL REFERENCES runs, target TEXT NOT NULL, before INTEGER NOT NULL, lost INTEGER NOT NULL,
    PRIMARY KEY (run, target)) WITHOUT ROWID;

-- Regions of the decode path that a corpus reaches; `*` is all targets of the run together.
CREATE TABLE IF NOT EXISTS coverage (
    run INTEGER NOT NULL REFERENCES runs, target TEXT NOT NULL, regions INTEGER NOT NULL, total INTEGER NOT NULL,
    PRIMARY KEY (run, target)) WITHOUT ROWID;

-- At the end of a run: inputs of the corpus of a target, and its seconds without a finding under ASan and UBSan.
CREATE TABLE IF NOT EXISTS ends (
    run INTEGER NOT NULL REFERENCES runs, target TEXT NOT NULL, inputs INTEGER NOT NULL, clean REAL NOT NULL,
    PRIMARY KEY (run, target)) WITHOUT ROWID;
