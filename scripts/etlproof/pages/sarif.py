# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0 (OASIS) of buckets, for code-scanning views: each is a result where the project's own code failed."""
import hashlib
import json
import os
import pathlib
import urllib.parse

from runner.html_page import clean
from runner.atomic_file import write_text
from .wording import is_flaky, kind_text, say_size, subject_text

LEVELS = {"high": "error", "medium": "warning", "low": "note"}
BASELINE = {"new": "new", "regressed": "new", "flaky": "unchanged", "known": "unchanged", "fixed": "absent",
            "untried": "unchanged"}
ROOT_ID = "SRCROOT"  # the base of paths that are relative to the tree


def write(buckets, path):
    """Returns the SARIF log of bucket records. Inputs are artifacts, with the hash of the smallest if it can be read."""
    rules, artifacts = _Rules(), _Artifacts()
    results = [_result(bucket, rules, artifacts) for bucket in buckets]
    driver = {"name": "etlproof-triage", "rules": rules.list}
    run = {"tool": {"driver": driver}, "results": results, "artifacts": artifacts.list, "columnKind": "unicodeCodePoints"}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    write_text(path, json.dumps(log, indent=1) + "\n")


class _Rules:
    """The SARIF rules: one for each kind of failure that occurred."""

    def __init__(self):
        self.list, self._indices = [], {}

    def add(self, bucket):
        id_ = clean("/".join(part for part in (bucket["kind"], bucket["what"]) if part))
        if id_ not in self._indices:
            self._indices[id_] = len(self.list)
            self.list.append({"id": id_, "shortDescription": {"text": f"A failure of kind {id_}"}})
        return id_, self._indices[id_]


class _Artifacts:
    """The artifacts, each listed once."""

    def __init__(self):
        self.list, self._indices = [], {}

    def add(self, path, size, sha256):
        """Adds a file and returns its index."""
        uri = _file_uri(path)
        if uri not in self._indices:
            self._indices[uri] = len(self.list)
            hashes = {"hashes": {"sha-256": sha256}} if sha256 else {}
            self.list.append({"location": {"uri": uri}, "length": size, "roles": ["attachment"], **hashes})
        return {"uri": uri, "index": self._indices[uri]}


def _file_uri(path):
    return pathlib.Path(path).absolute().as_uri()


def _source(frame):
    """A place in the sources. A relative path counts from the root of the tree, wherever that is checked out."""
    if os.path.isabs(frame["file"]):
        place = {"artifactLocation": {"uri": _file_uri(frame["file"])}}
    else:
        uri = urllib.parse.quote(frame["file"].replace("\\", "/"), safe="/", errors="backslashreplace")
        place = {"artifactLocation": {"uri": uri, "uriBaseId": ROOT_ID}}
    if frame["line"]:
        place["region"] = {"startLine": frame["line"]}
    return place


def _location(frame):
    location = {"logicalLocations": [{"name": clean(frame["function"]), "kind": "function"}]}
    return {**location, "physicalLocation": _source(frame)} if frame["file"] else location


def _sha256(path):
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _attachments(bucket, artifacts):
    """The inputs as attachments, the smallest first."""
    smallest = bucket["smallest"]
    inputs = [("An input as it was found", each, each["sha256"]) for each in bucket["inputs"]]
    if smallest:
        inputs.insert(0, ("The smallest input", smallest, _sha256(smallest["path"])))
    return [{"description": {"text": f"{what}, {say_size(each['size'])}"},
             "artifactLocation": artifacts.add(each["path"], each["size"], sha256)} for what, each, sha256 in inputs]


def _message(bucket):
    told = [f"{bucket['title']} ({kind_text(bucket)}), in {subject_text(bucket)}.",
            f"Severity {bucket['severity']['level']}: {bucket['severity']['why']}."]
    if is_flaky(bucket):
        told.append(f"Flaky: it failed in {bucket['failed']} of {bucket['runs']} runs.")
    if bucket["commands"]["reproduce"]:
        told.append(f"To reproduce it: {bucket['commands']['reproduce']}")
    return clean(" ".join(told))


def _result(bucket, rules, artifacts):
    rule, index = rules.add(bucket)
    attachments = _attachments(bucket, artifacts)
    result = {"ruleId": rule, "ruleIndex": index, "level": LEVELS[bucket["severity"]["level"]],
              "message": {"text": _message(bucket)}, "partialFingerprints": {"etlproofBucket/v1": bucket["id"]},
              "baselineState": BASELINE[bucket["status"]],
              "properties": {"firstSeen": bucket["first_seen"], "lastSeen": bucket["last_seen"], "runs": bucket["runs"],
                             "failed": bucket["failed"]}}
    if bucket["frame"]:
        result["locations"] = [_location(bucket["frame"])]
    elif attachments:
        # Viewers do not show a result without a place: a failure without a stack has its input as place.
        result["locations"] = [{"physicalLocation": {"artifactLocation": attachments[0]["artifactLocation"]}}]
    if bucket["stack"]:
        result["stacks"] = [{"frames": [{"location": _location(frame)} for frame in bucket["stack"]]}]
    if attachments:
        result["attachments"] = attachments
    return result
