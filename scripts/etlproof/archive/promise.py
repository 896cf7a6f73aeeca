# SPDX-License-Identifier: Apache-2.0
"""What CHANGELOG.md promises of vectors: those of a release stay as they are, or CHANGELOG.md names them."""
import csv
import io
import os

MANIFEST = "conformance/golden/MANIFEST.tsv"


def broken(before, now, changelog):
    """The vectors of the manifest `before` that are gone or other in the manifest `now`, and not named in the changelog."""
    hashes = _hashes(now)
    lost = (id_ for id_, sha256 in _hashes(before).items() if hashes.get(id_) != sha256)
    return sorted(id_ for id_ in lost if f"`{id_}`" not in changelog)


def _hashes(manifest):
    rows = csv.DictReader(io.StringIO(manifest), delimiter="\t")
    return {_id(row["file"]): row["sha256"] for row in rows if not row["file"].endswith(".jsonl")}


def _id(path):
    return os.path.splitext(os.path.basename(path))[0]
