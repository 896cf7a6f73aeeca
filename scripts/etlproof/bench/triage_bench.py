# SPDX-License-Identifier: Apache-2.0
"""Measures how small crash files are made, and in what time: by triage's own minimiser, by libFuzzer's -minimize_crash and
by afl-tmin, on planted bugs, each with the same budget of processor time.

The crash files are large: fuzzed from real traces, cut to 64 KiB, and from rows of their events and items. They are kept in
the folder, and used again. libFuzzer's is measured twice: with the mutator of the target, as in a campaign, and alone. afl-
tmin has the preset afl-asan, where the same bugs fail as with libFuzzer, and -H for a bug that hangs. It first fills with
'0' whatever may be: what is left then often fails at this size only, so that nothing can be taken out any more.
"""
import os

from etlproof import ROOT, SAMPLES
from runner import command
from runner.command import Parser, positive
from runner.failure import PASSED
from . import minimiser_comparison

NAME = "scripts/triage-bench"
EPILOG = """\
exit status: 0 measured, 64 wrong usage, 66 cannot read, build or run, 70 an error of this program, 74 cannot write,
130 interrupted
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("bugs", nargs="*", metavar="BUG", help="of those that are measured (default: ten)")
    add("--held-out", action="store_true", help="ten others, at which nobody looked when the minimiser was made")
    add("--seconds", type=positive(int), metavar="N", default=60, help="of processor time, for each (default: %(default)s)")
    add("--folder", metavar="DIR", default=os.path.join(ROOT, "build", "triage-bench"),
        help="for builds, crash files and results (default: build/triage-bench)")
    add("--samples", metavar="DIR", default=SAMPLES,
        help="real traces (default: those that the tests read)")
    add("-j", "--jobs", metavar="N", type=positive(int), default=1, help="of the builds (default: %(default)s)")
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
