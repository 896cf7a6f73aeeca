# SPDX-License-Identifier: Apache-2.0
"""Compares minimisers on crash inputs of planted bugs: triage's own, libFuzzer's -minimize_crash and afl-tmin, each with
the same processor time.

The inputs are large: fuzzed from real traces that are cut to 64 KiB, and from rows of their events and items. They are kept
in the folder and used again. libFuzzer is measured twice: with the target's mutator, as in a campaign, and without it.
afl-tmin uses the preset afl-asan, where the same bugs fail as with libFuzzer, and -H for hangs. Its first pass overwrites
bytes with '0', after which the input often fails only at that size and cannot shrink further.
"""
import os

from etlproof import ROOT, SAMPLES
from runner import command
from runner.command import Parser, positive
from runner.failure import PASSED
from . import minimiser_comparison

NAME = "scripts/triage-bench"
EPILOG = """\
exit status: 0 measured, 64 wrong usage, 66 cannot read, build or run, 70 an internal error, 74 cannot write,
130 interrupted
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("bugs", nargs="*", metavar="BUG", help="planted bugs to measure (default: ten)")
    add("--held-out", action="store_true", help="ten other bugs, which were not used to tune the minimiser")
    add("--seconds", type=positive(int), metavar="N", default=60,
        help="processor time per minimiser and bug (default: %(default)s)")
    add("--folder", metavar="DIR", default=os.path.join(ROOT, "build", "triage-bench"),
        help="for builds, crash inputs and results (default: build/triage-bench)")
    add("--samples", metavar="DIR", default=SAMPLES,
        help="real traces (default: those that the tests use)")
    add("-j", "--jobs", metavar="N", type=positive(int), default=1,
        help="compilers at the same time (default: %(default)s)")
    return parser.parse_args(arguments)


def _main(arguments):
    options = parse_arguments(arguments)
    bugs = options.bugs or dict(minimiser_comparison.HELD_OUT if options.held_out else minimiser_comparison.BUGS)
    folder = os.path.abspath(options.folder)
    minimiser_comparison.Bench(folder, options.samples, list(bugs), options.seconds, options.jobs).run()
    return PASSED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
