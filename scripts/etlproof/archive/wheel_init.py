# SPDX-License-Identifier: Apache-2.0
"""The vectors of etlproof and the runner that tests a parser against them."""
import json
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance")
GOLDEN = os.path.join(FOLDER, "golden")


def vectors():
    """Each vector: the members of conformance/schema/vector.schema.json, and "path", its file."""
    for folder, _, names in sorted(os.walk(GOLDEN)):
        for name in sorted(names):
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for vector in map(json.loads, file):
                        ending = ".bin" if "structure" in vector else ".etl"
                        yield {**vector, "path": os.path.join(folder, vector["id"] + ending)}


def main():
    """The command etlproof-conformance: conformance/run."""
    sys.exit(subprocess.call([sys.executable, os.path.join(FOLDER, "run"), *sys.argv[1:]]))
