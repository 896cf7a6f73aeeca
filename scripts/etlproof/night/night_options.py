# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/nightly."""
import os

from etlproof import ROOT, SAMPLES
from etlproof.campaign import targets
from runner.command import Parser, positive
from runner.failure import INPUT, Failure

MINUTES = 10
DESCRIPTION = """\
Fuzzes the decoder for a while, and leaves a page that says what is new: builds what is needed, runs what once failed
and the conformance suite, spreads the time over all targets, engines and sanitizers, makes the corpora small, measures
what they cover, and sorts what failed by bug.

What it learns is kept in a folder, and each run starts from what the last one left. One that was killed is taken up,
and nothing is lost: the same command goes on with it, and ends with it. If another time, or other jobs, targets or seeds
are asked for, or the run was begun longer ago than its time and an hour, the one that was asked for comes after it.

The page is report/index.html in that folder; report.json beside it says the same, and report.sarif has the bugs for
code-scanning views. Those of run N stay in report/runs/N.
"""
EPILOG = """\
examples:
  scripts/nightly                                 ten minutes
  scripts/nightly --hours 8 --quiet --notify 'mail -s etlproof me@example.org'
  scripts/nightly --minutes 30 --targets fuzz_file,fuzz_event

exit status: 0 nothing new, 1 a new bug, 2 a broken build or engine, a vector that fails, or a corpus that has lost
something; 64 wrong usage, 66 cannot read or start, another run on the folder among it; 70 an error of this program,
74 cannot write; 130 interrupted with nothing new, or while it sorts what failed. One that ends with 70 or 74, is
killed, or is interrupted there, is taken up by the next.
"""


def state_folder():
    """Not in build/, which anyone may remove at any time: it can be made again, a corpus cannot."""
    return os.path.join(ROOT, "nightly")


def parse(arguments):
    parser = Parser(prog="scripts/nightly", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    time = parser.add_mutually_exclusive_group()
    time.add_argument("--minutes", type=positive(float), metavar="N", help=f"that engines run (default: {MINUTES})")
    time.add_argument("--hours", type=positive(float), metavar="N")
    add("--targets", metavar="A,B", help="of harness/targets.tsv (default: all)")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="engines side by side (default: %(default)s, the processors there are)")
    add("--state", metavar="DIR", default=state_folder(), help="what is kept (default: nightly/ in the tree)")
    add("--seeds", metavar="DIR", help="real traces (*.etl) to start from too (default: ../shared/samples, or "
        "$ETLPROOF_SHARED/samples, if it is there); what cannot be read is left out, and said")
    add("--notify", metavar="CMD", help="run at the end, with a summary as JSON on its standard input")
    add("--quiet", action="store_true", help="says nothing but what went wrong")
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
    return options


def _seeds(folder):
    if folder is None:
        return SAMPLES if os.path.isdir(SAMPLES) else None
    if not os.path.isdir(folder):
        raise Failure(INPUT, f"{folder}: no such folder")
    return os.path.abspath(folder)
