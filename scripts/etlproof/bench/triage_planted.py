# SPDX-License-Identifier: Apache-2.0
"""Measures how well scripts/triage groups failures: crash inputs of planted bugs are triaged together, and each bug should
get exactly one bucket. With --members: how often it names the member that a bug is about.

Each bug of harness/planted is fuzzed until enough different inputs show it. Builds and inputs are kept in the folder, so
that a second run takes seconds.
"""
import collections
import json
import os

from etlproof import ROOT
from etlproof.triage.bucket_store import Store
from etlproof.triage.finisher import SECONDS, Finisher
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
# The members that a bug is about, by its description, any of which is right; for bytes without members, what they are.
MEMBERS = {
    "buffer-saved-offset-trusted": ("SavedOffset",),
    "buffer-size-below-header": ("BufferSize",),
    "buffer-size-unbounded": ("BufferSize",),
    "context-instance-by-minor": ("SubVersion", "SubMinorVersion"),
    "event-counter-mask": ("Version",),
    "event-counters-trusted": ("Version",),
    "event-instance-guid-short": ("Size",),
    "event-padding-past-end": ("Size",),
    "event-size-below-header": ("Size",),
    "event-size-beyond-extent": ("Size", "Offset", "SavedOffset"),
    "event-size-zero": ("Size",),
    "file-offset-by-stated-size": ("BufferSize",),
    "inflate-scratch-of-offset": ("Offset", "SavedOffset"),
    "item-layout-by-type": ("DataSize", "TotalSize"),
    "item-linkage-loop": ("TotalSize",),
    "item-sid-count": ("data of item SID",),
    "item-size-beyond-event": ("DataSize", "TotalSize"),
    "item-stack-count": ("DataSize", "TotalSize"),
    "logfile-names-without-end": ("Size", "data of SYSTEM_TRACE_HEADER"),
    "logfile-size-unchecked": ("Size",),
    "logfile-width-by-member": ("PointerSize",),
    "message-guid-past-event": ("OptionFlags", "Size"),
    "message-loss-unreported": ("OptionFlags", "Size"),
    "message-part-cut": ("OptionFlags", "Size"),
    "message-time-twice": ("OptionFlags",),
    "schema-finding-place": ("data of item EVENT_SCHEMA_TL", "data of item PROV_TRAITS"),
    "schema-size-trusted": ("data of item EVENT_SCHEMA_TL", "data of item PROV_TRAITS"),
    "schema-text-without-end": ("data of item EVENT_SCHEMA_TL", "data of item PROV_TRAITS"),
    "traits-chunk-zero": ("data of item PROV_TRAITS",),
}
NAME = "scripts/triage-planted"
EPILOG = ("exit status: 0 each bug has one bucket, or its member is named; 1 some have not; 64, 66, 70, 74, 130 as for "
          "scripts/triage")


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("names", nargs="*", metavar="BUG", help="a name from scripts/planted --list (default: ten bugs)")
    add("--all", action="store_true", help="all bugs")
    add("--members", action="store_true", help="whether each bucket names the member of its bug (default: the bugs for "
        "which a member is known)")
    add("--seconds", type=positive(int), metavar="N", default=SECONDS,
        help="with --members: time to minimise one bucket's input, and to replace its members (default: %(default)s)")
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
    crop = _crop(options, options.names or TEN)
    work, bug_of = Triage(Store(), options.runs, options.jobs), {}
    try:
        for patch in crop.patches:
            paths = crop.inputs(patch)
            bug_of.update((path, patch.name) for path in paths)
            work.run(paths, _target(crop, patch, options))
    finally:
        crop.runner.stop()
    found = {patch.name: collections.Counter() for patch in crop.patches}
    for bucket in work.finish(os.path.join(crop.folder, "buckets")):
        for entry in bucket["inputs"]:
            found[bug_of[entry["path"]]][bucket["id"]] += 1
    return found


def _crop(options, names):
    return Crop(os.path.abspath(options.folder), [] if options.all else names, options.each, options.jobs)


def _target(crop, patch, options):
    return Target(patch.targets[0], program=crop.program(patch), seconds=options.timeout, replay=crop.replay(patch))


def named(options):
    """{bug: what each of its buckets names}: each bug is triaged alone, since another bug in a bucket would hide it."""
    crop, found = _crop(options, options.names or list(MEMBERS)), {}
    try:
        for patch in crop.patches:
            work = Triage(Store(), options.runs, options.jobs, Finisher(options.seconds))
            work.run(crop.inputs(patch), _target(crop, patch, options))
            records = work.finish(os.path.join(crop.folder, "explained", patch.name))
            found[patch.name] = [_name(record["explain"]) for record in records]
    finally:
        crop.runner.stop()
    return found


def _name(explain):
    return explain and (explain["member"] or explain["structure"])


def judge_named(found):
    """(number of bugs for which all buckets name a right member, a line for each other bug)"""
    wrong = {bug: names for bug, names in found.items() if not names or not set(names) <= set(MEMBERS.get(bug, ()))}
    return len(found) - len(wrong), [
        f"{bug}: {', '.join(map(str, names)) or 'no input was found'}; expected "
        f"{' or '.join(MEMBERS.get(bug, ['a row of MEMBERS']))}" for bug, names in wrong.items()]


def _main(arguments):
    options = parse_arguments(arguments)
    return _members(options) if options.members else _buckets(options)


def _members(options):
    found = named(options)
    right, lines = judge_named(found)
    print(json.dumps(found, indent=1) if options.json else
          "\n".join([f"the member is named for {right} of {len(found)} bugs", *lines]))
    return PASSED if right == len(found) else FAILED


def _buckets(options):
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
