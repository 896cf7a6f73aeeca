# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/nightly."""
import os

from etlproof import ROOT, SAMPLES
from etlproof.campaign import targets
from runner.command import Parser, positive
from runner.failure import INPUT, Failure

MINUTES = 10
DESCRIPTION = """\
Runs a fuzzing campaign and writes a report of new bugs. The phases: build, replay the regressions, retry the inputs that
earlier runs set aside because they failed, run the conformance suite, add seeds, fuzz (the time is shared by all targets,
engines and sanitizers), minimise the corpora, measure coverage, triage.

The state folder keeps corpora and history; each run starts from the last one. A run that was killed loses nothing: the
same command resumes it. With another time, other jobs, targets or seeds, or when the killed run is older than its time and
an hour, the requested run follows the resumed one.

The report is report/index.html in the state folder, with the same data in report.json and the bugs in report.sarif, for
code-scanning views. report/runs/N keeps the report of run N.
"""
EPILOG = """\
examples:
  scripts/nightly                                 ten minutes
  scripts/nightly --hours 8 --quiet --notify 'mail -s etlproof me@example.org'
  scripts/nightly --minutes 30 --targets fuzz_file,fuzz_event
  scripts/nightly --hours 8 --sync /mnt/etlproof   on each of several machines that mount this folder

exit status: 0 no new bug, 1 a new bug or one that is back, 2 a broken build or engine, a failing vector, or a corpus with
lost inputs; 64 wrong usage, 66 cannot read or start, or another run uses the folder, 70 an internal error, 74 cannot write,
130 interrupted without a new bug, or during triage. The next run resumes one that ended with 70 or 74, was killed, or was
interrupted during triage.
"""


def state_folder():
    """The default state folder. Not in build/, which people remove: a build can be repeated, a corpus cannot."""
    return os.path.join(ROOT, "nightly")


def parse(arguments):
    parser = Parser(prog="scripts/nightly", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    time = parser.add_mutually_exclusive_group()
    time.add_argument("--minutes", type=positive(float), metavar="N",
                      help=f"fuzzing time, without builds (default: {MINUTES})")
    time.add_argument("--hours", type=positive(float), metavar="N", help="fuzzing time in hours")
    add("--targets", metavar="A,B", help="names from harness/targets.tsv (default: all)")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="engines at the same time (default: %(default)s, the number of processors)")
    add("--state", metavar="DIR", default=state_folder(), help="state folder (default: nightly/ in the tree)")
    add("--seeds", metavar="DIR", help="more seeds: real traces, *.etl (default: ../shared/samples or "
        "$ETLPROOF_SHARED/samples, if it exists); unreadable files are skipped with a warning")
    add("--sync", metavar="DIR", help="share the corpora with other machines over this folder, which all can write: each "
        "offers its inputs there, and takes those of the others")
    add("--bisect", action="store_true", help="find the commit that introduced each new or regressed bug, and the commit "
        "that fixed each fixed one: builds several commits, in a clone in the state folder")
    add("--notify", metavar="CMD", help="run this at the end, with a JSON summary on its standard input")
    add("--quiet", action="store_true", help="print only problems")
    return _settle(parser.parse_args(arguments))


def _settle(options):
    minutes = options.hours * 60 if options.hours else options.minutes or MINUTES
    options.seconds = minutes * 60
    options.state = os.path.abspath(options.state)
    every = targets.load()
    names = options.targets.split(",") if options.targets is not None else every
    chosen = {targets.find(name).name for name in names}
    options.targets = [name for name in every if name in chosen]
    options.seeds = _seeds(options.seeds)
    options.sync = options.sync and _existing(options.sync)
    return options


def _seeds(folder):
    if folder is None:
        return SAMPLES if os.path.isdir(SAMPLES) else None
    return _existing(folder)


def _existing(folder):
    if not os.path.isdir(folder):
        raise Failure(INPUT, f"{folder}: no such folder")
    return os.path.abspath(folder)
