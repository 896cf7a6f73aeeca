#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: seeds_test.py VECTORS HOST

Compares the decode of each seed with the expected decode from its recipe, with the runner of the conformance suite. Each
seed must conform: from a seed that is damaged by mistake, every campaign would start with rejected inputs.
"""
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

CONFORMANCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "conformance")
FEWEST = 60  # least number of seeds
LARGEST = 8192  # bytes of a seed; larger seeds are slow to mutate


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write_manifest(folder):
    """Writes the manifest of the seeds for the runner; returns what is wrong with the seeds themselves."""
    wrong, rows, seeds = [], [], 0
    vectors = []
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.jsonl"))):
        rows.append(f"{os.path.relpath(path, folder)}\t{sha256(path)}\n")
        with open(path, encoding="utf-8") as file:
            vectors += map(json.loads, file)
    for vector in vectors:
        name = os.path.join(vector["group"], vector["id"] + ".etl")
        trace = os.path.join(folder, name)
        size = os.path.getsize(trace)
        seeds += 1
        rows.append(f"{name}\t{sha256(trace)}\n")
        if vector["verdict"] == "reject":
            wrong.append(f"{trace}: not conforming; damaged traces are vectors or regressions")
        if size > LARGEST:
            wrong.append(f"{trace}: {size} bytes, more than {LARGEST}")
    if seeds < FEWEST:
        wrong.append(f"{folder}: {seeds} seeds, fewer than {FEWEST}")
    with open(os.path.join(folder, "MANIFEST.tsv"), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(rows)
    return wrong


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    vectors, host = sys.argv[1:]
    wrong = write_manifest(vectors)
    print("\n".join(wrong))
    with tempfile.TemporaryDirectory() as report:
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(CONFORMANCE, "run"), "--mode", "long-lived", "--golden", vectors,
             "--policy", os.path.join(CONFORMANCE, "adapters", "etlproof", "policy.txt"), "--report", report, "--", host],
            check=False)
    return 1 if wrong or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
