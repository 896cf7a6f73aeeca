# SPDX-License-Identifier: Apache-2.0
"""Measures how well scripts/triage groups failures: crash inputs of planted bugs are triaged together, and each bug should
get exactly one bucket.

Each bug of harness/planted is fuzzed until enough different inputs show it. Builds and inputs are kept in the folder, so
that a second run takes seconds.
"""
import collections
import json
import os

from etlproof import ROOT
from etlproof.triage.bucket_store import Store
from etlproof.triage.main import Triage
from etlproof.triage.program import Target
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, PASSED
from .planted_crashes import Crop, judge

# At least one bug for each kind of detection: overruns, a wild read, undefined arithmetic, a loop, and promises (two
# bugs break one promise). With --all, some bugs fail in several ways, and some fail alike: those do not get one bucket
# each.
TEN = ("inflate-copy-slop", "event-header-extension-short", "inflate-distance-before-output", "clock-frequency-zero",
       "clock-signed-difference", "traits-chunk-zero", "buffer-loss-unreported", "message-loss-unreported",
       "event-thread-id-width", "event-padding-past-end")
NAME = "scripts/triage-planted"
EPILOG = "exit status: 0 each bug has one bucket, 1 some have not; 64, 66, 70, 74, 130 as for scripts/triage"


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("names", nargs="*", metavar="BUG", help="a name from scripts/planted --list (default: ten bugs)")
    add("--all", action="store_true", help="all bugs")
    add("--each", type=positive(int), metavar="N", default=5, help="inputs per bug (default: %(default)s)")
    add("--runs", type=positive(int), metavar="N", default=1, help="runs per input (default: %(default)s)")
    add("--timeout", type=positive(int), metavar="SECONDS", default=5, help="time limit for one run (default: %(default)s)")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="runs at the same time (default: %(default)s)")
    add("--folder", metavar="DIR", default=os.path.join(ROOT, "build", "triage-planted"),
        help="for builds and inputs (default: build/triage-planted)")
    add("--json", action="store_true", help="print which bug is in which bucket, as JSON")
    return parser.parse_args(arguments)


def sort(options):
    """{bug: {bucket: how many of its inputs}}"""
    crop = Crop(os.path.abspath(options.folder), [] if options.all else options.names or TEN, options.each, options.jobs)
    work, bug_of = Triage(Store(), options.runs, options.jobs), {}
    try:
        for patch in crop.patches:
            paths = crop.inputs(patch)
            bug_of.update((path, patch.name) for path in paths)
            work.run(paths, Target(patch.targets[0], program=crop.program(patch), seconds=options.timeout,
                                   replay=crop.replay(patch)))
    finally:
        crop.runner.stop()
    found = {patch.name: collections.Counter() for patch in crop.patches}
    for bucket in work.finish(os.path.join(crop.folder, "buckets")):
        for entry in bucket["inputs"]:
            found[bug_of[entry["path"]]][bucket["id"]] += 1
    return found


def _main(arguments):
    options = parse_arguments(arguments)
    found = sort(options)
    alone, lines = judge(found)
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        files, buckets = sum(map(collections.Counter.total, found.values())), {name for of in found.values() for name in of}
        print(f"{files} files of {len(found)} bugs: {len(buckets)} buckets; "
              f"{len(alone)} bugs have exactly one bucket of their own")
        print("\n".join(lines), end="\n" if lines else "")
    return PASSED if len(alone) == len(found) else FAILED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
